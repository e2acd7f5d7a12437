//! Mean, variance and deviation with both schemes.

use duet_mklhs::{LabelRegister, RegisterError, RegisterFiles, Signers, SigningKey};
use duet_polynomial::{
    standard::{Entry, Metric, Proof, Record, Source, StandardError, StandardStats, View},
    Assurance, Stat, Statistic, VerifiableStats, Verified,
};
use num_bigint::BigInt;
use tempfile::TempDir;

const VALUES: [i64; 5] = [71, -85, 90, 62, 0];

fn metric() -> Metric {
    Metric {
        context: b"test".to_vec(),
        name: b"load".to_vec(),
    }
}

fn source(folder: &TempDir, material: u8) -> Source {
    let key = SigningKey::generate(&[material; 32]).unwrap();
    let files = RegisterFiles {
        journal: folder.path().join(format!("{material}.journal")),
        anchor: folder.path().join(format!("{material}.anchor")),
    };
    Source {
        register: LabelRegister::create(&files, key.id()).unwrap(),
        key,
        metric: metric(),
    }
}

/// The view of so many values of this source alone.
fn view_of(source: &Source, count: u32) -> View {
    let mut signers = Signers::new();
    let pop = source.key.prove_possession();
    let id = signers.register(source.key.public().clone(), &pop).unwrap();
    View::of_one_source(signers, metric(), b"7", id, count)
}

/// Two sources that signed the values, and the view of all of them with weights 1 to 10.
fn two_sources(folder: &TempDir) -> (Vec<Record>, View) {
    let (mut signers, mut records, mut entries) = (Signers::new(), Vec::new(), Vec::new());
    let mut weight = 0;
    for material in [1, 2] {
        let mut source = source(folder, material);
        records.extend(StandardStats::sign(&mut source, b"7", &VALUES).unwrap());
        let pop = source.key.prove_possession();
        signers.register(source.key.public().clone(), &pop).unwrap();
        for index in 0..5 {
            weight += 1;
            entries.push(Entry {
                source: source.key.id(),
                index,
                weight,
            });
        }
    }
    let view = View {
        signers,
        metric: metric(),
        data_set: b"7".to_vec(),
        entries,
    };
    (records, view)
}

fn statistic(numerator: i64, denominator: i64) -> Statistic {
    Statistic::new(numerator.into(), denominator.into()).unwrap()
}

/// Σ w, Σ w x and Σ w x² of the values above.
fn sums() -> (i64, i64, i64) {
    let weighted = (1..=10).zip(VALUES.iter().cycle());
    weighted.fold((0, 0, 0), |(w, s, q), (weight, x)| {
        (w + weight, s + weight * x, q + weight * x * x)
    })
}

#[test]
fn weighted_mean_and_variance_of_two_sources_are_exact() {
    let folder = tempfile::tempdir().unwrap();
    let (records, view) = two_sources(&folder);
    let (weight, sum, squares) = sums();
    let expected = [
        (Stat::Mean, statistic(sum, weight), 48 + 2 * 32),
        (
            Stat::Variance,
            statistic(weight * squares - sum * sum, weight * weight),
            96 + 64 * 2,
        ),
    ];
    for (stat, expected, bytes) in expected {
        let (claim, proof) = StandardStats::prove(&view, &stat, &records).unwrap();
        assert_eq!(claim, expected);
        assert_eq!(proof.to_bytes().len(), bytes);
        let received = Proof::from_bytes(&stat, &proof.to_bytes()).unwrap();
        let verified = StandardStats::verify(&view, &stat, &claim, &received).unwrap();
        assert_eq!(verified.value(), &expected);
        assert_eq!(verified.assurance(), Assurance::Standard);
    }
}

/// `bytes` with each bit flipped, one at a time.
fn flips(bytes: &[u8]) -> impl Iterator<Item = (usize, Vec<u8>)> + '_ {
    (0..8 * bytes.len()).map(|bit| {
        let mut flipped = bytes.to_vec();
        flipped[bit / 8] ^= 1 << (bit % 8);
        (bit, flipped)
    })
}

