//! The body of the fuzz target, on seeded random inputs and mutations of valid encodings.

#[path = "support/decode.rs"]
mod decode;
mod support;

use decode::every_decoder;
use duet_polynomial::{
    standard::{Metric, Source, StandardStats, View},
    Stat, VerifiableStats,
};
use rand::{seq::SliceRandom, Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use support::{generated, limits, signed};

/// One valid encoding for each decoder, preceded by the byte that selects it.
fn valid() -> Vec<Vec<u8>> {
    let signed = signed(8, &[3, 4]);
    let generated = generated(8, limits());
    let encodings = [
        signed.key.to_bytes(),
        generated.secret.expose().to_vec(),
        signed.signatures[0].to_bytes(),
        b"3*x0^2*x1 - x2 + 12*x7".to_vec(),
    ];
    let encodings = encodings.into_iter().chain(standard());
    (0..)
        .zip(encodings)
        .map(|(choice, bytes)| [vec![choice], bytes].concat())
        .collect()
}

/// A record, the proof of a mean, and the proof of a variance.
fn standard() -> [Vec<u8>; 3] {
    let folder = tempfile::tempdir().unwrap();
    let files = duet_mklhs::RegisterFiles {
        journal: folder.path().join("journal"),
        anchor: folder.path().join("anchor"),
    };
    let key = duet_mklhs::SigningKey::generate(&[1; 32]).unwrap();
    let mut signers = duet_mklhs::Signers::new();
    let source = signers.register(key.public().clone(), &key.prove_possession());
    let register = duet_mklhs::LabelRegister::create(&files, key.id()).unwrap();
    let metric = Metric {
        context: b"test".to_vec(),
        name: b"load".to_vec(),
    };
    let view = View::of_one_source(signers, metric.clone(), b"7", source.unwrap(), 2);
    let mut signer = Source {
        key,
        register,
        metric,
    };
    let records = StandardStats::sign(&mut signer, b"7", &[3, -4]).unwrap();
    let proof = |stat| {
        let (_, proof) = StandardStats::prove(&view, &stat, &records).unwrap();
        proof.to_bytes()
    };
    [
        records[0].to_bytes(),
        proof(Stat::Mean),
        proof(Stat::Variance),
    ]
}

fn mutated(bytes: &[u8], rng: &mut impl Rng) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for _ in 0..rng.gen_range(1..4) {
        let place = rng.gen_range(0..out.len());
        match rng.gen_range(0..5) {
            0 => out[place] ^= 1 << rng.gen_range(0..8),
            1 => out[place] = *[0, 1, 0x7f, 0x80, 0xff].choose(rng).unwrap(),
            2 => out.truncate(place.max(1)),
            3 => out.insert(place, rng.gen()),
            _ => out.extend_from_within(place..),
        }
    }
    out
}

#[test]
fn valid_encodings_are_accepted() {
    for input in valid() {
        assert!(every_decoder(&input), "decoder {}", input[0]);
    }
}

#[test]
fn no_decoder_panics_on_random_bytes() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..20_000 {
        let length = rng.gen_range(0..200);
        let input: Vec<u8> = (0..length).map(|_| rng.gen()).collect();
        every_decoder(&input);
    }
}

#[test]
fn no_decoder_panics_on_mutated_encodings() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for input in valid() {
        for _ in 0..5_000 {
            every_decoder(&mutated(&input, &mut rng));
        }
    }
}
