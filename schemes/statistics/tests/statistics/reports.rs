//! What one validator says.

use crate::support::{key_of, rng, Network};
use codec::{Decode, DecodeAll, Encode};
use duet_mklhs::{Bounds, Message};
use duet_primitives::{BlockNumber, SetId, SignerIndex, H256};
use duet_statistics::{CertificateError, Context, Metric, Period, Report, ReportError};

/// A valid report of member 1, with one thing changed, is refused for one reason.
fn refused(change: impl FnOnce(&Network, &mut Report)) -> ReportError {
    let network = Network::new(4);
    let mut report = network.report(1, 20);
    change(&network, &mut report);
    report.check(&network.context(), &mut rng()).unwrap_err()
}

#[test]
fn a_report_is_read_back_and_checked() {
    let network = Network::new(4);
    let report = network.report(1, 20);
    let read = Report::decode_all(&mut &report.encode()[..]).unwrap();
    assert_eq!(read, report);
    let checked = network.checked(read);
    assert_eq!(checked.member(), SignerIndex::new(1));
    assert_eq!(checked.value(Metric::Peers), Some(20));
    assert_eq!(checked.value(Metric::Memory), Some(200));
    assert_eq!(checked.value(Metric::Processor), None);
}

#[test]
fn the_longest_report_has_the_length_that_is_promised() {
    let network = Network::new(1);
    let key = key_of(0, 1);
    let mut report = network.report(0, 1);
    let figure = |metric| network.figure(0, &key, metric, u64::MAX);
    report.figures = Metric::ALL.map(figure).to_vec();
    assert_eq!(report.encoded_size(), Report::MAX_LEN);
    let checked = network.checked(report.clone());
    assert_eq!(checked.value(Metric::ImportTime), Some(u64::MAX));

    report.figures.push(report.figures[0]);
    let error = Report::decode(&mut &report.encode()[..]).unwrap_err();
    assert!(error.to_string().contains("more figures"), "{error}");
}

#[test]
fn another_period_is_refused_and_blames_nobody() {
    let error = refused(|_, report| report.period.session += 1);
    assert_eq!(error, ReportError::OtherPeriod);
    assert!(!error.is_senders_fault());
}

#[test]
fn a_member_outside_of_the_set_is_refused() {
    let error = refused(|_, report| report.member = SignerIndex::new(4));
    let (member, len) = (SignerIndex::new(4), 4);
    assert_eq!(error, ReportError::UnknownMember { member, len });
    assert!(error.is_senders_fault());
}

#[test]
fn figures_have_an_order_and_there_is_one_at_least() {
    assert_eq!(
        refused(|_, report| report.figures.reverse()),
        ReportError::Order
    );
    assert_eq!(
        refused(|_, report| report.figures.clear()),
        ReportError::Order
    );
    assert_eq!(
        refused(|_, report| report.figures[1] = report.figures[0]),
        ReportError::Order
    );
}

#[test]
fn a_certificate_of_another_members_duet_key_is_refused() {
    let error = refused(|network, report| {
        report.certificate = network.certificate(2, &key_of(1, 1));
    });
    let certificate = ReportError::Certificate(CertificateError::Ownership(
        duet_primitives::SignatureError::ProofFails,
    ));
    assert_eq!(error, certificate);
}

#[test]
fn a_certificate_of_another_period_chain_or_key_is_refused() {
    let network = Network::new(4);
    let others = [
        Period {
            session: 13,
            ..network.period
        },
        Period {
            block: BlockNumber::new(601),
            ..network.period
        },
    ];
    for period in others {
        let error = refused(|network, report| {
            let other = Network {
                test: network.test.clone(),
                period,
                ..*network
            };
            report.certificate = other.certificate(1, &key_of(1, 1));
        });
        assert!(matches!(
            error,
            ReportError::Certificate(CertificateError::Ownership(_))
        ));
    }
    let error = refused(|network, report| {
        let other = Network {
            test: network.test.clone(),
            genesis: H256::repeat_byte(8),
            ..*network
        };
        report.certificate = other.certificate(1, &key_of(1, 1));
    });
    assert!(matches!(
        error,
        ReportError::Certificate(CertificateError::Ownership(_))
    ));
    let error = refused(|_, report| report.certificate.key = key_of(1, 2).public().to_bytes());
    assert!(matches!(
        error,
        ReportError::Certificate(CertificateError::Ownership(_))
    ));
}

/// Without it a member could register the difference of two keys.
#[test]
fn the_key_of_a_certificate_has_a_proof_of_possession() {
    let error = refused(|_, report| {
        report.certificate.possession = key_of(1, 2).prove_possession().to_bytes();
    });
    let expected = CertificateError::Key(duet_mklhs::AdmissionError::BadPop);
    assert_eq!(error, ReportError::Certificate(expected));
}

/// Member 2 certifies the key of member 1, whose figures everybody has, as its own.
#[test]
fn nobody_claims_another_members_figures() {
    let error = refused(|network, report| {
        report.member = SignerIndex::new(2);
        report.certificate = network.certificate(2, &key_of(1, 1));
    });
    assert!(matches!(error, ReportError::Signatures(_)), "{error}");
}

/// A figure of an earlier period, in a report that is new otherwise.
#[test]
fn a_figure_of_another_period_is_refused() {
    let error = refused(|network, report| {
        let period = Period {
            session: 11,
            block: BlockNumber::new(550),
            ..network.period
        };
        let earlier = Network {
            test: network.test.clone(),
            period,
            ..*network
        };
        report.figures[0] = earlier.figure(1, &key_of(1, 1), Metric::Peers, 20);
    });
    assert!(matches!(error, ReportError::Signatures(_)), "{error}");
}

#[test]
fn a_figure_of_another_metric_or_number_is_refused() {
    let error = refused(|_, report| report.figures[1].signature = report.figures[0].signature);
    assert!(matches!(error, ReportError::Signatures(_)), "{error}");
    let error = refused(|_, report| {
        // The last byte of the number.
        *report.figures[0].signature.last_mut().unwrap() ^= 1;
    });
    assert!(matches!(error, ReportError::Signatures(_)), "{error}");
    assert!(error.is_senders_fault());
}

#[test]
fn a_figure_is_a_number_of_64_bits_that_is_not_negative() {
    let largest = u128::from(u64::MAX);
    let numbers: [(_, duet_mklhs::Scalar); 2] =
        [(-1_i128, (-1_i64).into()), (1 << 64, (largest + 1).into())];
    for (name, number) in numbers {
        let error = refused(|network, report| {
            let number = Message::new(Bounds::Residues, number).unwrap();
            report.figures[0] = network.figure_of(1, &key_of(1, 1), Metric::Peers, number);
        });
        let metric = Metric::Peers;
        assert_eq!(error, ReportError::Range { metric }, "{name}");
    }
}

#[test]
fn a_signature_that_is_no_point_names_its_figure() {
    let error = refused(|_, report| report.figures[1].signature[0] = 0);
    let metric = Metric::Memory;
    assert!(matches!(error, ReportError::Figure { metric: of, .. } if of == metric));
}

#[test]
fn a_context_is_of_one_set() {
    let network = Network::new(1);
    let other = Period {
        set: SetId::new(4),
        ..network.period
    };
    let error = Context::new(network.genesis, other, network.set()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the figures are those of set 4, not of set 3"
    );
}
