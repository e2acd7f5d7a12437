//! A light client sleeps for longer than the trusting period. Meanwhile the old keys are sold, and sign another history for it.
//!
//! The clocks of the nodes begin in the past and light clients have the true time, so that nobody has to wait.

use crate::{
    group::Group,
    scenario::{Need, Reader, Scenario, Setting, Step},
};
use duet_runtime::constants::TRUSTING_PERIOD;

/// For how long light clients sleep, in seconds: beyond the period of the chain.
const SLEEP: i64 = TRUSTING_PERIOD.cast_signed() + 60;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "asleep",
    what: "a light client sleeps beyond the trusting period, and the validators change their keys; the old keys sign another history, which fools only a client that is told to ignore its age",
    needs: Some(Need::Faketime),
    setting: Setting::Clocks(-SLEEP),
    steps: &[
        Step::Prove(2),
        Step::SyncFromOld(Reader::Behind),
        Step::SyncFromOld(Reader::Deceived),
        Step::Copy(Group::All),
        Step::Prove(2),
        Step::RegisterKeys(Group::All),
        Step::NewSets(1),
        Step::Clock(Group::All, 0),
        Step::Recover(60),
        // The time of the newest block is right by then.
        Step::Prove(3),
        Step::SyncFromOld(Reader::Awake),
        Step::OldKeysSign,
        Step::StopsAsTooOld(Reader::Behind),
        Step::Fooled(Reader::Deceived),
        Step::StopsAtOldSet(Reader::Awake),
        Step::TruthReturns,
        Step::Publish(Reader::Awake),
        Step::SyncFromCheckpoint(Reader::Behind),
        Step::Recover(120),
    ],
};
