//! Signing: at most one message for each label.

use super::{
    bound,
    error::SignError,
    identifier::Tag,
    key::{PublicKey, SigningKey},
    register::{LabelRegister, LabelUse, RegisterError},
    ring,
    sampler::to_float,
    signature::Signature,
    stream::Stream,
};
use num_bigint::{BigInt, BigUint};
use std::{num::NonZeroUsize, thread};

/// A signing key and its label register.
///
/// Two signatures on different messages under one label differ by a short vector, which shifts any signature of the key
/// to any value. So the label is recorded on disk before anything is computed. All randomness of a signature is a hash
/// of the request and a secret seed, so the same request gives the same signature: two different signatures on the same
/// message would leak a short vector of the lattice.
#[derive(Debug)]
pub struct Signer<R> {
    key: SigningKey,
    register: R,
}

impl<R: LabelRegister> Signer<R> {
    /// # Errors
    /// [`RegisterError::OtherKey`] if the register belongs to another key.
    pub fn new(key: SigningKey, register: R) -> Result<Self, RegisterError> {
        if register.key() != key.public().fingerprint() {
            return Err(RegisterError::OtherKey);
        }
        Ok(Self { key, register })
    }

    /// The public key.
    pub fn public(&self) -> &PublicKey {
        self.key.public()
    }

    /// Signs one value of a data set.
    ///
    /// Cost: one durable write, n products of numbers of the length of p q, and n samples.
    ///
    /// # Errors
    /// [`SignError::NotAdmissible`], [`MessageOutOfRange`](SignError::MessageOutOfRange), or
    /// [`Register`](SignError::Register) if the label was used already or the use could not be recorded.
    pub fn sign(
        &mut self,
        tag: &Tag,
        index: u32,
        message: &BigInt,
    ) -> Result<Signature, SignError> {
        self.check(index.into(), message)?;
        self.register
            .record(&[LabelUse::new(tag, index, message)])?;
        Ok(self.key.sign(tag, index, message))
    }

    /// Signs a data set, value i under index i, with `workers` threads, after one durable write.
    ///
    /// # Errors
    /// As [`sign`](Self::sign). In case of an error no value was signed or recorded.
    pub fn sign_data_set(
        &mut self,
        tag: &Tag,
        messages: &[BigInt],
        workers: NonZeroUsize,
    ) -> Result<Vec<Signature>, SignError> {
        let mut labelled = Vec::with_capacity(messages.len());
        for (index, message) in messages.iter().enumerate() {
            let index = self.check(index as u64, message)?;
            labelled.push((index, message));
        }
        let uses: Vec<_> = labelled
            .iter()
            .map(|(index, message)| LabelUse::new(tag, *index, message))
            .collect();
        self.register.record(&uses)?;
        Ok(self.key.sign_all(tag, &labelled, workers))
    }

    fn check(&self, index: u64, message: &BigInt) -> Result<u32, SignError> {
        let limit = self.public().limits().variables();
        let admissible = u32::try_from(index).ok().filter(|index| *index < limit);
        let index = admissible.ok_or(SignError::NotAdmissible { index, limit })?;
        if !self.public().is_message(message) {
            let message = message.clone();
            return Err(SignError::MessageOutOfRange { message });
        }
        Ok(index)
    }
}

impl SigningKey {
    /// The signature of a label and message that are recorded.
    pub(crate) fn sign(&self, tag: &Tag, index: u32, message: &BigInt) -> Signature {
        let public = self.public();
        let coset = self.coset(tag, index, message);
        let mut stream = Stream::new(&[
            b"BF-V01-SIGN",
            &*self.seed,
            public.fingerprint().as_bytes(),
            &tag.length(),
            tag.as_bytes(),
            &index.to_be_bytes(),
            &ring::reduce(message, public.message_modulus()).to_bytes_be(),
        ]);
        let width = to_float(i64::try_from(public.dimension().width()).unwrap_or(i64::MAX));
        let limit = bound::fresh_squared(public.dimension());
        let near = self.basis.reduce(&coset);
        loop {
            let sample = self.basis.sample(&near, width, &mut stream);
            // The probability is 1 in 20,000 at n = 4. It was never observed from n = 16 on.
            if norm_squared(&sample) > limit {
                continue;
            }
            let coefficients = sample.iter().copied().map(BigInt::from).collect();
            if let Ok(signature) = Signature::from_coefficients(public.dimension(), coefficients) {
                return signature;
            }
        }
    }

    /// [`sign`](Self::sign) for several values, with `workers` threads.
    fn sign_all(
        &self,
        tag: &Tag,
        labelled: &[(u32, &BigInt)],
        workers: NonZeroUsize,
    ) -> Vec<Signature> {
        let sign = |part: &[(u32, &BigInt)]| -> Vec<_> {
            let signatures = part
                .iter()
                .map(|(index, message)| self.sign(tag, *index, message));
            signatures.collect()
        };
        let share = labelled.len().div_ceil(workers.get()).max(1);
        let Some((first, rest)) = labelled.split_at_checked(share) else {
            return sign(labelled);
        };
        thread::scope(|scope| {
            let others: Vec<_> = rest
                .chunks(share)
                .map(|part| scope.spawn(move || sign(part)))
                .collect();
            let mut all = sign(first);
            for other in others {
                match other.join() {
                    Ok(signatures) => all.extend(signatures),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            all
        })
    }
}

/// The square of the Euclidean norm. The at most 128 coefficients are below 2^53, so the sum fits.
fn norm_squared(sample: &[i64]) -> BigUint {
    let squares = sample.iter().map(|c| u128::from(c.unsigned_abs()).pow(2));
    squares.sum::<u128>().into()
}
