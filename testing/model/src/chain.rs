//! The chain: blocks that GRANDPA finalized, and the pallet's rules of sets and resets.
//!
//! The pallet itself runs in FRAME, which a model of millions of states cannot afford. These are its rules over set
//! ids and members; keys, commitments and the checks of proofs and evidence are the real ones.

use crate::keys::{owner, KeyNumber, VALIDATORS};

/// A set: its id, and its members' keys in ascending order of their numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SetRef {
    /// The id.
    pub id: u64,
    /// The keys.
    pub members: Vec<KeyNumber>,
}

/// What a block does besides the start of a session, which every block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Call {
    /// Nothing.
    Nothing,
    /// The signing set's handoff is proven. (HANDOFF-1)
    ProveHandoff,
    /// A validator registers its second key. (CHAIN-1)
    Rekey(u8),
    /// Governance resets the sets. (RESET-1)
    Reset,
    /// A reset whose set has the id after the signing set's, as if no set had been planned: a broken rule.
    ResetWithOldId,
    /// Governance deactivates Duet. (ACTIVE-3)
    Deactivate,
    /// Governance activates it again. (ACTIVE-4)
    Activate,
}

/// The blocks after the genesis, each with the number of the fork that it began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Chain(Vec<(Call, u8)>);

impl Chain {
    /// The number of the newest block.
    pub fn height(&self) -> u32 {
        u32::try_from(self.0.len()).expect("a small model has few blocks")
    }

    /// The chain up to a block.
    pub fn up_to(&self, height: u32) -> Self {
        let blocks = self
            .0
            .iter()
            .take(usize::try_from(height).unwrap_or(usize::MAX));
        Self(blocks.copied().collect())
    }

    /// The chain without its newest block; none for the genesis.
    pub fn parent(&self) -> Option<Self> {
        let (_, rest) = self.0.split_last()?;
        Some(Self(rest.to_vec()))
    }

    /// The call in the newest block.
    pub fn newest(&self) -> Call {
        self.0.last().map_or(Call::Nothing, |(call, _)| *call)
    }

    /// The fork of the newest block.
    pub fn fork(&self) -> u8 {
        self.0.last().map_or(0, |(_, fork)| *fork)
    }

    /// The chain with another block.
    #[must_use]
    pub fn with(&self, call: Call) -> Self {
        self.with_fork(call, self.fork())
    }

    /// The chain with a block of another fork.
    #[must_use]
    pub fn with_fork(&self, call: Call, fork: u8) -> Self {
        let mut blocks = self.0.clone();
        blocks.push((call, fork));
        Self(blocks)
    }

    /// Whether the other chain begins with this one.
    pub fn is_start_of(&self, other: &Self) -> bool {
        other.0.starts_with(&self.0)
    }
}

/// A log of the pallet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Log {
    /// A set was planned. (CHAIN-2)
    Planned(SetRef),
    /// It took over. (CHAIN-2)
    Activated(u64),
    /// The sets were reset. (RESET-2)
    Reset {
        /// The set that signed before.
        ended: u64,
        /// The set that signs now.
        set: SetRef,
    },
}

/// The pallet's state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pallet {
    /// The set that signs.
    pub current: SetRef,
    /// The set that was planned.
    pub next: Option<SetRef>,
    /// The registered key of each validator.
    registered: [KeyNumber; VALIDATORS as usize],
    /// Whether the handoff of the signing set is proven here. (HANDOFF-4)
    proven: bool,
    /// Whether Duet is deactivated.
    pub ended: bool,
    /// Every set that can be punished: those that signed, the signing one, and planned ones that never signed.
    pub sets: Vec<SetRef>,
}

impl Pallet {
    /// At the genesis, the first keys of all validators sign.
    pub fn genesis() -> Self {
        let registered = [0, 1, 2, 3];
        let first = SetRef {
            id: 0,
            members: registered.to_vec(),
        };
        Self {
            current: first.clone(),
            next: None,
            registered,
            proven: false,
            ended: false,
            sets: vec![first],
        }
    }

    /// The set with this id, if it can be punished. (EQV-6)
    pub fn punishable(&self, id: u64) -> Option<&SetRef> {
        self.sets.iter().rev().find(|set| set.id == id)
    }

    /// Whether a validator has registered no other key.
    pub fn has_first_key(&self, validator: u8) -> bool {
        self.registered.contains(&validator)
    }

    /// Whether a handoff to the planned set is waited for.
    pub fn awaits_handoff(&self) -> bool {
        self.next.is_some() && !self.proven && !self.ended
    }

    /// The state after a block, and the logs in its header.
    pub fn next(&self, call: Call) -> (Self, Vec<Log>) {
        let (mut after, mut logs) = (self.clone(), vec![]);
        if !after.ended {
            after.rotate(&mut logs);
        }
        match call {
            Call::Nothing => {}
            Call::ProveHandoff => after.proven = true,
            Call::Rekey(validator) => {
                for key in &mut after.registered {
                    if owner(*key) == validator {
                        *key = validator + VALIDATORS;
                    }
                }
            }
            Call::Reset | Call::Activate => {
                let newest = after.newest_id();
                after.reset(newest + 1, &mut logs);
            }
            Call::ResetWithOldId => after.reset(self.current.id + 1, &mut logs),
            Call::Deactivate => {
                after.ended = true;
                if let Some(planned) = after.next.take() {
                    after.sets.push(planned);
                }
            }
        }
        (after, logs)
    }

    /// CHAIN-3 and HANDOFF-4: the planned set takes over when its handoff is proven, and the next one is planned.
    fn rotate(&mut self, logs: &mut Vec<Log>) {
        if self.next.is_some() && !self.proven {
            return;
        }
        if let Some(next) = self.next.take() {
            logs.push(Log::Activated(next.id));
            self.sets.push(next.clone());
            self.current = next;
            self.proven = false;
        }
        let mut members = self.registered.to_vec();
        members.sort_unstable();
        if members != self.current.members {
            let id = self.current.id + 1;
            let planned = SetRef { id, members };
            logs.push(Log::Planned(planned.clone()));
            self.next = Some(planned);
        }
    }

    /// RESET-1: the id is above every id that was ever given.
    fn newest_id(&self) -> u64 {
        let known = self.sets.iter().chain(&self.next).map(|set| set.id);
        known.max().unwrap_or(0)
    }

    /// RESET-1 to RESET-3: `Activated` and `Planned` in the same header are void.
    fn reset(&mut self, id: u64, logs: &mut Vec<Log>) {
        let mut members = self.registered.to_vec();
        members.sort_unstable();
        let set = SetRef { id, members };
        let ended = self.current.id;
        self.sets.extend(self.next.take());
        self.sets.push(set.clone());
        self.current = set.clone();
        (self.proven, self.ended) = (false, false);
        *logs = vec![Log::Reset { ended, set }];
    }
}
