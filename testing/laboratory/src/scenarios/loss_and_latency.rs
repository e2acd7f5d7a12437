//! Links become slow and lose packets, then very slow, then they are mended.

use crate::{
    scenario::{Scenario, Setting, Step},
    switch::Weather,
};
use std::time::Duration;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "loss_and_latency",
    what: "links of 100 to 150 ms that lose one packet in fifty, then of 300 to 400 ms that lose one in twenty; proofs go on",
    needs: None,
    setting: Setting::Plain,
    steps: &[
        Step::Prove(3),
        Step::Weather(Weather { latency: Duration::from_millis(100), jitter: Duration::from_millis(50), loss_permille: 20 }),
        Step::Prove(10),
        Step::Weather(Weather { latency: Duration::from_millis(300), jitter: Duration::from_millis(100), loss_permille: 50 }),
        Step::Prove(10),
        Step::Heal,
        Step::Recover(60),
    ],
};
