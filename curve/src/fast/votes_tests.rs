//! Votes in batches against each vote alone, with every arithmetic, on good votes and on every kind of bad one.

use super::{
    multiples::mul_public,
    point::{Affine, ZERO},
    sums::sum,
    tables::Tables,
    votes::{commitments, commitments_all_with, Commitments, PassingTable, Vote},
};
use crate::{
    arithmetic::Arithmetic,
    blst::ffi::decompress_g1,
    digits::BaseZ,
    encoding::{PointError, G1_LEN},
    parameters::Z,
    small_order::{points_of_g1, scalars, to_blst},
    traits::{Encodings, Groups, Scalars},
    Blst,
};
use alloc::{vec, vec::Vec};

/// A scalar that depends on `number` in every bit.
fn scalar(number: u64) -> BaseZ {
    let mut wide = [0; 48];
    let mut word = number;
    for bytes in wide.chunks_exact_mut(8) {
        word = word
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .wrapping_add(0x1234_5678_9abc_def1)
            .rotate_left(23);
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    BaseZ::new(&Blst::scalar_to_bytes(&Blst::scalar_from_wide(&wide)))
}

fn times(scalar: &BaseZ, point: &Affine) -> Affine {
    mul_public(scalar, point, &Tables::default())
}

fn generator() -> Affine {
    Affine::from_blst(&Blst::g1_generator())
}

fn encoded(point: &Affine) -> [u8; G1_LEN] {
    Blst::g1_to_bytes(&point.to_blst())
}

/// What votes are made of.
struct Case {
    c: BaseZ,
    s: BaseZ,
    pk1: Affine,
    pk1_tables: Tables,
    sigma: [u8; G1_LEN],
}

/// Of a member with this number, with full scalars.
fn case(number: u64, pk1_tables: &Tables) -> Case {
    Case {
        c: scalar(3 * number),
        s: scalar(3 * number + 1),
        pk1: times(&scalar(7), &generator()),
        pk1_tables: pk1_tables.clone(),
        sigma: encoded(&times(&scalar(3 * number + 2), &generator())),
    }
}

/// A vote on this message.
fn vote<'a>(case: &'a Case, hm: Affine, hm_tables: &'a Tables) -> Vote<'a> {
    Vote {
        c: case.c,
        s: case.s,
        pk1: case.pk1,
        pk1_tables: &case.pk1_tables,
        hm,
        hm_tables,
        sigma: &case.sigma,
    }
}

/// As each arithmetic has it, and as each vote has it alone.
fn judge(cases: &[Case], hm: Affine, hm_tables: &Tables) -> Vec<Result<[Affine; 3], PointError>> {
    let votes: Vec<_> = cases.iter().map(|case| vote(case, hm, hm_tables)).collect();
    let alone: Vec<_> = votes
        .iter()
        .map(|vote| commitments(vote).map(|found| [found.sigma, found.a, found.b]))
        .collect();
    for arithmetic in Arithmetic::supported() {
        for len in [votes.len(), votes.len() - 1, 17, 16] {
            let found: Vec<_> = commitments_all_with(arithmetic, &votes[..len])
                .into_iter()
                .map(|found| found.map(|found| [found.sigma, found.a, found.b]))
                .collect();
            assert_eq!(found, alone[..len], "{arithmetic} {len}");
        }
    }
    alone
}

/// Tables that are there, and none.
fn both_tables() -> [Tables; 2] {
    let tables = Tables::for_key(1_000);
    let key = times(&scalar(7), &generator());
    let _ = (tables.get(&key), tables.get(&key));
    [tables, Tables::default()]
}

/// `H(m)` and its tables, of each shape that messages get, and without tables.
fn messages() -> Vec<(Affine, Tables)> {
    let hm = times(&scalar(0xabcd), &generator());
    let tables = [0, 16, 512, 2048].map(|votes| {
        let tables = Tables::for_message(votes);
        let _ = tables.get(&hm);
        tables
    });
    let with_none = tables.into_iter().chain([Tables::default()]);
    with_none.map(|tables| (hm, tables)).collect()
}

#[test]
fn votes_in_batches_have_the_commitments_that_each_has_alone() {
    for (hm, hm_tables) in messages() {
        for tables in both_tables() {
            let cases: Vec<_> = (0..41).map(|number| case(number, &tables)).collect();
            for (case, found) in cases.iter().zip(judge(&cases, hm, &hm_tables)) {
                let [sigma, a, b] = found.expect("σ is a multiple of the generator");
                let a_again = [times(&case.s, &generator()), times(&case.c, &case.pk1)];
                let b_again = [times(&case.s, &hm), times(&case.c, &sigma)];
                assert_eq!(a, Affine::from_blst(&sum(a_again.into_iter())));
                assert_eq!(b, Affine::from_blst(&sum(b_again.into_iter())));
            }
        }
    }
}

/// 16 votes are enough, and a message that keeps tables needs no other.
#[test]
fn a_message_without_tables_gets_one_while_many_votes_on_it_are_checked() {
    let [tables, none] = both_tables();
    let cases: Vec<_> = (0..16).map(|number| case(number, &tables)).collect();
    let hm = times(&scalar(0xabcd), &generator());
    let has_one = |count: usize, hm_tables: &Tables| {
        let vote = |case| vote(case, hm, hm_tables);
        PassingTable::of(&cases[..count].iter().map(vote).collect::<Vec<_>>()).is_some()
    };
    assert!(has_one(16, &none));
    assert!(!has_one(15, &none));
    assert!(!has_one(0, &none));
    assert!(!has_one(16, &Tables::for_message(16)));
}

/// Only the first message gets a table.
#[test]
fn votes_on_several_messages_without_tables_have_the_commitments_that_each_has_alone() {
    let [tables, none] = both_tables();
    let cases: Vec<_> = (0..41).map(|number| case(number, &tables)).collect();
    let messages = [1, 2].map(|number| times(&scalar(number), &generator()));
    let on_either = |(at, case)| vote(case, messages[usize::from(at % 3 == 2)], &none);
    let votes: Vec<_> = cases.iter().enumerate().map(on_either).collect();
    let points = |found: Result<Commitments, PointError>| found.map(|it| [it.sigma, it.a, it.b]);
    let alone: Vec<_> = votes.iter().map(|vote| points(commitments(vote))).collect();
    for arithmetic in Arithmetic::supported() {
        let together = commitments_all_with(arithmetic, &votes).into_iter();
        assert_eq!(together.map(points).collect::<Vec<_>>(), alone);
    }
}

#[test]
fn scalars_with_every_digit_have_the_commitments_that_each_has_alone() {
    let [tables, _] = both_tables();
    let (hm, hm_tables) = messages().swap_remove(1);
    let scalars: Vec<_> = scalars().into_iter().step_by(3).collect();
    let cases: Vec<_> = (0..)
        .zip(&scalars)
        .zip(scalars.iter().rev())
        .map(|((number, c), s)| Case {
            c: *c,
            s: *s,
            ..case(number, &tables)
        })
        .collect();
    judge(&cases, hm, &hm_tables);
}

#[test]
fn votes_whose_points_meet_do_not_disturb_the_others() {
    let number = |n: u64| BaseZ([n, 0, 0, 0]);
    // Sums of the same points, opposite points and zeros at every place: keys, messages and signatures are small multiples
    // of the generator, and so are the products.
    let [_, tables] = both_tables();
    let (hm, hm_tables) = (generator(), Tables::for_message(16));
    let _ = hm_tables.get(&hm);
    let mut cases = Vec::new();
    for c in 0..7 {
        for s in 0..7 {
            for sigma in [times(&number(1), &hm), times(&number(2), &hm), hm.neg()] {
                let small = Case {
                    c: number(c),
                    s: number(s),
                    pk1: sigma,
                    sigma: encoded(&sigma),
                    ..case(1, &tables)
                };
                cases.push(small);
                cases.push(case(c * 100 + s, &tables));
            }
        }
    }
    // Of which the powers of the second run meet what the first left in a bucket.
    for digits in [
        [Z - 1, 1, 0, 0],
        [Z - 1, Z - 1, Z - 1, Z - 1],
        [1, Z - 1, 1, 0],
    ] {
        cases.push(Case {
            c: BaseZ(digits),
            ..case(2, &tables)
        });
    }
    let found = judge(&cases, hm, &hm_tables);
    assert!(found.iter().all(Result::is_ok));
    assert!(found.iter().flatten().any(|[_, a, _]| *a == ZERO));
}

#[test]
fn votes_outside_of_the_subgroup_are_refused_and_do_not_disturb_the_others() {
    let (hm, hm_tables) = messages().swap_remove(1);
    for tables in both_tables() {
        let bad = points_of_g1()
            .into_iter()
            .skip(1)
            .map(|point| encoded(&Affine::from_blst(&to_blst(&point))));
        let not_on_curve = (1..)
            .map(|x| {
                let mut bytes = [0; G1_LEN];
                (bytes[0], bytes[47]) = (0x80, x);
                bytes
            })
            .find(|bytes| decompress_g1(bytes) == Err(PointError::NotOnCurve))
            .expect("every second number is the coordinate of no point");
        let malformed = [[0; G1_LEN], [0xff; G1_LEN], not_on_curve];
        let bad: Vec<_> = bad.chain(malformed).collect();
        let mut cases = Vec::new();
        let mut expected = Vec::new();
        // All of them next to each other, and among good ones.
        for with_good in [false, true] {
            for (number, sigma) in (0..).zip(&bad) {
                cases.push(Case {
                    sigma: *sigma,
                    ..case(number, &tables)
                });
                expected.push(false);
                if with_good {
                    cases.push(case(number, &tables));
                    expected.push(true);
                }
            }
        }
        let found = judge(&cases, hm, &hm_tables);
        let are_good: Vec<_> = found.iter().map(Result::is_ok).collect();
        assert_eq!(are_good, expected);
        let outside = found
            .iter()
            .filter(|found| **found == Err(PointError::NotInSubgroup));
        assert_eq!(outside.count(), 2 * (bad.len() - 3));
    }
}

#[test]
fn a_batch_of_nothing_but_points_of_order_three_is_refused() {
    let (hm, hm_tables) = messages().swap_remove(1);
    let [tables, _] = both_tables();
    let point = to_blst(&points_of_g1()[1]);
    let sigma = encoded(&Affine::from_blst(&point));
    let cases: Vec<_> = (0..70)
        .map(|number| Case {
            sigma,
            ..case(number, &tables)
        })
        .collect();
    let found = judge(&cases, hm, &hm_tables);
    assert_eq!(found, vec![Err(PointError::NotInSubgroup); 70]);
}
