/* The fence and the intents (DESIGN 3.3): writers through the SDK, one request that erases, slow and dead writers, one store that refuses or one that cannot.
   Each `ltl` below is a row in README.md; each #ifdef is a broken variant that `models/run` must see caught. It says nothing about how a request is resumed: request.pml.
   Where a line stands for one transaction (of the ledger, or of the store) it is atomic; between any two of them everybody else may act or die. */

#ifndef W
#define W 1                          /* writers, each with one intent about the person; -DW=2 for two */
#endif

/* An intent's row in the ledger. BARRED: its store refuses the write, its writer may still try. */
#define NONE 0
#define OPEN 1
#define UNRESOLVED 2
#define BARRED 3

/* What stands in the store at a writer's key. OLD: a row from before, which the write would replace. */
#define NOTHING 0
#define OLD 1
#define NEW 2

/* ledger */
bool fence;                          /* person and closure are fenced */
bool denied;                         /* do-not-store entries are made */
bool sourceErased;                   /* the source is marked erased */
byte row[W];
bool lineage[W];                     /* the ledger knows the artifact as the person's */
/* store */
bool strong;                         /* what the kind promises: triggers that refuse */
bool storeFence;                     /* the triggers stand */
byte item[W];
bool tagged[W];                      /* the row itself names the person, so that a harvest finds it */
/* world */
bool derives[W];                     /* derives from the source; else it records the person */
bool dead[W];                        /* killed */
bool left[W];                        /* out of the SDK's door, whichever way */
bool refused[W];                     /* the SDK told the application that nothing was stored */
bool compliant;                      /* COMPLIANT was said */
/* ghosts */
bool crossed;                        /* a commit went through under a fence */
bool sawJoined, sawAborted, sawUnresolved, sawBarred, sawRefusal;   /* witnesses: the interesting ways are really taken */

#ifdef DERIVE_FROM_ERASED
#define FROM_ERASED false
#else
#define FROM_ERASED (derives[w] && sourceErased)
#endif
#define MAY_DIE if :: dead[w] = true; goto out :: skip fi

proctype writer(byte w) {
  bool there;
#ifdef DENYLIST_BEFORE_BEGIN
  if :: denied && !derives[w] -> refused[w] = true; left[w] = true; goto out :: else fi;
#endif
  atomic {                           /* beginIntents: one transaction */
    if
#ifndef BEGIN_UNFENCED
    :: fence || FROM_ERASED -> refused[w] = true; left[w] = true; goto out
#endif
    :: else -> row[w] = OPEN
    fi
  };
  MAY_DIE;
#ifndef DENYLIST_BEFORE_BEGIN
  /* The list is asked behind the intent: who begins under no fence began before it, and is resolved, or after its end, and sees the entries. */
  if :: denied && !derives[w] -> atomic { row[w] = NONE; refused[w] = true; left[w] = true; goto out } :: else fi;
#endif
#ifdef RECHECK
  if :: row[w] != OPEN -> refused[w] = true; left[w] = true; goto out :: else fi;
#endif
  if                                 /* the application's own write, as late as it likes */
  :: atomic { storeFence -> sawRefusal = compliant }; goto abandon
  :: atomic { !storeFence -> item[w] = NEW }
  :: atomic { !storeFence -> item[w] = NEW }; MAY_DIE; goto abandon       /* written, but the answer was lost */
  :: goto abandon                                                         /* failed before it wrote */
  fi;
finish:
  MAY_DIE;
  if :: denied && !derives[w] -> goto undo :: else fi;                    /* the list, asked again */
  atomic {                           /* commitIntents: one transaction */
    if
#ifdef COMMIT_UNFENCED
    :: row[w] == OPEN ->
#else
    :: row[w] == OPEN && !fence && !FROM_ERASED ->
#endif
       if :: fence -> crossed = true :: else fi;
       row[w] = NONE; lineage[w] = true; left[w] = true; goto out
    :: else
    fi
  };
undo:
  MAY_DIE;
  if
  :: item[w] = NOTHING; MAY_DIE
  :: skip;                           /* the store is out of reach: the intent stays */
#ifndef UNDO_UNCHECKED
     refused[w] = true; left[w] = true; goto out
#endif
  fi;
  atomic { row[w] = NONE; refused[w] = true; left[w] = true };            /* abortIntents */
  goto out;
abandon:
  MAY_DIE;
  if :: item[w] == NEW -> goto finish :: else fi;                         /* as it was offered: written all the same */
  there = item[w] != NOTHING;
  MAY_DIE;
  atomic {                           /* resolveIntent by the writer itself */
    if :: there && row[w] != NONE -> lineage[w] = true :: else fi;
    row[w] = NONE; left[w] = true
  };
out: skip
}

/* Dead, or out of the door for good. The request may learn of it late, or from an operator (`intents`); that it learns in the end is assumed for `ends` only. */
#define GONE (dead[w] || left[w])

