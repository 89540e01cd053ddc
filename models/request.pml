/* The request's state machine (DESIGN 2 and 3.2): rounds of journalled steps, two processes that want the same request, crashes at any instruction, resume.
   Each `ltl` below is a row in README.md; each #ifdef is a broken variant that `models/run` must see caught. Writers under intents are left to fence.pml: here an
   outsider writes whenever no fence stands. A step's act is one instruction, its journal entry another; a ledger transaction is atomic. */

#define ROUNDS 2                     /* the second round is the last: what is stuck then stays stuck */
#ifndef KILLS
#define KILLS 2                      /* crashes altogether */
#endif

#define RECEIVED 0
#define BLOCKED 1
#define ERASING 2
#define WAITING 3
#define CONFIRMING 4
#define STUCK 5
#define CLOSED 6

/* What a round sealed with its attestation. EARLY: an erasure whose horizons are open; the fence ends, the request stays open. */
#define NOTHING 0
#define ERASURE 1
#define EARLY 2
#define WITHHELD 3

#define FREE 0                       /* a claim: nobody's, a dead process's, or 2 + p */
#define DEAD 1

/* ledger */
byte state = RECEIVED;
byte round = 1;                      /* ended rounds + 1 */
byte claim = FREE;
byte sealed = NOTHING;               /* outcome of this round */
bool jFence, jPlan, jDeny, jErase, jPurge;   /* steps of this round that are finished */
bool fence;                          /* ledger's and store's as one; apart they are in fence.pml */
bool denied;
/* store and disk */
bool source = true;
bool derived = true;
bool bytes;                          /* erased, still in the files */
bool stray;                          /* a copy that no lineage names: probes find it, an operator cures it */
byte receipt = NOTHING;              /* what the latest receipt's file says */
/* world */
bool windowShut, leased, horizon;
byte kills = KILLS;
bool wrote;                          /* the outsider has written its one row */
byte inside;                         /* processes that think that they hold the claim */
/* ghosts */
bool lie;                            /* an erasure was attested that was none */
bool twice;                          /* a round was attested twice, or after its end */
bool again;                          /* work began anew after an erasure had been attested for good */
bool lateAct;                        /* a store was touched for a round that was signed, closed or another's */
bool unlisted;                       /* a delete before its do-not-store entry */
bool ahead;                          /* a receipt without its attestation */
bool reopened;                       /* a closed request changed its state */
#ifdef CLAIM_BY_TIME
bool stolen;
#endif
bool erasureSaid;
bool sawClosed, sawWaiting, sawWithheld, sawEarly, sawKilled, sawTaken;   /* witnesses */

#define CLAIMED(p) (claim == 2 + p)

/* Killed: what is in memory is gone; the claim is a dead process's, and the machine knows it. A new process resumes. */
#define MAY_DIE(p) if :: atomic { kills > 0 -> kills--; sawKilled = true; inside--; if :: CLAIMED(p) -> claim = DEAD :: else fi; clean = false; mine = 0; goto start } :: skip fi
#ifdef UPDATE_UNCHECKED
#define SET(s) atomic { reopened = reopened || state == CLOSED; state = s }
#else
#define SET(s) atomic { if :: state != CLOSED -> state = s :: else -> claim = (CLAIMED(p) -> FREE : claim); inside--; goto start fi }
#endif
/* An act on a store is right while its round is open, not signed, and fenced. */
#define ACT lateAct = lateAct || sealed != NOTHING || state == CLOSED || round != mine
#define NEXT_ROUND round++; sealed = NOTHING; jFence = false; jPlan = false; jDeny = false; jErase = false; jPurge = false
#define CLOSE atomic { state = CLOSED; sawClosed = true; LEAVE }
#define LEAVE atomic { claim = (CLAIMED(p) -> FREE : claim); inside--; goto start }

