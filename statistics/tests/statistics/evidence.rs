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
