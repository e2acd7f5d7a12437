//! Every decoder of `duet-mklhs`: the first byte selects one.

use crate::encoding::{accepts, numbered};
use duet_mklhs::{
    evaluate_unchecked, Bounds, Combined, EquivocationProof, Label, Message, Program,
    ProofOfPossession, PublicKey, Record, Scalar, Signature, SigningKey,
};

pub(crate) fn decode(data: &[u8]) -> bool {
    let Some((choice, bytes)) = data.split_first() else {
        return false;
    };
    match choice % 10 {
        0 => accepts(bytes, Signature::from_bytes(bytes), |it| it.to_bytes()),
        1 => accepts(bytes, Combined::from_bytes(bytes), Combined::to_bytes),
        2 => accepts(bytes, PublicKey::from_bytes(bytes), |it| it.to_bytes()),
        3 => {
            let proof = ProofOfPossession::from_bytes(bytes);
            accepts(bytes, proof, |it| it.to_bytes())
        }
        4 => accepts(bytes, Label::from_bytes(bytes), |it| it.as_bytes().to_vec()),
        5 => {
            let proof = EquivocationProof::from_bytes(bytes);
            accepts(bytes, proof, EquivocationProof::to_bytes)
        }
        6 => <&[u8; 32]>::try_from(bytes).is_ok_and(|secret| {
            accepts(bytes, SigningKey::from_bytes(secret), |it| {
                it.expose().to_vec()
            })
        }),
        7 => number(bytes),
        8 => accepts(bytes, Program::from_bytes(bytes), Program::to_bytes),
        _ => accepts(bytes, Record::from_bytes(bytes), Record::to_bytes),
    }
}

/// Numbers may have leading zeros. The displayed form parses to the same number.
fn number(bytes: &[u8]) -> bool {
    let text = std::str::from_utf8(bytes).ok();
    let number: Option<Scalar> = text.and_then(|text| text.parse().ok());
    number.is_some_and(|number| {
        assert_eq!(number.to_string().parse(), Ok(number));
        assert_eq!(Scalar::from_bytes(&number.to_bytes()), Some(number));
        true
    })
}

pub(crate) fn valid() -> Vec<Vec<u8>> {
    let key = SigningKey::generate(&[1; 32]).expect("enough material");
    let label = |tag: &[u8]| Label::new(b"chain", key.id(), b"epoch-7", tag).expect("short");
    let labels = vec![label(b"load"), label(b"disk")];
    let sign = |label: &Label, number: i64| {
        let message = Message::new(Bounds::Integers, number).expect("small");
        key.sign_unregistered(label, message)
            .expect("its own label")
    };
    let [one, two, other] = [(0, 5), (0, 6), (1, -3)].map(|(at, number)| sign(&labels[at], number));
    let coefficients = vec![3.into(), Scalar::from(-7)];
    let program = Program::new(Bounds::Integers, coefficients, labels.clone()).expect("valid");
    let combined = evaluate_unchecked(&program, &[one, other]).expect("one for each input");
    let [load, _] = labels.try_into().expect("two");
    let proof = EquivocationProof::new(load.clone(), one, two);
    let label_bytes = load.as_bytes().to_vec();
    let record = Record {
        label: load,
        signature: one,
    };
    numbered([
        one.to_bytes().to_vec(),
        combined.to_bytes(),
        key.public().to_bytes().to_vec(),
        key.prove_possession().to_bytes().to_vec(),
        label_bytes,
        proof.to_bytes(),
        key.expose().to_vec(),
        b"-1234567890123456789012345678901234567890".to_vec(),
        program.to_bytes(),
        record.to_bytes(),
    ])
}