proctype process(byte p) {
  bool clean; byte mine;
start:
  if
  :: state == CLOSED -> goto end
  :: state == STUCK && round > ROUNDS -> goto end
  :: atomic {                        /* claimRequest: one transaction */
#ifdef CLAIM_BY_TIME
       /* once is enough: the lease runs out under a holder that is only slow */
       state != CLOSED && !(state == STUCK && round > ROUNDS) && (claim == FREE || claim == DEAD || (!stolen && !CLAIMED(p))) ->
       if :: claim > DEAD -> stolen = true :: else fi;
#else
#ifdef CLAIM_NEVER_TAKEN
       state != CLOSED && !(state == STUCK && round > ROUNDS) && claim == FREE ->
#else
       state != CLOSED && !(state == STUCK && round > ROUNDS) && (claim == FREE || claim == DEAD) ->
#endif
#endif
       if :: claim != FREE -> sawTaken = true :: else fi;
       claim = 2 + p; inside++; mine = round;
       again = again || (erasureSaid && sealed == NOTHING)
     }
  fi;
  MAY_DIE(p);
#ifndef SETTLE_LATE
#ifndef SEAL_IGNORED
  if :: sealed != NOTHING -> goto settle :: else fi;      /* what was attested before a crash stands: before anything that could wait */
#endif
#endif
  if
  :: jFence
  :: else -> SET(BLOCKED); fence = true; MAY_DIE(p); jFence = true
  fi;
  MAY_DIE(p);
  if                                 /* intents: a lease still runs */
  :: leased -> SET(WAITING); sawWaiting = true; MAY_DIE(p); leased = false; LEAVE
  :: else
  fi;
  jPlan = true;
  SET(ERASING);
  MAY_DIE(p);
#ifndef DENY_LATE
  if :: jDeny :: else -> denied = true; MAY_DIE(p); jDeny = true fi;
#endif
  if
  :: jErase
  :: else ->
#ifdef SOURCE_FIRST
     atomic { ACT; unlisted = unlisted || !denied; bytes = bytes || source; source = false };
     MAY_DIE(p);
     atomic { ACT; bytes = bytes || derived; derived = false };
#else
     atomic { ACT; unlisted = unlisted || !denied; bytes = bytes || derived; derived = false };
     MAY_DIE(p);
     atomic { ACT; bytes = bytes || source; source = false };
#endif
     MAY_DIE(p);
     jErase = true
  fi;
#ifdef DENY_LATE
  if :: jDeny :: else -> denied = true; MAY_DIE(p); jDeny = true fi;
#endif
#ifdef SCAN_BEFORE_PURGE
  clean = !derived && !source && !stray;
#endif
  if
#ifdef SETTLE_LATE
  :: windowShut -> SET(WAITING); sawWaiting = true; MAY_DIE(p); if :: windowShut = false :: skip fi; LEAVE
#else
  :: windowShut && !jPurge -> SET(WAITING); sawWaiting = true; MAY_DIE(p); windowShut = false; LEAVE
#endif
  :: skip
  fi;
  if
  :: jPurge
  :: else ->
     if
     :: atomic { ACT; bytes = false }
     :: skip                         /* a reader holds it up: the round goes on, the next one purges again */
     fi;
     MAY_DIE(p);
     jPurge = true
  fi;
  MAY_DIE(p);
#ifdef SETTLE_LATE
  if :: sealed != NOTHING -> goto settle :: else fi;
#endif
  SET(CONFIRMING);
#ifndef SCAN_BEFORE_PURGE
  clean = !derived && !source && !bytes && !stray;        /* epoch scan and probes */
#endif
  MAY_DIE(p);
#ifdef LOWER_BEFORE_SIGNING
  fence = false;
  MAY_DIE(p);
#endif
#ifdef RECEIPT_FIRST
  if :: clean -> atomic { ahead = ahead || sealed == NOTHING; receipt = ERASURE } :: else fi;
  MAY_DIE(p);
#endif
  atomic {                           /* attestRequest: one transaction with its log entries */
    if :: sealed != NOTHING || round != mine || state == CLOSED -> twice = true :: else fi;
    if
    :: clean ->
       lie = lie || derived || source || bytes || stray || !denied;
       if :: horizon -> sealed = EARLY; sawEarly = true :: else -> sealed = ERASURE; erasureSaid = true fi
    :: else -> sealed = WITHHELD; sawWithheld = true
    fi
  };
settle:
  MAY_DIE(p);
#ifdef CLOSE_FIRST
  if :: sealed == ERASURE -> CLOSE :: else fi;
#endif
  atomic { ahead = ahead || sealed == NOTHING; receipt = sealed };        /* writeDurably */
  MAY_DIE(p);
#ifdef FENCE_LOWERED_ALWAYS
  fence = false;
#endif
  atomic {
    if
    :: state == CLOSED -> LEAVE
    :: state != CLOSED && sealed == WITHHELD -> state = STUCK
    :: else -> state = CONFIRMING
    fi
  };
  MAY_DIE(p);
  if :: sealed != WITHHELD -> atomic { lateAct = lateAct || round != mine || state == CLOSED; fence = false } :: else fi;
  MAY_DIE(p);
#ifdef END_BEFORE_CLOSE
  if :: sealed == ERASURE -> atomic { NEXT_ROUND }; MAY_DIE(p); CLOSE :: else fi;
#endif
  atomic {                           /* the round's end, and the close where there is one: one transaction */
    if
    :: round != mine || state == CLOSED -> LEAVE
    :: else ->
       if
       :: sealed == ERASURE -> CLOSE
       :: sealed == EARLY -> horizon = false; NEXT_ROUND
       :: sealed == WITHHELD && round < ROUNDS -> NEXT_ROUND; if :: stray = false :: skip fi
       :: sealed == WITHHELD && round >= ROUNDS -> round++
       fi;
       LEAVE
    fi
  };
end: skip
}

