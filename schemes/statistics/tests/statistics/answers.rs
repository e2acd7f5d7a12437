//! What a server adds up.

use crate::support::{key_of, Network};
use codec::{DecodeAll, Encode};
use duet_primitives::{BlockNumber, SignerIndex};
use duet_statistics::{
    Added, Answer, AnswerError, CertificateError, Metric, Period, Reports, Weights, WeightsError,
};

/// Members 0, 1 and 3 of four report 20, 21 and 23 peers.
fn reported(network: &Network) -> Reports {
    let mut reports = Reports::new(network.period);
    for (member, peers) in [(0, 20), (1, 21), (3, 23)] {
        let checked = network.checked(network.report(member, peers));
        assert_eq!(reports.add(checked), Added::New);
    }
    reports
}

fn answer(network: &Network, weights: &Weights) -> Answer {
    let reports = reported(network);
    let answer = reports.answer(&network.context(), Metric::Peers, weights);
    answer.unwrap()
}

/// A valid answer, with one thing changed, is refused for one reason.
fn refused(change: impl FnOnce(&Network, &mut Answer)) -> AnswerError {
    let network = Network::new(4);
    let mut answer = answer(&network, &Weights::Equal);
    change(&network, &mut answer);
    answer
        .verify(&network.context(), Metric::Peers, &Weights::Equal)
        .unwrap_err()
}

#[test]
fn a_sum_and_a_mean_are_verified_and_the_absent_are_named() {
    let network = Network::new(4);
    let answer = answer(&network, &Weights::Equal);
    let read = Answer::decode_all(&mut &answer.encode()[..]).unwrap();
    assert_eq!(read, answer);
    let context = read.context(network.genesis, network.set()).unwrap();
    let statistic = read
        .verify(&context, Metric::Peers, &Weights::Equal)
        .unwrap();
    assert_eq!((statistic.total(), statistic.weight()), (64, 3));
    assert_eq!(statistic.mean().to_string(), "21.333");
    assert_eq!(statistic.absent(), [SignerIndex::new(2)]);
    let values = statistic.values().iter();
    let values: Vec<_> = values
        .map(|value| (value.member.get(), value.value))
        .collect();
    assert_eq!(values, [(0, 20), (1, 21), (3, 23)]);
    assert_eq!(statistic.period(), network.period);
    assert_eq!(statistic.metric(), Metric::Peers);
}

#[test]
fn the_encoding_has_the_length_that_is_promised() {
    let answer = answer(&Network::new(4), &Weights::Equal);
    // The period, the metric, and two lengths of lists.
    let rest = 16 + 1 + 1 + 2;
    assert_eq!(answer.encoded_size(), 3 * 260 + 48 + 3 * 32 + rest);
}

#[test]
fn a_weighted_mean_leaves_out_whose_weight_is_zero() {
    let network = Network::new(4);
    let weights = Weights::Each(vec![3, 0, 5, 1]);
    let answer = answer(&network, &weights);
    let verified = answer.verify(&network.context(), Metric::Peers, &weights);
    let statistic = verified.unwrap();
    assert_eq!(
        (statistic.total(), statistic.weight()),
        (3 * 20 + 23, 3 + 1)
    );
    assert_eq!(statistic.mean().to_string(), "20.750");
    // Member 1 does not count. Member 2 does, and is not there.
    assert_eq!(statistic.absent(), [SignerIndex::new(2)]);
}

#[test]
fn the_largest_weights_and_figures_are_exact() {
    let network = Network::new(2);
    let mut reports = Reports::new(network.period);
    for member in 0..2 {
        let mut report = network.report(member, 0);
        let key = key_of(member, 1);
        report.figures = vec![network.figure(member, &key, Metric::Peers, u64::MAX)];
        reports.add(network.checked(report));
    }
    let most = i64::MAX.unsigned_abs();
    let weights = Weights::Each(vec![most - 1, 1]);
    let (context, metric) = (network.context(), Metric::Peers);
    let answer = reports.answer(&context, metric, &weights).unwrap();
    let statistic = answer.verify(&context, metric, &weights).unwrap();
    assert_eq!(statistic.total(), u128::from(most) * u128::from(u64::MAX));

    let weights = Weights::Each(vec![most, 1]);
    let error = reports.answer(&context, metric, &weights).unwrap_err();
    assert_eq!(error, WeightsError::Sum.into());
    assert_eq!(
        answer.verify(&context, metric, &weights).unwrap_err(),
        WeightsError::Sum.into()
    );
}

#[test]
fn weights_are_one_for_each_member_and_not_all_zero() {
    let network = Network::new(4);
    let (reports, context) = (reported(&network), network.context());
    let refuse = |weights| {
        let weights = Weights::Each(weights);
        let error = reports.answer(&context, Metric::Peers, &weights);
        error.unwrap_err()
    };
    let (expected, got) = (4, 3);
    assert_eq!(
        refuse(vec![1; 3]),
        WeightsError::Count { expected, got }.into()
    );
    assert_eq!(refuse(vec![0; 4]), WeightsError::Zero.into());
    assert_eq!(refuse(vec![0, 0, 1, 0]), AnswerError::Nobody(Metric::Peers));
}

#[test]
fn a_metric_that_nobody_reported_has_no_answer() {
    let network = Network::new(4);
    let asked = reported(&network).answer(&network.context(), Metric::Processor, &Weights::Equal);
    assert_eq!(asked.unwrap_err(), AnswerError::Nobody(Metric::Processor));
}

#[test]
fn an_answer_is_made_for_the_period_of_the_reports() {
    let network = Network::new(4);
    let reports = reported(&network);
    let later = Network {
        period: Period {
            session: 13,
            ..network.period
        },
        ..Network::new(4)
    };
    let made = reports.answer(&later.context(), Metric::Peers, &Weights::Equal);
    assert_eq!(made.unwrap_err(), AnswerError::OtherPeriod);
}

