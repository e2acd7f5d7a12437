//! Collects effects and puts them into the one order that survives a crash at any point.

use crate::Effect;

/// Pending effects: first conclusions, so that a proof is stored before the state refers to it; then the state, so that
/// a vote is on disk before it is sent (ROUND-4); then everything else.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    concluded: Vec<Effect>,
    persist: bool,
    others: Vec<Effect>,
}

impl Outbox {
    pub(super) fn push(&mut self, effect: Effect) {
        match effect {
            Effect::Conclude { .. } => self.concluded.push(effect),
            Effect::Persist => self.persist = true,
            _ => self.others.push(effect),
        }
    }

    pub(super) fn into_effects(self) -> Vec<Effect> {
        let Self {
            mut concluded,
            persist,
            others,
        } = self;
        if persist {
            concluded.push(Effect::Persist);
        }
        concluded.extend(others);
        concluded
    }
}
