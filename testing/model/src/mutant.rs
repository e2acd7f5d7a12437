//! Rules that the wiring around the real code breaks on purpose. The code itself has no switch.

/// A broken rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mutant {
    /// The signer gives a vote out before its record is on disk. (ROUND-4)
    VoteBeforeRecord,
    /// The host tells the voter of blocks that GRANDPA has not finalized. (ROUND-1)
    VoteBeforeGrandpa,
    /// A validator without its record begins without a floor. (ROUND-4)
    FloorSkipped,
    /// A validator that lost its record begins again before the chain has passed what it signed. (ROUND-4)
    LossForgotten,
    /// The record of votes is restored with the chain. (ROUND-4, decision 0053)
    RecordRestored,
    /// Statements about lost blocks are not pardoned. (FALSE-4)
    NotPardoned,
    /// A node does not send its newest proof again. (ROUND-6)
    ProofSentOnce,
    /// A node compares a proof with its chain before its GRANDPA has come to that block. (ROUND-10)
    ComparedEarly,
    /// A reset gives its set the id of a planned one. (RESET-1)
    ResetRepeatsId,
    /// A client crosses a reset without the wait. (RECOVER-8)
    DelayIgnored,
    /// A client forgets a second statement of the recovery set. (RECOVER-8)
    ContradictionForgotten,
    /// A client takes proofs by sets whose stake is free. (LIGHT-9)
    PeriodIgnored,
}
