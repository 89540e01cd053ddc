/* Process memory (DESIGN 4): processes that hold a surface under leases, one request that asks them to let go and looks again.
   Each `ltl` below is a row in README.md; each #ifdef is a broken variant that `models/run` must see caught. Writes under way are in fence.pml: here the door is one step.
   Where a line stands for one transaction of the ledger, or for one act of a process on its own memory, it is atomic; between any two of them everybody else may act or die. */

#define P 2                          /* processes: one that takes part from the start, one that may join at any time */

/* ledger */
bool fence;                          /* the person and the closure are fenced */
bool denied;                         /* erased, and do-not-store entries are made */
bool lease[P];                       /* the row of a participant */
bool until[P];                       /* its lease has not run out */
byte order[P];                       /* what stands there for it */
byte answer[P];
#define NO 0
#define EVICT 1
#define LIST 2
#define GONE 1                       /* nothing of the person is listed */
#define HELD 2
/* world */
bool holds[P];                       /* something of the person is in its memory */
bool serving[P];                     /* the application uses it */
bool dead[P];                        /* killed: its memory went with it */
bool lies[P];                        /* its evict does nothing, or throws */
bool compliant, withheld;            /* how the request ended */
/* ghosts */
bool sawSilent, sawDeath, sawLate, sawLie;

#define KNOWS (fence || denied)      /* what a process finds out from the ledger about what it holds */

inline drop_forbidden() { atomic { if :: KNOWS && !lies[p] -> holds[p] = false :: else fi } }

proctype participant(byte p) {
  bool asleep, slept;
  byte word;
  if                                 /* what was in its memory before it took part */
  :: holds[p] = true
  :: skip
  fi;
#ifdef LOOKS_THEN_JOINS
  drop_forbidden();
#endif
  atomic { lease[p] = true; until[p] = true; sawLate = sawLate || fence };
#if !defined(JOINS_UNCHECKED) && !defined(LOOKS_THEN_JOINS)
  drop_forbidden();
  atomic { serving[p] = !(KNOWS && holds[p]) };         /* NOT_LET_GO: it may not serve, its lease stands, and it answers */
#else
  serving[p] = true;
#endif
  do
  :: atomic { serving[p] && !asleep && order[p] == NO && !KNOWS && !holds[p] -> holds[p] = true }   /* it derives: the door of the SDK */
  :: !asleep && order[p] == EVICT ->
     atomic { if :: lies[p] -> sawLie = true :: else -> holds[p] = false fi };
#ifdef ACK_BELIEVED
     word = GONE;
#else
     word = (holds[p] -> HELD : GONE);                                                /* listed afresh, whatever its evict said */
#endif
     atomic { answer[p] = word; order[p] = NO }
  :: !asleep && order[p] == LIST ->
     word = (holds[p] -> HELD : GONE);
     atomic { answer[p] = word; order[p] = NO }
  :: atomic { !asleep && !slept -> asleep = true; slept = true; until[p] = false }     /* stopped beyond its lease, once */
  :: atomic { asleep -> asleep = false; until[p] = true; lease[p] = true };
     drop_forbidden()
  :: atomic { dead[p] = true; holds[p] = false; serving[p] = false }; break
  :: atomic { !asleep && order[p] == NO && !lies[p] -> holds[p] = false; serving[p] = false; lease[p] = false }; break   /* it leaves */
  od
}

/* Asks process p and takes its answer, or nothing: it is silent, or gone. */
inline ask(what) {
  atomic { if :: lease[p] -> answer[p] = NO; order[p] = what :: else fi };
  said = NO;
  if
  :: !lease[p] -> said = GONE                                                          /* it left, and let go before that */
#ifdef WAIT_FOR_THE_DEAD
  :: answer[p] != NO -> said = answer[p]
  :: atomic { !until[p] && answer[p] == NO -> order[p] = NO; sawSilent = true }
#else
  :: dead[p] -> atomic { lease[p] = false; order[p] = NO; said = GONE; sawDeath = true }   /* the system's word */
  :: answer[p] != NO -> said = answer[p]
  :: atomic { !dead[p] && !until[p] && answer[p] == NO -> order[p] = NO; sawSilent = true }
#endif
#ifdef LEASE_ENDS
  :: atomic { lease[p] && !until[p] -> lease[p] = false; order[p] = NO; said = GONE }
#endif
  fi
#ifdef SILENCE_IS_CONSENT
  ; if :: said == NO -> said = GONE :: else fi
#endif
}

proctype request() {
  byte p, said;
  bool isHeld;
  fence = true;
again:
  isHeld = false;
  p = 0;
  do                                 /* evict */
  :: p == P -> break
  :: else -> ask(EVICT); if :: said == NO -> goto again :: said == HELD -> isHeld = true :: else fi; p++
  od;
  denied = true;
  p = 0;
#ifndef ACK_BELIEVED
  do                                 /* look: every live process, asked afresh */
  :: p == P -> break
  :: else -> ask(LIST); if :: said == NO -> goto again :: said == HELD -> isHeld = true :: else fi; p++
  od;
#endif
  if :: isHeld -> withheld = true :: else -> compliant = true fi;
  fence = false
}

init {
  atomic {
    if :: lies[0] = true :: skip fi;
    run participant(0); run participant(1); run request()
  }
}

#define KEPT ((serving[0] && holds[0]) || (serving[1] && holds[1]))

/* Once COMPLIANT was said, no process that takes part serves anything of the person. */
ltl let_go { [] !(compliant && KEPT) }
/* Silent and dead processes hold a request up, never for good (fair scheduling; deaths become known). */
ltl ends { <> (compliant || withheld) }
/* Witnesses: these must be violated, else a property above holds because nothing happens. */
ltl w_silent { [] !(compliant && sawSilent) }
ltl w_death { [] !(compliant && sawDeath) }
ltl w_late { [] !(compliant && sawLate) }
ltl w_lie { [] !(withheld && sawLie) }
