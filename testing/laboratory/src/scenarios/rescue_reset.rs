//! All nodes are restored to a block before a handoff. Nobody signs the handoff again, so that the sets are reset.

use crate::{
    group::Group,
    scenario::{Kept, Reader, Scenario, Setting, Step},
};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "rescue_reset",
    what: "all nodes are restored to a block before a handoff, which nobody signs again; root pardons and resets; light clients stop and go on from the checkpoint",
    needs: None,
    setting: Setting::Plain,
    steps: &[
        Step::Prove(2),
        // So that the new key is registered before the copies, and its set is planned after them.
        Step::NewSession,
        Step::RegisterKeys(Group::First(1)),
        Step::Prove(3),
        Step::Sync(Reader::Behind),
        Step::Copy(Group::All),
        Step::NewSets(1),
        Step::Prove(6),
        Step::KeepEvidence,
        Step::Sync(Reader::Deceived),
        Step::Restore(Group::All, Kept::Keys),
        Step::Punishable(true),
        Step::Pardon,
        Step::Punishable(false),
        Step::Outgrow,
        Step::NothingProven(10),
        Step::Reset,
        Step::Recover(240),
        Step::StopsAtReset(Reader::Deceived),
        Step::StopsAtReset(Reader::Behind),
        Step::SyncFromCheckpoint(Reader::Behind),
        Step::Accuse,
        Step::Recover(120),
    ],
};