#[test]
fn no_member_is_dropped_unnoticed() {
    let error = refused(|_, answer| {
        answer.contributions.remove(1);
        // The partial sum of the second member goes, too.
        answer.combined.drain(48 + 32..48 + 64);
    });
    assert!(matches!(error, AnswerError::Verify(_)), "{error}");
}

#[test]
fn no_member_is_invented() {
    let error = refused(|network, answer| {
        let mut invented = answer.contributions[1].clone();
        invented.member = SignerIndex::new(2);
        invented.certificate = network.certificate(2, &key_of(2, 1));
        answer.contributions.insert(2, invented);
        let figure = network.figure(2, &key_of(2, 2), Metric::Peers, 5);
        answer
            .combined
            .splice(112..112, figure.signature[48..].to_vec());
    });
    assert!(matches!(error, AnswerError::Verify(_)), "{error}");
}

/// The server makes up a key for the absent member, which its Duet key did not certify.
#[test]
fn a_key_is_certified_by_the_members_duet_key() {
    let error = refused(|network, answer| {
        answer.contributions[1].certificate = network.certificate(2, &key_of(1, 1));
    });
    let member = SignerIndex::new(1);
    assert!(matches!(
        error,
        AnswerError::Certificate { member: of, error: CertificateError::Ownership(_) } if of == member
    ));
}

#[test]
fn no_figure_is_changed() {
    let error = refused(|_, answer| *answer.combined.last_mut().unwrap() ^= 1);
    assert!(matches!(error, AnswerError::Verify(_)), "{error}");
    // From one member to another, so that the total stays.
    let error = refused(|_, answer| {
        answer.combined[48 + 31] += 1;
        answer.combined[48 + 63] -= 1;
    });
    assert!(matches!(error, AnswerError::Verify(_)), "{error}");
}

#[test]
fn members_are_in_order_each_once_and_in_the_set() {
    let member = |index| SignerIndex::new(index);
    let error = refused(|_, answer| answer.contributions.swap(0, 1));
    assert_eq!(error, AnswerError::Member { member: member(0) });
    let error = refused(|_, answer| {
        let again = answer.contributions[1].clone();
        answer.contributions.insert(1, again);
    });
    assert_eq!(error, AnswerError::Member { member: member(1) });
    let error = refused(|_, answer| answer.contributions[2].member = member(4));
    assert_eq!(error, AnswerError::Member { member: member(4) });
}

#[test]
fn an_answer_is_about_the_metric_and_the_period_that_were_asked_for() {
    let error = refused(|_, answer| answer.metric = Metric::Memory);
    let (expected, got) = (Metric::Peers, Metric::Memory);
    assert_eq!(error, AnswerError::OtherMetric { expected, got });
    let error = refused(|_, answer| answer.period.block = BlockNumber::new(601));
    assert_eq!(error, AnswerError::OtherPeriod);
}

/// An answer with other weights than those that were asked for holds for those only.
#[test]
fn weights_are_those_of_who_asks() {
    let network = Network::new(4);
    let answer = answer(&network, &Weights::Each(vec![2, 1, 1, 1]));
    let verified = answer.verify(&network.context(), Metric::Peers, &Weights::Equal);
    let error = verified.unwrap_err();
    assert!(matches!(error, AnswerError::Verify(_)), "{error}");
}

/// A validator that makes its own partial sum up with its secret does not shift a weighted mean by fractions.
#[test]
fn what_was_signed_is_the_weight_times_a_number() {
    let network = Network::new(1);
    let weights = Weights::Each(vec![2]);
    let context = network.context();
    let key = key_of(0, 1);
    // An honest server signs 2·m. This is a signature on 5/2.
    let two = duet_mklhs::Scalar::from(2_u64);
    let half = inverse_of_two();
    assert_eq!(half * two, duet_mklhs::Scalar::from(1_u64));
    let number = half * duet_mklhs::Scalar::from(5_u64);
    let number = duet_mklhs::Message::new(duet_mklhs::Bounds::Residues, number).unwrap();
    let figure = network.figure_of(0, &key, Metric::Peers, number);
    let mut reports = Reports::new(network.period);
    reports.add(network.checked(network.report(0, 7)));
    let mut answer = reports.answer(&context, Metric::Peers, &weights).unwrap();
    let signature = duet_mklhs::Signature::from_bytes(&figure.signature).unwrap();
    let pk1 = network.set().key(SignerIndex::new(0)).unwrap().to_bytes();
    let label = context.label(&pk1, key.id(), Metric::Peers).unwrap();
    let program = duet_mklhs::Program::new(duet_mklhs::Bounds::Integers, vec![two], vec![label]);
    let combined = duet_mklhs::evaluate_unchecked(&program.unwrap(), &[signature]);
    answer.combined = combined.unwrap().to_bytes();
    let error = answer
        .verify(&context, Metric::Peers, &weights)
        .unwrap_err();
    let member = SignerIndex::new(0);
    assert_eq!(error, AnswerError::Value { member });
}

/// `(q + 1) / 2`, with `q` the order of the group.
fn inverse_of_two() -> duet_mklhs::Scalar {
    const HALF: [u8; 32] = [
        0x39, 0xf6, 0xd3, 0xa9, 0x94, 0xce, 0xbe, 0xa4, 0x19, 0x9c, 0xec, 0x04, 0x04, 0xd0, 0xec,
        0x02, 0xa9, 0xde, 0xd2, 0x01, 0x7f, 0xff, 0x2d, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x80, 0x00,
        0x00, 0x01,
    ];
    duet_mklhs::Scalar::from_bytes(&HALF).unwrap()
}
