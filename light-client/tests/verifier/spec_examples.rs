//! The proofs in `docs/spec/examples.md`, verified: the genesis, the handoff, the proof after it, with keys and without.
//! (ENC-6, LIGHT-1, LIGHT-2, LIGHT-3, LIGHT-4, LIGHT-5, JUST-1 to JUST-5, STATELESS-1, STATELESS-2)

use codec::{Decode, Encode};
use duet_light_client::{decode, Mode, Outcome, StartProof, Trusted, Update};
use duet_primitives::{Pk1Bytes, StatelessProof, UncheckedJustification, H256};
use std::{fs, path::Path};

/// The bytes of an example: what follows its name up to the next name or the end of the block.
fn example(name: &str) -> Vec<u8> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/spec/examples.md");
    let text = fs::read_to_string(page).expect("the page is committed");
    let mut lines = text
        .lines()
        .skip_while(|line| line.split_once(" =").is_none_or(|(found, _)| found != name));
    let first = lines.next().expect("the example is there");
    let (_, first) = first.split_once(" =").expect("a name");
    let rest = lines.take_while(|line| line.starts_with("  "));
    let digits: Vec<u8> = std::iter::once(first)
        .chain(rest)
        .flat_map(|line| line.trim().bytes())
        .collect();
    digits
        .chunks(2)
        .map(|pair| {
            let pair = std::str::from_utf8(pair).expect("digits");
            u8::from_str_radix(pair, 16).expect("hex")
        })
        .collect()
}

fn begin(mode: Mode) -> Trusted {
    let genesis = H256::from_slice(&example("genesis hash"));
    let proof: StartProof = decode(&example("StartProof")).expect("it decodes");
    Trusted::from_genesis(genesis, &proof, mode).expect("it holds")
}

fn after(trusted: &Trusted, update: impl Into<Update>) -> Trusted {
    match trusted.verify(update).expect("it holds") {
        Outcome::New(verified) => verified.trusted,
        Outcome::Known => panic!("the block is new"),
    }
}

#[test]
fn the_examples_lead_from_the_genesis_to_the_second_set_with_keys() {
    let justification: UncheckedJustification =
        decode(&example("Justification")).expect("it decodes");
    let next = justification.commitment.next.clone();
    let trusted = after(&begin(Mode::Full), justification);
    let keys = Vec::<Pk1Bytes>::decode(&mut &example("keys of set 1")[..]).expect("keys");
    let trusted = trusted
        .with_keys(next.id, &keys)
        .expect("they are the keys of set 1");
    assert_eq!(trusted.latest_set(), &next);

    let later: StatelessProof = decode(&example("StatelessProof, all signed")).expect("decodes");
    let trusted = after(&trusted, later.justification);
    assert_eq!(trusted.signing(), &next);
}

#[test]
fn the_examples_lead_from_the_genesis_to_the_second_set_without_keys() {
    let mut trusted = begin(Mode::Stateless);
    for name in ["StatelessProof", "StatelessProof, all signed"] {
        let proof: StatelessProof = decode(&example(name)).expect("it decodes");
        trusted = after(&trusted, proof);
    }
    let commitment = example("KeysetCommitment of set 1");
    assert_eq!(trusted.signing().encode(), commitment);
}

#[test]
fn the_handoff_proof_is_the_justification_and_the_keys() {
    let expected = [example("Justification"), example("keys of set 1")].concat();
    assert_eq!(example("HandoffProof"), expected);
}
