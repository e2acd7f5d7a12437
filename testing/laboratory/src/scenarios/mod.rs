//! The scenarios, a file for each.

mod asleep;
mod backlog;
mod clock_behind;
mod clock_jump;
mod copied;
mod day_without_finality;
mod full_disk;
mod grandpa_stall;
mod idle_clients;
mod imported;
mod keyless;
mod kill_storm;
mod loss_and_latency;
mod lost_keys;
mod partition_and_kills;
mod partition_even;
mod partition_minority;
mod partition_one_way;
mod pruned;
mod rescue;
mod rescue_reset;
mod restored;
mod slow_disk;
mod upgrade;

use crate::{scenario::Scenario, Error, Result};

/// All of them, in the order in which they are played.
pub const ALL: [&Scenario; 24] = [
    &partition_and_kills::SCENARIO,
    &partition_even::SCENARIO,
    &partition_minority::SCENARIO,
    &partition_one_way::SCENARIO,
    &loss_and_latency::SCENARIO,
    &clock_jump::SCENARIO,
    &clock_behind::SCENARIO,
    &full_disk::SCENARIO,
    &slow_disk::SCENARIO,
    &idle_clients::SCENARIO,
    &kill_storm::SCENARIO,
    &grandpa_stall::SCENARIO,
    &day_without_finality::SCENARIO,
    &backlog::SCENARIO,
    &keyless::SCENARIO,
    &pruned::SCENARIO,
    &restored::SCENARIO,
    &copied::SCENARIO,
    &imported::SCENARIO,
    &rescue::SCENARIO,
    &rescue_reset::SCENARIO,
    &asleep::SCENARIO,
    &lost_keys::SCENARIO,
    &upgrade::SCENARIO,
];

/// Those that every change must pass.
pub const SHORT: [&Scenario; 2] = [&partition_and_kills::SCENARIO, &partition_one_way::SCENARIO];

/// The one with this name.
///
/// # Errors
/// [`Error::NoScenario`] with the names that there are.
pub fn named(name: &str) -> Result<&'static Scenario> {
    let found = ALL.into_iter().find(|scenario| scenario.name == name);
    found.ok_or_else(|| Error::NoScenario {
        name: name.to_owned(),
        known: ALL.map(|scenario| scenario.name).join(", "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Step;

    #[test]
    fn every_scenario_is_found_by_its_name_and_others_are_not() {
        for scenario in ALL {
            assert_eq!(named(scenario.name).unwrap().steps, scenario.steps);
        }
        let error = named("no_such").expect_err("there is none");
        assert!(error.to_string().contains(ALL[0].name), "{error}");
    }

    #[test]
    fn every_scenario_ends_with_a_bound_on_the_time_until_proofs_resume() {
        for scenario in ALL {
            let last = scenario.steps.last();
            assert!(matches!(last, Some(Step::Recover(_))), "{}", scenario.name);
        }
    }
}