#[test]
fn a_flipped_bit_of_a_record_or_a_proof_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut source = source(&folder, 1);
    let view = view_of(&source, 1);
    let stat = Stat::Variance;
    let records = StandardStats::sign(&mut source, b"7", &[71]).unwrap();
    for (bit, flipped) in flips(&records[0].to_bytes()) {
        let Ok(record) = Record::from_bytes(&flipped) else {
            continue;
        };
        let proved = StandardStats::prove(&view, &stat, &[record]);
        assert!(proved.is_err(), "bit {bit} of the record");
    }
    let (claim, proof) = StandardStats::prove(&view, &stat, &records).unwrap();
    for (bit, flipped) in flips(&proof.to_bytes()) {
        let Ok(proof) = Proof::from_bytes(&stat, &flipped) else {
            continue;
        };
        let verified = StandardStats::verify(&view, &stat, &claim, &proof);
        assert!(verified.is_err(), "bit {bit} of the proof");
    }
}

#[test]
fn a_linear_function_leaves_out_what_has_coefficient_zero() {
    let folder = tempfile::tempdir().unwrap();
    let (records, view) = two_sources(&folder);
    let stat = Stat::Linear(vec![1, 0, -2, 0, 0, 0, 0, 0, 0, 5]);
    let (claim, proof) = StandardStats::prove(&view, &stat, &records).unwrap();
    assert_eq!(claim, statistic(71 - 180, 1));
    assert!(StandardStats::verify(&view, &stat, &claim, &proof).is_ok());
}

#[test]
fn what_was_not_computed_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (records, view) = two_sources(&folder);
    let (claim, proof) = StandardStats::prove(&view, &Stat::Variance, &records).unwrap();
    let verify = |view: &View, stat: &Stat, claim: &Statistic, proof: &Proof| {
        StandardStats::verify(view, stat, claim, proof).unwrap_err()
    };
    let larger = Statistic::new(claim.numerator() + 1, claim.denominator().clone()).unwrap();
    let refused = verify(&view, &Stat::Variance, &larger, &proof);
    assert!(matches!(refused, StandardError::ValueMismatch));
    let refused = verify(&view, &Stat::Mean, &claim, &proof);
    assert!(matches!(refused, StandardError::WrongProof));
    let mut other = view.clone();
    other.data_set = b"8".to_vec();
    let refused = verify(&other, &Stat::Variance, &claim, &proof);
    assert!(matches!(refused, StandardError::Verify(_)));
    let mut other = view.clone();
    other.entries[3].weight += 1;
    let refused = verify(&other, &Stat::Variance, &claim, &proof);
    assert!(matches!(refused, StandardError::Verify(_)));
    let mut swapped = proof.clone();
    swapped.squares = Some(proof.sum.clone());
    let refused = verify(&view, &Stat::Variance, &claim, &swapped);
    assert!(matches!(refused, StandardError::Verify(_)));
    let mut weightless = view.clone();
    weightless.entries[2].weight = 0;
    let refused = verify(&weightless, &Stat::Mean, &claim, &proof);
    assert!(matches!(refused, StandardError::ZeroWeight { position: 2 }));
}

#[test]
fn an_invalid_record_is_reported_when_proving() {
    let folder = tempfile::tempdir().unwrap();
    let (mut records, view) = two_sources(&folder);
    records.swap(1, 2);
    let refused = StandardStats::prove(&view, &Stat::Mean, &records).unwrap_err();
    assert!(matches!(refused, StandardError::Combine(_)));
    let refused = StandardStats::prove(&view, &Stat::Mean, &records[1..]).unwrap_err();
    assert!(matches!(
        refused,
        StandardError::CountMismatch {
            expected: 10,
            got: 9
        }
    ));
    let refused = StandardStats::prove(&view, &Stat::Linear(vec![1]), &records).unwrap_err();
    assert!(matches!(
        refused,
        StandardError::CountMismatch {
            expected: 10,
            got: 1
        }
    ));
}

