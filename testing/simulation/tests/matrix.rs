//! What holds of a matrix: it is the same every time, and it compares like with like.

use duet_simulation::{CostTable, Matrix, MatrixError, Model, ModelError, Report, Row, Scheme};
use std::{
    num::{NonZeroU32, NonZeroUsize},
    process::Command,
};

/// Kept costs, which nobody measured.
fn costs() -> CostTable {
    serde_json::from_str(include_str!("data/costs.json")).expect("costs")
}

fn matrix() -> Matrix {
    Matrix {
        model: Model::default(),
        validators: vec![40, 200],
        garbage: vec![0, 33],
        seeds: vec![1, 2, 3],
        exact_up_to: 1000,
        batches: NonZeroU32::new(50).expect("above zero"),
    }
}

fn play(matrix: &Matrix, threads: usize) -> Report {
    let threads = NonZeroUsize::new(threads).expect("above zero");
    matrix
        .run(&costs(), threads, &mut |_, _| {})
        .expect("costs are there")
}

fn row(report: &Report, scheme: Scheme, validators: u32, garbage: u32) -> &Row {
    let mut rows = report.rows.iter();
    rows.find(|row| (row.scheme, row.validators, row.garbage) == (scheme, validators, garbage))
        .expect("it was asked for")
}

#[test]
fn the_same_seeds_and_costs_give_the_same_bytes_on_any_number_of_threads() {
    let json = |report: Report| (report.to_json().expect("numbers"), report.tables());
    let (one, three) = (json(play(&matrix(), 1)), json(play(&matrix(), 3)));
    assert_eq!(one, three);
    let other = Matrix {
        seeds: vec![4],
        ..matrix()
    };
    assert_ne!(one, json(play(&other, 1)));
}

#[test]
fn the_command_gives_the_same_bytes_twice() {
    let run = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_duet-simulate"));
        let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/costs.json");
        command.args(["--validators", "40", "--garbage", "0,10", "--costs", kept]);
        let output = command.output().expect("it starts");
        assert!(output.status.success());
        output.stdout
    };
    let first = run();
    assert!(String::from_utf8_lossy(&first).contains("### Time to the first proof"));
    assert_eq!(first, run());
}

#[test]
fn votes_with_proofs_take_less_of_a_processor_than_votes_with_pairings() {
    let report = play(&matrix(), 2);
    for validators in [40, 200] {
        for garbage in [0, 33] {
            let of = |scheme| row(&report, scheme, validators, garbage);
            let (ours, rival) = (of(Scheme::Dleq), of(Scheme::Pairings));
            assert!(ours.cpu.median * 2 < rival.cpu.median);
            assert!(ours.cpu.most * 2 < rival.cpu.most);
            assert!(ours.first_proof.map(|it| it.median) < rival.first_proof.map(|it| it.median));
            assert!(ours.sent.median > rival.sent.median, "its votes are longer");
        }
    }
}

#[test]
fn garbage_costs_processor_time_and_delays_the_first_proof() {
    let report = play(&matrix(), 2);
    for scheme in Scheme::ALL {
        let (without, with) = (row(&report, scheme, 200, 0), row(&report, scheme, 200, 33));
        assert_eq!((without.bad_votes.most, without.garbage_links), (0, 0));
        assert!(with.bad_votes.median > 100 && with.cpu.most > without.cpu.most);
        assert!(with.first_proof.map(|it| it.median) > without.first_proof.map(|it| it.median));
    }
}

#[test]
fn votes_that_travel_together_change_little() {
    let together = Matrix {
        exact_up_to: 100,
        ..matrix()
    };
    let (exact, rough) = (play(&matrix(), 2), play(&together, 2));
    for scheme in Scheme::ALL {
        let (exact, rough) = (row(&exact, scheme, 200, 0), row(&rough, scheme, 200, 0));
        assert_eq!((exact.votes_per_batch, rough.votes_per_batch), (1, 4));
        let is_near =
            |exact: u64, rough: u64, percent| exact.abs_diff(rough) * 100 < exact * percent;
        // What travels together is checked together, which takes less where batches gain.
        assert!(
            is_near(exact.cpu.median, rough.cpu.median, 30),
            "{scheme:?}"
        );
        assert!(is_near(exact.sent.median, rough.sent.median, 15));
        let median = |row: &Row| row.first_proof.expect("a proof").median;
        assert!(is_near(median(exact), median(rough), 15), "{scheme:?}");
    }
}

#[test]
fn what_cannot_be_played_is_an_error() {
    let play = |matrix: Matrix| matrix.run(&costs(), NonZeroUsize::MIN, &mut |_, _| {});
    let empty = Matrix {
        seeds: Vec::new(),
        ..matrix()
    };
    assert_eq!(play(empty), Err(MatrixError::Empty));
    let unknown = Matrix {
        validators: vec![41],
        ..matrix()
    };
    assert_eq!(play(unknown), Err(MatrixError::NoCosts { validators: 41 }));
    let too_much = Matrix {
        garbage: vec![200],
        ..matrix()
    };
    let error = ModelError::Garbage { got: 200 };
    assert_eq!(play(too_much), Err(MatrixError::Model(error)));
}