proctype request() {
  byte w; bool holds, isGone, there, unresolved, found;
round:
  fence = true;                      /* in the ledger first */
  if                                 /* then in the store; what it answers counts, not what its kind promises */
  :: strong -> storeFence = true; holds = true
  :: holds = storeFence              /* out of reach, or triggers that do not see all (what stands from an earlier round stands) */
  fi;
#ifdef STRENGTH_BY_KIND
  holds = strong;
#endif
  unresolved = false; w = 0;
  do
  :: w == W -> break
  :: w < W && row[w] == NONE -> w++
#ifdef UNRESOLVED_FORGOTTEN
  :: w < W && row[w] == UNRESOLVED -> unresolved = true; w++
#endif
  :: w < W && row[w] != NONE ->
#ifdef PROMPT
     isGone = GONE;
#else
     if :: isGone = GONE :: isGone = false fi;             /* known before the look: nobody writes between the two */
#endif
     if
#ifdef WAIT_FOR_THE_DEAD
     :: !isGone || isGone -> row[w] == NONE
#else
     :: !isGone -> (GONE || row[w] == NONE)                /* the lease runs: state waiting */
#endif
     :: skip ->                                            /* it is over, or its writer is gone */
#ifdef ABORT_UNSEEN
        there = false;
#else
        there = item[w] != NOTHING;
#endif
        atomic {                     /* resolveIntent: one transaction */
          if :: row[w] == NONE -> goto next :: else fi;
          if :: there -> lineage[w] = true; sawJoined = true :: else fi;
          if
          :: isGone -> row[w] = NONE; sawAborted = true
#ifdef LEASE_ENDS
          :: !isGone -> row[w] = NONE
#else
#ifdef JOIN_BY_KEY
          :: !isGone && there -> row[w] = NONE
          :: !isGone && !there && holds -> row[w] = BARRED
          :: !isGone && !there && !holds -> row[w] = UNRESOLVED; unresolved = true
#else
          :: !isGone && holds -> row[w] = BARRED; sawBarred = true
          :: !isGone && !holds -> row[w] = UNRESOLVED; unresolved = true; sawUnresolved = true
#endif
#endif
          fi
        };
next:   w++
     fi
  od;
  denied = true;
  w = 0;                             /* harvest, plan, erase: what the lineage or its own tag names */
  do
  :: w == W -> break
  :: w < W && item[w] != NOTHING && (lineage[w] || tagged[w]) -> item[w] = NOTHING; w++
  :: else -> w++
  od;
  sourceErased = true;
  found = false; w = 0;              /* probes; no snapshot over several stores */
  do
  :: w == W -> break
  :: w < W && item[w] != NOTHING -> found = true; w++
  :: else -> w++
  od;
  if
#ifdef UNRESOLVED_SETTLES
  :: found -> goto round
#else
  :: found || unresolved -> goto round                     /* stuck: the fence stands, `forget --resume` begins the next round */
#endif
  :: else -> compliant = true
  fi;
#ifdef LOWER_EARLY
  storeFence = false;
#endif
  fence = false;
  w = 0;                             /* the store's fence outlives the request while a barred writer may still try */
  do
  :: w == W -> break
  :: w < W && row[w] == BARRED -> (GONE || row[w] == NONE); row[w] = NONE; w++
  :: else -> w++
  od;
  storeFence = false
}

init {
  byte w;
  atomic {
    if :: strong = true :: skip fi;
    w = 0;
    do
    :: w == W -> break
    :: else ->
       if :: derives[w] = true :: skip fi;
       if :: tagged[w] = true :: skip fi;
       if :: item[w] = OLD; lineage[w] = true :: skip fi;
       w++
    od;
    w = 0;
    do :: w < W -> run writer(w); w++ :: else -> break od;
    run request()
  }
}

#if W == 1
#define HELD (item[0] != NOTHING)
#define LOST (refused[0] && item[0] == NEW && row[0] == NONE && !lineage[0])
#define UNKNOWN_END (row[0] == UNRESOLVED)
#else
#define HELD (item[0] != NOTHING || item[1] != NOTHING)
#define LOST ((refused[0] && item[0] == NEW && row[0] == NONE && !lineage[0]) || (refused[1] && item[1] == NEW && row[1] == NONE && !lineage[1]))
#define UNKNOWN_END (row[0] == UNRESOLVED || row[1] == UNRESOLVED)
#endif

/* Once COMPLIANT was said, no write that an intent had announced leaves anything of the person in the store, not even until it is undone. */
ltl never_back { [] !(compliant && HELD) }
/* No commit under a fence. */
ltl no_crossing { [] !crossed }
/* What the SDK told the application was refused is undone, or the ledger knows of it. */
ltl refused_undone { [] !LOST }
/* COMPLIANT is never said while the end of a write is not known. */
ltl none_unresolved { [] !(compliant && UNKNOWN_END) }
/* Dead and slow writers hold a request up, never for good. */
ltl ends { <> compliant }
/* Witnesses: these must be violated, else a property above holds because nothing happens. */
ltl w_joined { [] !(compliant && sawJoined) }
ltl w_aborted { [] !(compliant && sawAborted) }
ltl w_unresolved { [] !(compliant && sawUnresolved) }
ltl w_barred { [] !(compliant && sawBarred) }
ltl w_refusal { [] !sawRefusal }
