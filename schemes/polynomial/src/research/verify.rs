//! Combining signatures and verifying the result.

use super::{
    bound::NormBound,
    error::{EvaluateError, VerifyError},
    function::Polynomial,
    identifier::Tag,
    key::PublicKey,
    ring,
    signature::Signature,
};
use crate::assurance::{Experimental, Verified};
use num_bigint::{BigInt, BigUint};

/// A result and its signature. The result has not been verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evaluated {
    /// The result, which follows from the signature.
    pub value: BigInt,
    /// Its signature.
    pub signature: Signature,
}

impl PublicKey {
    /// Applies a function to signatures. The i-th is that of the value with index i.
    ///
    /// `range` is the largest magnitude of a message in this data set, as known to the application. The result is
    /// exact: functions that could leave the message space are refused. The signatures are not checked; with an invalid
    /// one the result does not verify.
    ///
    /// Cost: n word additions per signature for a linear function; n^2 word products for a quadratic one.
    ///
    /// # Errors
    /// See [`EvaluateError`].
    pub fn evaluate<S: AsRef<Signature>>(
        &self,
        function: &Polynomial,
        signatures: &[S],
        range: u64,
    ) -> Result<Evaluated, EvaluateError> {
        function.check(&self.limits())?;
        let wrong = |signature: &S| signature.as_ref().dimension() != self.dimension();
        if let Some(index) = signatures.iter().position(wrong) {
            return Err(EvaluateError::WrongDimension { index });
        }
        if !self.is_exact(function, range) {
            return Err(EvaluateError::ResultOutOfRange { range });
        }
        let inputs: Vec<_> = signatures.iter().map(|s| s.as_ref().element()).collect();
        let result = function.evaluate_ring(self.dimension().get(), &inputs);
        let coefficients = result.ok_or(EvaluateError::InputCount {
            expected: function.variables(),
            got: signatures.len(),
        })?;
        let signature = Signature::from_coefficients(self.dimension(), coefficients)
            .map_err(|_| EvaluateError::TooLong)?;
        Ok(Evaluated {
            value: self.value_of(&signature),
            signature,
        })
    }

    /// Whether `function` stays within the message space for all values of magnitude up to `range`, so that the result
    /// mod p is the exact result.
    pub fn is_exact(&self, function: &Polynomial, range: u64) -> bool {
        function.bound(range) <= (self.message_modulus() >> 1u8)
    }

    /// The only value for which a signature can be valid.
    pub fn value_of(&self, signature: &Signature) -> BigInt {
        let residue = ring::evaluate_at(
            signature.coefficients(),
            &self.messages.root,
            self.message_modulus(),
        );
        ring::centre(residue, self.message_modulus())
    }

    /// Checks that `value` is `function` of the values signed under `tag`, **mod p**, and that the norm of the
    /// signature is within the tight bound.
    ///
    /// It also holds over the integers if [`is_exact`](Self::is_exact) is true for the range of this data set, which
    /// the verifier must know. Do not rely on the evaluator to check this.
    ///
    /// Rules, in this order: the key admits the function; the value is in the message space; the norm is within the
    /// bound; the signature matches the value on the first ideal, and the function of the identifiers on the second.
    ///
    /// Cost: n products mod p and mod q, and one hash for each variable.
    ///
    /// # Errors
    /// The first broken rule.
    ///
    /// # Security
    /// None: any holder of this key can make valid signatures. Even so, `function`, `tag` and `value` must be the
    /// verifier's own, because the statement is about exactly these. A zero signature is valid for the value 0 if the
    /// function of the identifiers happens to be 0 mod q.
    pub fn verify(
        &self,
        tag: &Tag,
        function: &Polynomial,
        value: &BigInt,
        signature: &Signature,
    ) -> Result<Verified<BigInt, Experimental>, VerifyError> {
        self.verify_within(NormBound::Tight, tag, function, value, signature)
    }

    /// [`verify`](Self::verify) with another norm bound.
    ///
    /// # Errors
    /// As [`verify`](Self::verify).
    pub fn verify_within(
        &self,
        bound: NormBound,
        tag: &Tag,
        function: &Polynomial,
        value: &BigInt,
        signature: &Signature,
    ) -> Result<Verified<BigInt, Experimental>, VerifyError> {
        function.check(&self.limits())?;
        if signature.dimension() != self.dimension() {
            return Err(VerifyError::WrongDimension {
                expected: self.dimension().get(),
                got: signature.dimension().get(),
            });
        }
        if !self.is_message(value) {
            return Err(VerifyError::ResultOutOfRange);
        }
        if signature.norm_squared() > bound.squared(self, function) {
            return Err(VerifyError::NormExceeded);
        }
        if &self.value_of(signature) != value {
            return Err(VerifyError::ValueMismatch);
        }
        let ideal = &self.identifiers;
        let on_identifiers =
            ring::evaluate_at(signature.coefficients(), &ideal.root, &ideal.modulus);
        if self.function_of_identifiers(tag, function) != Some(on_identifiers) {
            return Err(VerifyError::FunctionMismatch);
        }
        Ok(Verified::new(value.clone()))
    }

    /// The identifier of the value with this tag and index, reduced mod q.
    pub fn identifier(&self, tag: &Tag, index: u32) -> BigUint {
        self.fingerprint()
            .identifier(tag, index, self.identifier_modulus())
    }

    fn function_of_identifiers(&self, tag: &Tag, function: &Polynomial) -> Option<BigUint> {
        let identifiers: Vec<_> = (0..function.variables())
            .map(|index| BigInt::from(self.identifier(tag, index)))
            .collect();
        function.evaluate_mod(self.identifier_modulus(), &identifiers)
    }
}
