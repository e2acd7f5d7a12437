//! More than a third of the keys are lost for good. Root resets the sets, and a light client crosses by the recovery keys, as
//! docs/operators/recovery.md says.

use crate::{
    group::Group,
    scenario::{Reader, Scenario, Setting, Step},
};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "lost_keys",
    what: "one validator more than may be missing loses its Duet key; root resets the sets, and recovery keys sign; a light client crosses by their proof after the delay, without a checkpoint",
    needs: None,
    setting: Setting::Plain,
    steps: &[
        Step::Prove(2),
        Step::RegisterRecoveryKeys,
        Step::Sync(Reader::Behind),
        Step::LoseKeys(Group::TooMany),
        Step::NothingProven(10),
        Step::RegisterKeys(Group::TooMany),
        // The new keys' set is planned and waits: nobody hands off to it.
        Step::Sessions(2),
        Step::NothingProven(10),
        Step::Reset,
        Step::Recover(120),
        Step::StopsAtReset(Reader::Behind),
        Step::CrossesByProof(Reader::Behind),
        Step::Recover(60),
    ],
};
