//! States and steps of the model.

use crate::{
    chain::{Call, Chain},
    keys::Mask,
    world::StatementId,
};

use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
};

/// The number of a validator's state.
pub type NodeId = u32;
/// The votes that honest validators sent: by statement, in ascending order.
pub type Votes = Vec<(StatementId, Mask)>;

/// A state of the model.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Global {
    /// The chain that GRANDPA finalized.
    pub chain: Chain,
    /// The chain that was lost when an older one was restored.
    pub lost: Option<Chain>,
    /// The honest validators.
    pub nodes: Vec<NodeId>,
    /// What they sent. Messages stay: each may arrive never, late and often.
    pub sent: Votes,
    /// What may still happen.
    pub left: Left,
}

/// A step of the model. A number without a name is that of a validator.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// GRANDPA finalizes a block.
    Author(Call),
    /// A validator's GRANDPA is told of the next block.
    Finalize(usize),
    /// A validator is told of a block that GRANDPA will not finalize: a broken rule.
    FinalizeFork(usize),
    /// A validator's signer signs.
    Sign(usize),
    /// A validator's signer signs, and the validator crashes before the vote leaves it.
    SignAndCrash(usize),
    /// All votes on a statement arrive at a validator.
    Votes(usize, StatementId),
    /// A proof of a statement arrives at a validator.
    Proof(usize, StatementId),
    /// A validator restarts.
    Crash(usize),
    /// A validator restarts without its database.
    PowerCut(usize),
    /// A validator restarts without database and record.
    LoseAll(usize),
    /// The chain's people restore an older chain, and pardon statements about the lost blocks.
    Restore,
}

/// What may still happen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Left {
    /// Restarts of a validator.
    pub crashes: u8,
    /// Restarts without the database.
    pub power_cuts: u8,
    /// Restarts without database and record.
    pub losses: u8,
    /// Restores of an older chain.
    pub restores: u8,
    /// Resets.
    pub resets: u8,
    /// Deactivations.
    pub deactivations: u8,
}

impl Left {
    /// Counts an action.
    pub(crate) fn spend(&mut self, action: &Action) {
        let counter = match action {
            Action::Crash(_) | Action::SignAndCrash(_) => &mut self.crashes,
            Action::PowerCut(_) => &mut self.power_cuts,
            Action::LoseAll(_) => &mut self.losses,
            Action::Restore => &mut self.restores,
            Action::Author(Call::Reset | Call::ResetWithOldId) => &mut self.resets,
            Action::Author(Call::Deactivate) => &mut self.deactivations,
            _ => return,
        };
        *counter = counter.saturating_sub(1);
    }
}

/// The properties that failed. The checker keeps the last state in which one fails; the first one has the shortest
/// trace.
#[derive(Debug, Default)]
pub struct Failed(Mutex<BTreeSet<&'static str>>);

impl Failed {
    /// Whether the property holds, or failed before.
    pub fn holds(&self, property: &'static str, verdict: bool) -> bool {
        let mut failed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        verdict || !failed.insert(property)
    }
}
