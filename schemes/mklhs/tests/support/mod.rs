//! Keys, programs and signatures from fixed seeds.
#![allow(dead_code, reason = "each test program uses its part")]

pub(crate) mod judge;

use duet_mklhs::{
    Bounds, Combined, Label, Message, Program, Scalar, Signature, Signers, SigningKey, Verified,
    VerifyError,
};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

pub(crate) fn rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

/// Key number `at` of a fixed list.
pub(crate) fn key(at: u8) -> SigningKey {
    SigningKey::generate(&[at; 32]).unwrap()
}

pub(crate) fn label(key: &SigningKey, tag: &str) -> Label {
    Label::new(b"test-chain", key.id(), b"epoch-7", tag.as_bytes()).unwrap()
}

pub(crate) fn sign(key: &SigningKey, label: &Label, message: impl Into<Scalar>) -> Signature {
    let message = Message::new(Bounds::Residues, message).unwrap();
    key.sign_unregistered(label, message).unwrap()
}

pub(crate) fn registered<'a>(keys: impl IntoIterator<Item = &'a SigningKey>) -> Signers {
    let mut signers = Signers::new();
    for key in keys {
        let pop = key.prove_possession();
        signers.register(key.public().clone(), &pop).unwrap();
    }
    signers
}

/// A program with its keys, messages and signatures.
pub(crate) struct Scenario {
    pub(crate) keys: Vec<SigningKey>,
    pub(crate) signers: Signers,
    pub(crate) program: Program,
    pub(crate) messages: Vec<Scalar>,
    pub(crate) signatures: Vec<Signature>,
}

impl Scenario {
    /// One input for each `(key, coefficient, message)`. Tags are numbered.
    pub(crate) fn new(bounds: Bounds, inputs: &[(u8, Scalar, Scalar)]) -> Self {
        let mut numbers: Vec<_> = inputs.iter().map(|(at, ..)| *at).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let keys: Vec<_> = numbers.iter().map(|at| key(*at)).collect();
        let mut labels = Vec::new();
        let mut signatures = Vec::new();
        for (index, (at, _, message)) in inputs.iter().enumerate() {
            let key = &keys[numbers.binary_search(at).unwrap()];
            let label = label(key, &format!("load/{index}"));
            signatures.push(sign(key, &label, *message));
            labels.push(label);
        }
        let coefficients = inputs.iter().map(|(_, f, _)| *f).collect();
        Self {
            signers: registered(&keys),
            program: Program::new(bounds, coefficients, labels).unwrap(),
            messages: inputs.iter().map(|(.., message)| *message).collect(),
            keys,
            signatures,
        }
    }

    /// Three signers that alternate, with two labels each.
    pub(crate) fn three_signers() -> Self {
        let inputs = [
            (1, 3, 5),
            (2, -7, 11),
            (3, 1, -13),
            (1, 2, 8),
            (2, 4, 9),
            (3, 5, 1),
        ];
        let of = |(at, f, m): (u8, i64, i64)| (at, f.into(), m.into());
        Self::new(Bounds::Integers, &inputs.map(of))
    }

    pub(crate) fn combined(&self) -> Combined {
        duet_mklhs::evaluate(&self.program, &self.signatures, &self.signers, &mut rng(1)).unwrap()
    }

    pub(crate) fn verify(
        &self,
        total: Scalar,
        combined: &Combined,
    ) -> Result<Verified, VerifyError> {
        duet_mklhs::verify(&self.program, &self.signers, total, combined)
    }

    /// `Σ fᵢ·mᵢ`, computed from the messages.
    pub(crate) fn total(&self) -> Scalar {
        let coefficients = self.program.coefficients().iter();
        coefficients.zip(&self.messages).map(|(f, m)| *f * *m).sum()
    }
}
