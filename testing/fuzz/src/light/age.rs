//! The time and the trusting period in a block's state, and its age.

use crate::target::{seed, Input, Seed, Target};
use duet_light_client::Dated;

pub(super) const AGE: Target = Target {
    // LIGHT-9.
    name: "light_age",
    run: age,
    seeds: age_seeds,
};

/// The first byte of a value that is absent; of one that is not, its length.
const ABSENT: u8 = 0xff;

/// LIGHT-9: a `u64` in SCALE.
fn number(value: Option<&Option<Vec<u8>>>) -> Option<u64> {
    let bytes = value?.as_ref()?.as_slice().try_into().ok()?;
    Some(u64::from_le_bytes(bytes))
}

/// LIGHT-9: the age against the shorter period.
fn age(data: &[u8]) {
    let mut input = Input(data);
    let now = u64::from_le_bytes(input.array());
    let given = (input.byte() % 2 == 1).then(|| u64::from_le_bytes(input.array()));
    let mut values = Vec::new();
    while !input.is_empty() && values.len() < 3 {
        let len = input.byte();
        values.push((len != ABSENT).then(|| input.take(len.into()).to_vec()));
    }
    let is_there = values.get(1).is_some_and(Option::is_some);
    let stated = number(values.get(1));
    let Some(dated) = Dated::read(&values) else {
        assert!(number(values.first()).is_none() || (is_there && stated.is_none()));
        return;
    };
    assert_eq!(Some(dated.time), number(values.first()));
    assert!(!is_there || stated.is_some());
    let stated = stated.filter(|period| *period > 0);
    assert_eq!(dated.trusting_period, stated);
    let passed = (i128::from(now) - i128::from(dated.time)).max(0);
    let age = passed / 1000;
    assert_eq!(i128::from(dated.age(now)), age);
    let is_over = |period: u64| passed > 1000 * i128::from(period);
    let too_old = stated.is_some_and(is_over) || given.is_some_and(is_over);
    let checked = dated.check(now, given);
    assert_eq!(checked.is_err(), too_old);
    if let Err(error) = checked {
        assert_eq!(i128::from(error.age), age);
        assert_eq!(
            Some(error.trusting_period),
            stated.into_iter().chain(given).min()
        );
    }
}

fn age_seeds() -> Vec<Seed> {
    let value = |number: u64| [&[8][..], &number.to_le_bytes()].concat();
    let (time, day) = (1_700_000_000_000, 86_400);
    let absent = || vec![ABSENT];
    let short = || [&[7][..], &[1; 7]].concat();
    let long = || [&[9][..], &[1; 9]].concat();
    let cases = [
        ("young", time + 6000, None, [value(time), value(day)]),
        ("old", time * 2, None, [value(time), value(day)]),
        ("given", time * 2, Some(day), [value(time), value(day * 2)]),
        ("no period", time * 2, None, [value(time), absent()]),
        ("period 0", time * 2, None, [value(time), value(0)]),
        ("a period of 9 bytes", time, None, [value(time), long()]),
        ("no time", time, Some(day), [absent(), value(day)]),
        ("a time of 7 bytes", time, None, [short(), value(day)]),
        ("a time of 9 bytes", time, None, [long(), value(day)]),
        ("behind", 0, Some(0), [value(time), value(day)]),
        (
            "greatest",
            u64::MAX,
            Some(u64::MAX),
            [value(0), value(u64::MAX)],
        ),
    ];
    let mut seeds = vec![seed("no values", [0; 9])];
    for (name, now, given, values) in cases {
        let given = given.map_or(vec![0], |given: u64| {
            [&[1][..], &given.to_le_bytes()].concat()
        });
        let bytes = [&now.to_le_bytes()[..], &given, &values.concat()].concat();
        seeds.push(seed(name, bytes));
    }
    seeds
}
