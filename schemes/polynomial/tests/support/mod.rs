//! Keys and data sets for the tests. Each test program uses a part.
#![allow(dead_code)]

use duet_polynomial::research::{
    register::MemoryRegister, Dimension, GeneratedKey, KeyGeneration, Limits, PublicKey, Signature,
    Signer, SigningKey, Tag,
};
use num_bigint::BigInt;
use std::num::NonZeroUsize;

pub(crate) const ONE: NonZeroUsize = NonZeroUsize::MIN;

pub(crate) fn generated(n: usize, limits: Limits) -> GeneratedKey {
    KeyGeneration::default().run(&[42; 32], Dimension::new(n).unwrap(), limits)
}

pub(crate) fn limits() -> Limits {
    Limits::new(8, 3, 20).unwrap()
}

/// A signer whose register is in memory: two of them can sign two messages under one label.
pub(crate) fn signer(key: SigningKey) -> Signer<MemoryRegister> {
    let register = MemoryRegister::new(key.public().fingerprint());
    Signer::new(key, register).unwrap()
}

pub(crate) fn integers(values: &[i64]) -> Vec<BigInt> {
    values.iter().map(|v| BigInt::from(*v)).collect()
}

pub(crate) fn tag(name: &str) -> Tag {
    Tag::new(name).unwrap()
}

/// A key, and a data set signed with it under the tag "data".
pub(crate) struct Signed {
    pub(crate) signer: Signer<MemoryRegister>,
    pub(crate) key: PublicKey,
    pub(crate) tag: Tag,
    pub(crate) values: Vec<BigInt>,
    pub(crate) signatures: Vec<Signature>,
}

pub(crate) fn signed(n: usize, values: &[i64]) -> Signed {
    let mut signer = signer(generated(n, limits()).signing);
    let (tag, values) = (tag("data"), integers(values));
    let signatures = signer.sign_data_set(&tag, &values, ONE).unwrap();
    Signed {
        key: signer.public().clone(),
        signer,
        tag,
        values,
        signatures,
    }
}
