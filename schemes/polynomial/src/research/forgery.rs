//! Forging signatures without the secret key: why nothing may rely on this scheme.
//!
//! The public key defines the lattice of all ring elements that vanish on both ideals. A signature of any value for any
//! function is a short element of a coset of that lattice, and anyone can compute an element of the coset. At the
//! dimensions of this crate, plain lattice reduction gives a basis that is good enough to find elements below the
//! verifier's norm bound. It does not even need the whole lattice: the sublattice of elements of low degree is dense
//! enough.

use super::{
    error::{EvaluateError, FunctionError},
    function::Polynomial,
    identifier::Tag,
    key::PublicKey,
    lattice::Reduced,
    ring,
    signature::Signature,
};
use num_bigint::BigInt;
use num_traits::One;

/// A public key, and a reduced basis of a part of its lattice.
pub struct Forger<'a> {
    key: &'a PublicKey,
    basis: Reduced,
}

impl<'a> Forger<'a> {
    /// Reduces the lattice of a public key. `progress` is called repeatedly with the number of [`rows`](Self::rows)
    /// that are currently reduced.
    pub fn new(key: &'a PublicKey, progress: &dyn Fn(usize)) -> Self {
        let basis = Reduced::new(public_basis(key, Self::rows(key)), progress);
        Self { key, basis }
    }

    /// The number of rows of the lattice to reduce. It is chosen so that lattice points are closer together than the
    /// width of honest signatures, by a factor of four.
    pub fn rows(key: &PublicKey) -> usize {
        let volume = key.message_modulus() * key.identifier_modulus();
        let spacing = u64::from(key.dimension().width().ilog2())
            .saturating_sub(2)
            .max(1);
        let rows = usize::try_from(volume.bits().div_ceil(spacing)).unwrap_or(usize::MAX);
        rows.min(key.dimension().get())
    }

    /// A signature stating that `function` of the values signed under `tag` is `value`, even if nothing was ever
    /// signed.
    ///
    /// # Errors
    /// [`EvaluateError::Function`] if the key does not admit the function. [`EvaluateError::TooLong`] if the result
    /// cannot be encoded as a signature.
    pub fn forge(
        &self,
        tag: &Tag,
        function: &Polynomial,
        value: &BigInt,
    ) -> Result<Signature, EvaluateError> {
        function.check(&self.key.limits())?;
        let identifiers: Vec<_> = (0..function.variables())
            .map(|index| BigInt::from(self.key.identifier(tag, index)))
            .collect();
        let identifier = function
            .evaluate_mod(self.key.identifier_modulus(), &identifiers)
            .ok_or(FunctionError::EmptyFunction)?;
        let mut target = vec![BigInt::ZERO; Self::rows(self.key)];
        if let Some(constant) = target.first_mut() {
            *constant = self.key.coset(value, &identifier).into();
        }
        let mut short = self.basis.distance_to_near_point(target);
        short.resize(self.key.dimension().get(), BigInt::ZERO);
        Signature::from_coefficients(self.key.dimension(), short)
            .map_err(|_| EvaluateError::TooLong)
    }
}

/// `p q, x - c, x^2 - c^2, ...`, where c is a mod p and b mod q: the elements of low degree that vanish on both ideals.
fn public_basis(key: &PublicKey, rows: usize) -> Vec<Vec<BigInt>> {
    let volume = key.message_modulus() * key.identifier_modulus();
    let (a, b) = key.roots();
    let root = key.coset(&BigInt::from(a.clone()), b);
    let mut basis = Vec::with_capacity(rows);
    let mut power = root.clone();
    for i in 0..rows {
        let mut row = vec![BigInt::ZERO; rows];
        if i == 0 {
            row[0] = volume.clone().into();
        } else {
            row[0] = -ring::centre(power.clone(), &volume);
            row[i] = BigInt::one();
            power = power * &root % &volume;
        }
        basis.push(row);
    }
    basis
}
