//! Every decoder of `duet-polynomial`: the first byte selects one.

use crate::encoding::{accepts, numbered};
use duet_mklhs::{LabelRegister, RegisterFiles, Signers, SigningKey};
use duet_polynomial::{
    research::{
        register::MemoryRegister, Dimension, KeyGeneration, Limits, Polynomial, PublicKey,
        SecretKey, Signature, Signer, Tag,
    },
    standard::{Metric, Proof, Record, Source, StandardStats, View},
    Stat, VerifiableStats,
};

pub(crate) fn decode(data: &[u8]) -> bool {
    let Some((choice, bytes)) = data.split_first() else {
        return false;
    };
    match choice % 7 {
        0 => accepts(bytes, PublicKey::from_bytes(bytes), PublicKey::to_bytes),
        1 => accepts(bytes, SecretKey::from_bytes(bytes), |it| {
            it.expose().to_vec()
        }),
        2 => [4, 8, 16, 32, 64, 128].into_iter().any(|n| {
            let dimension = Dimension::new(n).expect("a dimension");
            let signature = Signature::from_bytes(dimension, bytes);
            accepts(bytes, signature, Signature::to_bytes)
        }),
        3 => {
            let text = String::from_utf8_lossy(bytes);
            Polynomial::parse(8, &text).is_ok_and(|function| {
                assert_eq!(Polynomial::parse(8, &function.to_string()), Ok(function));
                true
            })
        }
        4 => accepts(bytes, Record::from_bytes(bytes), |it| it.to_bytes()),
        5 => proof(&Stat::Mean, bytes),
        _ => proof(&Stat::Variance, bytes),
    }
}

fn proof(stat: &Stat, bytes: &[u8]) -> bool {
    accepts(bytes, Proof::from_bytes(stat, bytes), Proof::to_bytes)
}

pub(crate) fn valid() -> Vec<Vec<u8>> {
    let limits = Limits::new(8, 3, 20).expect("positive");
    let dimension = Dimension::new(8).expect("a dimension");
    let generated = KeyGeneration::default().run(&[42; 32], dimension, limits);
    let public = generated.signing.public().clone();
    let register = MemoryRegister::new(public.fingerprint());
    let mut signer = Signer::new(generated.signing, register).expect("its own register");
    let tag = Tag::new("data").expect("short");
    let signature = signer.sign(&tag, 0, &3.into()).expect("a signature");
    let research = [
        public.to_bytes(),
        generated.secret.expose().to_vec(),
        signature.to_bytes(),
        b"3*x0^2*x1 - x2 + 12*x7".to_vec(),
    ];
    numbered(research.into_iter().chain(standard()))
}

/// A record, the proof of a mean, and the proof of a variance.
fn standard() -> [Vec<u8>; 3] {
    let folder = tempfile::tempdir().expect("a folder");
    let files = RegisterFiles {
        journal: folder.path().join("journal"),
        anchor: folder.path().join("anchor"),
    };
    let key = SigningKey::generate(&[1; 32]).expect("enough material");
    let mut signers = Signers::new();
    let id = signers.register(key.public().clone(), &key.prove_possession());
    let metric = Metric {
        context: b"test".to_vec(),
        name: b"load".to_vec(),
    };
    let view = View::of_one_source(signers, metric.clone(), b"7", id.expect("its proof"), 2);
    let mut source = Source {
        register: LabelRegister::create(&files, key.id()).expect("a register"),
        key,
        metric,
    };
    let records = StandardStats::sign(&mut source, b"7", &[3, -4]).expect("records");
    let proof = |stat| {
        let (_, proof) = StandardStats::prove(&view, &stat, &records).expect("a proof");
        proof.to_bytes()
    };
    let record = records[0].to_bytes().to_vec();
    [record, proof(Stat::Mean), proof(Stat::Variance)]
}
