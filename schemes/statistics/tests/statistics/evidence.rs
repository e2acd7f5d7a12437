//! Validators that say two different things.

use crate::support::{key_of, Network};
use codec::{DecodeAll, Encode};
use duet_primitives::SignerIndex;
use duet_statistics::{
    Added, AnswerError, Conflict, Evidence, EvidenceError, Metric, Report, Reports, Weights,
};

/// What is found against member 1 when it also sends this.
fn found(network: &Network, second: Report) -> (Reports, Evidence) {
    let mut reports = Reports::new(network.period);
    reports.add(network.checked(network.report(1, 20)));
    assert_eq!(reports.add(network.checked(second)), Added::Conflict);
    let evidence = reports.evidence().next().cloned().unwrap();
    (reports, evidence)
}

fn two_values() -> (Network, Evidence) {
    let network = Network::new(4);
    let second = network.report(1, 21);
    let (_, evidence) = found(&network, second);
    (network, evidence)
}

#[test]
fn two_values_of_one_metric_are_evidence() {
    let (network, evidence) = two_values();
    let read = Evidence::decode_all(&mut &evidence.encode()[..]).unwrap();
    assert_eq!(read, evidence);
    assert_eq!(read.check(&network.context()), Ok(()));
    assert_eq!(read.member, SignerIndex::new(1));
    let Conflict::Values { metric, .. } = read.conflict else {
        panic!("{read:?}")
    };
    assert_eq!(metric, Metric::Peers);
}

#[test]
fn two_keys_for_one_period_are_evidence() {
    let network = Network::new(4);
    let second = network.report_with(1, &key_of(1, 2), 20);
    let (_, evidence) = found(&network, second);
    assert!(matches!(evidence.conflict, Conflict::Keys(_)));
    assert_eq!(evidence.check(&network.context()), Ok(()));
}

#[test]
fn nothing_that_it_said_counts_afterwards() {
    let network = Network::new(4);
    let (mut reports, _) = found(&network, network.report(1, 21));
    assert!(reports.is_empty());
    let third = network.report(1, 20);
    assert!(reports.knows(&third));
    assert_eq!(reports.add(network.checked(third)), Added::Nothing);
    let answer = reports.answer(&network.context(), Metric::Peers, &Weights::Equal);
    assert_eq!(answer.unwrap_err(), AnswerError::Nobody(Metric::Peers));
    assert_eq!(reports.evidence().count(), 1);
}

#[test]
fn the_same_report_again_or_a_part_of_it_is_no_evidence() {
    let network = Network::new(4);
    let mut reports = Reports::new(network.period);
    let report = network.report(1, 20);
    assert!(!reports.knows(&report));
    reports.add(network.checked(report.clone()));
    assert!(reports.knows(&report));
    assert_eq!(reports.add(network.checked(report.clone())), Added::Nothing);
    let mut part = report;
    part.figures.pop();
    assert_eq!(reports.add(network.checked(part)), Added::Nothing);
    assert_eq!((reports.len(), reports.evidence().count()), (1, 0));
}

/// Whoever passes a report on can leave figures out, and must not suppress them by that.
#[test]
fn a_part_of_a_report_does_not_keep_the_rest_out() {
    let network = Network::new(4);
    let mut reports = Reports::new(network.period);
    let whole = network.report(1, 20);
    for kept in [1, 0] {
        let mut part = whole.clone();
        part.figures = vec![whole.figures[kept]];
        assert!(!reports.knows(&part));
        assert_eq!(reports.add(network.checked(part.clone())), Added::New);
        assert!(reports.knows(&part));
    }
    assert!(reports.knows(&whole), "its parts are all of it");
    let checked = reports.iter().next().unwrap();
    assert_eq!(checked.report(), &whole);
    for metric in [Metric::Peers, Metric::Memory] {
        let answer = reports.answer(&network.context(), metric, &Weights::Equal);
        let answer = answer.unwrap();
        let verified = answer.verify(&network.context(), metric, &Weights::Equal);
        assert_eq!(verified.unwrap().values().len(), 1);
    }
}

/// A certificate can be signed anew as often as its owner wants. That alone is worth no check.
#[test]
fn another_certificate_of_the_same_key_says_nothing_new() {
    let network = Network::new(4);
    let mut reports = Reports::new(network.period);
    let report = network.report(1, 20);
    reports.add(network.checked(report.clone()));
    let mut other = report;
    other.certificate.ownership = network.certificate(2, &key_of(1, 1)).ownership;
    assert!(reports.knows(&other));
    other.certificate.key = key_of(1, 2).public().to_bytes();
    assert!(!reports.knows(&other));
}

#[test]
fn evidence_needs_two_different_things() {
    let (network, mut evidence) = two_values();
    if let Conflict::Values { signatures, .. } = &mut evidence.conflict {
        signatures[1] = signatures[0];
    }
    let error = evidence.check(&network.context()).unwrap_err();
    assert!(matches!(error, EvidenceError::Values(_)), "{error}");

    let certificate = network.certificate(1, &key_of(1, 1));
    evidence.conflict = Conflict::Keys([certificate.clone(), certificate]);
    let error = evidence.check(&network.context()).unwrap_err();
    assert_eq!(error, EvidenceError::SameKey);
}

#[test]
fn evidence_names_its_member_period_and_metric() {
    let (network, evidence) = two_values();
    let refused = |change: &dyn Fn(&mut Evidence)| {
        let mut changed = evidence.clone();
        change(&mut changed);
        changed.check(&network.context()).unwrap_err()
    };
    let error = refused(&|evidence| evidence.member = SignerIndex::new(2));
    assert!(matches!(error, EvidenceError::Certificate(_)), "{error}");
    let error = refused(&|evidence| evidence.member = SignerIndex::new(4));
    assert!(matches!(error, EvidenceError::UnknownMember { len: 4, .. }));
    let error = refused(&|evidence| evidence.period.session += 1);
    assert_eq!(error, EvidenceError::OtherPeriod);
    let error = refused(&|evidence| {
        if let Conflict::Values { metric, .. } = &mut evidence.conflict {
            *metric = Metric::Memory;
        }
    });
    assert!(matches!(error, EvidenceError::Values(_)), "{error}");
}

/// Keys that the server made up accuse nobody.
#[test]
fn nobody_is_accused_with_keys_that_it_did_not_certify() {
    let (network, mut evidence) = two_values();
    let certified = network.certificate(1, &key_of(1, 1));
    let made_up = network.certificate(2, &key_of(1, 2));
    evidence.conflict = Conflict::Keys([certified, made_up]);
    let error = evidence.check(&network.context()).unwrap_err();
    assert!(matches!(error, EvidenceError::Certificate(_)), "{error}");
}