#[test]
fn a_source_signs_one_value_for_each_label_and_none_that_is_too_large() {
    let folder = tempfile::tempdir().unwrap();
    let mut source = source(&folder, 3);
    let first = StandardStats::sign(&mut source, b"7", &[5]).unwrap();
    assert_eq!(StandardStats::sign(&mut source, b"7", &[5]).unwrap(), first);
    let refused = StandardStats::sign(&mut source, b"7", &[6]).unwrap_err();
    assert!(matches!(
        refused,
        StandardError::Register(RegisterError::LabelAlreadyUsed { .. })
    ));
    let largest = i64::from(u32::MAX);
    assert!(StandardStats::sign(&mut source, b"8", &[largest, -largest]).is_ok());
    let refused = StandardStats::sign(&mut source, b"9", &[largest + 1]).unwrap_err();
    assert!(matches!(refused, StandardError::ValueOutOfRange { .. }));
    let read = Record::from_bytes(&first[0].to_bytes()).unwrap();
    assert_eq!(read, first[0]);
    assert!(Record::from_bytes(&first[0].to_bytes()[1..]).is_err());
}

#[test]
fn a_sum_of_squares_that_no_values_have_names_its_source() {
    let folder = tempfile::tempdir().unwrap();
    let liar = source(&folder, 4);
    // x = 10, and "x squared" = 99.
    let label = |power: u8| {
        let tag = format!("load/{power}/0");
        duet_mklhs::Label::new(b"test", liar.key.id(), b"7", tag.as_bytes()).unwrap()
    };
    let sign = |power, number: u64| {
        liar.register
            .sign(&liar.key, &label(power), number.into())
            .unwrap()
    };
    let record = Record {
        value: sign(1, 10),
        square: sign(2, 99),
    };
    let view = view_of(&liar, 1);
    let refused = StandardStats::prove(&view, &Stat::Variance, &[record]).unwrap_err();
    assert!(
        matches!(refused, StandardError::NoSuchValues { source_id } if source_id == liar.key.id())
    );
}

#[test]
fn the_largest_values_and_weights_do_not_overflow() {
    let folder = tempfile::tempdir().unwrap();
    let mut source = source(&folder, 5);
    let largest = i64::from(u32::MAX);
    let records = StandardStats::sign(&mut source, b"7", &[largest, -largest]).unwrap();
    let mut view = view_of(&source, 2);
    view.entries
        .iter_mut()
        .for_each(|entry| entry.weight = u64::MAX);
    let (claim, proof) = StandardStats::prove(&view, &Stat::Variance, &records).unwrap();
    assert!(StandardStats::verify(&view, &Stat::Variance, &claim, &proof).is_ok());
    let weight = BigInt::from(u64::MAX) * 2;
    assert_eq!(claim.numerator(), &(&weight * &weight * largest * largest));
}

/// The steps that both schemes share.
fn round_trip<S: VerifiableStats>(
    signer: &mut S::Signer,
    view: &S::View,
    data_set: &[u8],
) -> Vec<Verified<Statistic, S::Level>> {
    let records = S::sign(signer, data_set, &VALUES).unwrap();
    [
        Stat::Mean,
        Stat::Variance,
        Stat::Linear(vec![3, 0, 0, 0, -1]),
    ]
    .iter()
    .map(|stat| {
        let (claim, proof) = S::prove(view, stat, &records).unwrap();
        S::verify(view, stat, &claim, &proof).unwrap()
    })
    .collect()
}

fn standard() -> Vec<Statistic> {
    let folder = tempfile::tempdir().unwrap();
    let mut source = source(&folder, 6);
    let view = view_of(&source, 5);
    let verified = round_trip::<StandardStats>(&mut source, &view, b"7");
    verified.into_iter().map(Verified::into_value).collect()
}

#[test]
fn mean_variance_and_deviation_are_what_they_should_be() {
    let results = standard();
    assert_eq!(results[0], statistic(138, 5));
    assert_eq!(results[0].to_f64(), 27.6);
    // 5 · (71² + 85² + 90² + 62²) - 138²
    assert_eq!(results[1], statistic(102_006, 25));
    assert_eq!(results[1].square_root(), Some((102_006f64 / 25.0).sqrt()));
    assert_eq!(results[2], statistic(213, 1));
}

#[cfg(feature = "research-polyhom")]
mod experimental {
    use super::*;
    use duet_polynomial::research::{
        register::MemoryRegister,
        statistics::{ExperimentalStats, StatisticsError, View},
        Dimension, EvaluateError, FunctionError, KeyGeneration, Limits, Signer, Tag, VerifyError,
    };