proctype outsider() {
end: if :: atomic { !fence && !wrote -> wrote = true; source = true } fi
}

init {
  atomic {
    if :: stray = true :: skip fi;
    if :: windowShut = true :: skip fi;
    if :: leased = true :: skip fi;
    if :: horizon = true :: skip fi;
    run process(0); run process(1); run outsider()
  }
}

/* The do-not-store entries are made before the first delete. */
ltl deny_first { [] !unlisted }
/* Derived before sources: no derived record outlives its source. */
ltl derived_first { [] (derived -> source) }
/* An erasure is attested only of what is erased, purged and not to be found at that moment. */
ltl attest_last { [] !lie }
/* A round is attested once, whatever crashes, and not after its end. */
ltl attest_once { [] !twice }
/* A receipt's file comes after the attestation that it carries. */
ltl receipt_last { [] !ahead }
/* Closed means: erasure attested, its receipt written, no fence left. */
ltl closed_whole { [] ((state == CLOSED) -> (erasureSaid && receipt == ERASURE && !fence)) }
/* What is closed stays closed. */
ltl closed_final { [] !reopened }
/* After an erasure for good no new round begins: a crash ends where an unbroken run ends. */
ltl same_end { [] !again }
/* Who waits has signed nothing in this round. */
ltl waiting_unsigned { [] ((state == WAITING) -> (sealed == NOTHING)) }
/* What is stuck stays fenced. */
ltl stuck_fenced { [] ((state == STUCK) -> fence) }
/* At most one process works on a request. */
ltl one_worker { [] (inside <= 1) }
/* Nobody erases, purges or lowers a fence for a round that is signed by somebody else, ended or closed. */
ltl no_late_act { [] !lateAct }
/* However it is killed, a request comes to its end. */
ltl ends { <> (state == CLOSED || (state == STUCK && round > ROUNDS)) }
/* Witnesses: these must be violated, else a property above holds because nothing happens. */
ltl w_closed { [] !(sawClosed && sawWaiting && sawKilled && sawTaken) }
ltl w_early { [] !(sawClosed && sawEarly) }
ltl w_withheld { [] !(sawClosed && sawWithheld) }
ltl w_stuck { [] !(state == STUCK && round > ROUNDS) }
