//! The checks of the fuzz target, on seeded random and mutated inputs.

mod support;

use duet_mklhs::{EquivocationProof, Record};
use rand_core::RngCore;
use support::{decoders, key, label, rng, sign, Scenario};

/// One valid encoding for each decoder, in order.
fn valid() -> Vec<Vec<u8>> {
    let scenario = Scenario::three_signers();
    let signer = key(1);
    let load = label(&signer, "load");
    let proof = EquivocationProof::new(
        load.clone(),
        sign(&signer, &load, 1),
        sign(&signer, &load, 2),
    );
    vec![
        scenario.signatures[0].to_bytes().to_vec(),
        scenario.combined().to_bytes(),
        signer.public().to_bytes().to_vec(),
        signer.prove_possession().to_bytes().to_vec(),
        load.as_bytes().to_vec(),
        proof.to_bytes(),
        signer.expose().to_vec(),
        b"-1234567890123456789012345678901234567890".to_vec(),
        scenario.program.to_bytes(),
        Record {
            label: load.clone(),
            signature: sign(&signer, &load, 1),
        }
        .to_bytes(),
    ]
}

fn with_choice(choice: usize, bytes: &[u8]) -> Vec<u8> {
    let mut data = vec![u8::try_from(choice).unwrap()];
    data.extend(bytes);
    data
}

#[test]
fn what_is_valid_decodes_and_encodes_to_itself() {
    let valid = valid();
    assert_eq!(valid.len(), usize::from(decoders::DECODERS));
    for (choice, bytes) in valid.iter().enumerate() {
        decoders::decode(&with_choice(choice, bytes));
    }
}

#[test]
fn random_bytes_decode_or_not_and_never_panic() {
    let mut rng = rng(11);
    for round in 0..4000_usize {
        let mut bytes = vec![0; (rng.next_u32() % 200) as usize];
        rng.fill_bytes(&mut bytes);
        let choice = round % usize::from(decoders::DECODERS);
        decoders::decode(&with_choice(choice, &bytes));
    }
    decoders::decode(&[]);
}

#[test]
fn mutated_encodings_decode_or_not_and_never_panic() {
    let mut rng = rng(12);
    let valid = valid();
    let below =
        |rng: &mut rand_chacha::ChaCha20Rng, end: usize| rng.next_u32() as usize % end.max(1);
    for round in 0..4000_usize {
        let choice = round % valid.len();
        let mut bytes = valid[choice].clone();
        for _ in 0..=below(&mut rng, 3) {
            let at = below(&mut rng, bytes.len());
            match below(&mut rng, 5) {
                0 => bytes.truncate(at),
                1 => bytes.push(rng.next_u32().to_le_bytes()[0]),
                2 => bytes.insert(at, 0xff),
                _ if bytes.is_empty() => {}
                3 => bytes[at] = rng.next_u32().to_le_bytes()[0],
                _ => bytes[at] ^= 1 << below(&mut rng, 8),
            }
        }
        decoders::decode(&with_choice(choice, &bytes));
    }
}