    type Stats = ExperimentalStats<MemoryRegister>;

    fn signer() -> (Signer<MemoryRegister>, View) {
        signer_of(16)
    }

    fn signer_of(n: usize) -> (Signer<MemoryRegister>, View) {
        let limits = Limits::for_statistics(5).unwrap();
        let generated = KeyGeneration::default().run(&[1; 32], Dimension::new(n).unwrap(), limits);
        let key = generated.signing.public().clone();
        let register = MemoryRegister::new(key.fingerprint());
        let view = View {
            key,
            tag: Tag::new("7").unwrap(),
            count: 5,
            range: 100,
        };
        (Signer::new(generated.signing, register).unwrap(), view)
    }

    #[test]
    fn both_schemes_give_the_same_statistics_and_say_what_they_are_worth() {
        let (mut signer, view) = signer();
        let verified = round_trip::<Stats>(&mut signer, &view, b"7");
        assert!(verified
            .iter()
            .all(|v| v.assurance() == Assurance::Experimental));
        let results: Vec<_> = verified.into_iter().map(Verified::into_value).collect();
        assert_eq!(results, standard());
    }

    /// The prover evaluates as if the values were small, and gets a signature on a sum that wrapped around.
    #[test]
    fn a_prover_who_lies_about_the_range_does_not_pass_a_wrapped_result() {
        let (mut signer, mut view) = signer_of(4);
        let half = view.key.message_modulus() >> 1u8;
        let half = i64::try_from(half).unwrap();
        view.range = half.unsigned_abs();
        let records = Stats::sign(&mut signer, b"7", &[half; 5]).unwrap();
        let refused = Stats::prove(&view, &Stat::Mean, &records);
        assert!(matches!(refused, Err(StatisticsError::Evaluate(_))));
        let mut lying = view.clone();
        lying.range = 1;
        let (claim, proof) = Stats::prove(&lying, &Stat::Mean, &records).unwrap();
        assert_ne!(claim, statistic(5 * half, 5));
        assert!(Stats::verify(&lying, &Stat::Mean, &claim, &proof).is_ok());
        let refused = Stats::verify(&view, &Stat::Mean, &claim, &proof).unwrap_err();
        let range = view.range;
        let expected = EvaluateError::ResultOutOfRange { range };
        assert!(matches!(refused, StatisticsError::Evaluate(error) if error == expected));
    }

    #[test]
    fn another_claim_and_another_count_are_refused() {
        let (mut signer, view) = signer();
        let records = Stats::sign(&mut signer, b"7", &VALUES).unwrap();
        let (claim, proof) = Stats::prove(&view, &Stat::Mean, &records).unwrap();
        let larger = Statistic::new(claim.numerator() + 1, claim.denominator().clone()).unwrap();
        let refused = Stats::verify(&view, &Stat::Mean, &larger, &proof).unwrap_err();
        assert!(matches!(
            refused,
            StatisticsError::Verify(VerifyError::ValueMismatch)
        ));
        let halved = Statistic::new(claim.numerator().clone(), 10.into()).unwrap();
        let refused = Stats::verify(&view, &Stat::Mean, &halved, &proof).unwrap_err();
        assert!(matches!(refused, StatisticsError::WrongDenominator));
        let mut four = view.clone();
        four.count = 4;
        let refused = Stats::prove(&four, &Stat::Mean, &records).unwrap_err();
        let expected = EvaluateError::InputCount {
            expected: 4,
            got: 5,
        };
        assert!(matches!(refused, StatisticsError::Evaluate(error) if error == expected));
        let refused = Stats::prove(&four, &Stat::Linear(vec![1; 5]), &records).unwrap_err();
        assert!(matches!(
            refused,
            StatisticsError::CountMismatch {
                expected: 4,
                got: 5
            }
        ));
        four.count = 1;
        let refused = Stats::prove(&four, &Stat::Variance, &records).unwrap_err();
        let empty = FunctionError::EmptyFunction;
        assert!(matches!(refused, StatisticsError::Function(error) if error == empty));
    }
}
