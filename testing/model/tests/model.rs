//! The small bounds hold, and each broken rule is found.

use duet_model::campaign::{breaks, check, check_recovery, RECOVERIES, SMALL};

#[test]
fn every_property_holds_within_the_small_bounds() {
    for bounds in SMALL {
        let checked = check(bounds, None, true);
        assert_eq!(checked.broken, [], "{}", checked.name);
        assert_eq!(checked.missed, [""; 0], "{}", checked.name);
    }
}

#[test]
fn no_client_before_a_reset_is_led_astray() {
    for of in RECOVERIES {
        let checked = check_recovery(of, None);
        assert_eq!(checked.broken, [], "{}", checked.name);
        assert_eq!(checked.missed, [""; 0], "{}", checked.name);
    }
}

/// The trace is printed, and the same steps break nothing when the rule is kept.
#[test]
fn each_broken_rule_breaks_a_property() {
    for broken in breaks() {
        let checked = broken.check();
        let found = checked
            .broken
            .iter()
            .find(|(property, _)| *property == broken.fails);
        let (_, steps) = found.unwrap_or_else(|| panic!("{} is not found", broken.what));
        println!("{}\n  {}", broken.what, steps.join("\n  "));
        assert!(broken.holds_when_kept(steps), "{}", broken.what);
    }
}
