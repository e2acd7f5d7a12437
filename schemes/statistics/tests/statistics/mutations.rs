//! Bytes of strangers: a valid encoding with a few bits changed is refused, and panics nowhere.

use crate::support::{rng, Network};
use codec::{DecodeAll, Encode};
use duet_statistics::{Answer, Evidence, Metric, Report, Reports, Weights};
use rand_chacha::rand_core::RngCore;

const TRIES: usize = 400;

/// Copies of an encoding: one in three has a bit flipped, one a byte replaced, one is cut, or longer.
fn mutations(valid: &[u8]) -> impl Iterator<Item = Vec<u8>> + '_ {
    let mut rng = rng();
    let mut below = move |limit: usize| rng.next_u32() as usize % limit;
    (0..TRIES).map(move |_| {
        let (mut bytes, at) = (valid.to_vec(), below(valid.len()));
        match below(4) {
            0 => bytes[at] ^= 1 << below(8),
            1 => bytes[at] = bytes[at].wrapping_add(1 + u8::try_from(below(255)).unwrap()),
            2 => bytes.truncate(at),
            _ => bytes.insert(at, u8::try_from(below(256)).unwrap()),
        }
        bytes
    })
}

#[test]
fn no_mutation_of_a_report_holds() {
    let network = Network::new(3);
    let valid = network.report(1, 20).encode();
    for bytes in mutations(&valid) {
        let Ok(report) = Report::decode_all(&mut &bytes[..]) else {
            continue;
        };
        let checked = report.check(&network.context(), &mut rng());
        assert!(checked.is_err(), "{bytes:02x?}");
    }
}

#[test]
fn no_mutation_of_an_answer_holds() {
    let network = Network::new(3);
    let mut reports = Reports::new(network.period);
    for member in [0, 2] {
        reports.add(network.checked(network.report(member, 20)));
    }
    let (context, metric) = (network.context(), Metric::Peers);
    let valid = reports.answer(&context, metric, &Weights::Equal).unwrap();
    for bytes in mutations(&valid.encode()) {
        let Ok(answer) = Answer::decode_all(&mut &bytes[..]) else {
            continue;
        };
        let verified = answer.verify(&context, metric, &Weights::Equal);
        assert!(verified.is_err(), "{bytes:02x?}");
    }
}

#[test]
fn no_mutation_of_evidence_holds() {
    let network = Network::new(3);
    let mut reports = Reports::new(network.period);
    for peers in [20, 21] {
        reports.add(network.checked(network.report(1, peers)));
    }
    let valid = reports.evidence().next().unwrap().encode();
    for bytes in mutations(&valid) {
        let Ok(evidence) = Evidence::decode_all(&mut &bytes[..]) else {
            continue;
        };
        assert!(evidence.check(&network.context()).is_err(), "{bytes:02x?}");
    }
}
