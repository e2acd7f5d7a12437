//! Combined signatures: `48 + 32·t` bytes for `t` signers, regardless of the number of inputs.

use crate::{
    curve::{self, G1},
    error::DecodeError,
    scalar::Scalar,
    suite::{G1_LEN, MAX_INPUTS, SCALAR_LEN},
};
use std::fmt;

/// `gamma ‖ mu_1 … mu_t`: a non-zero point of the subgroup, and each signer's partial sum, in the order of the program.
/// The signature has not been verified.
#[derive(Clone, PartialEq, Eq)]
pub struct Combined {
    pub(crate) gamma: G1,
    pub(crate) partials: Vec<Scalar>,
}

impl Combined {
    /// Decodes `48 + 32·t` bytes, with at least one partial sum.
    ///
    /// # Errors
    /// [`DecodeError`] with the first broken rule.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        let got = bytes.len();
        let sums = got.saturating_sub(G1_LEN).div_ceil(SCALAR_LEN);
        let bad_length = DecodeError::BadLength {
            expected: G1_LEN + SCALAR_LEN * sums.clamp(1, MAX_INPUTS),
            got,
        };
        let (gamma, partials) = bytes.split_first_chunk::<G1_LEN>().ok_or(bad_length)?;
        let (partials, rest) = partials.as_chunks::<SCALAR_LEN>();
        if partials.is_empty() || partials.len() > MAX_INPUTS || !rest.is_empty() {
            return Err(bad_length);
        }
        let gamma = curve::g1_from_bytes(gamma)?;
        let read = |(index, bytes)| {
            Scalar::from_bytes(bytes).ok_or(DecodeError::NonCanonicalScalar { index })
        };
        let partials = partials.iter().enumerate().map(read);
        Ok(Self {
            gamma,
            partials: partials.collect::<Result<_, _>>()?,
        })
    }

    /// The encoding.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = curve::g1_to_bytes(&self.gamma).to_vec();
        bytes.extend(self.partials.iter().flat_map(Scalar::to_bytes));
        bytes
    }

    /// The claimed sum of each signer's numbers.
    pub fn partials(&self) -> &[Scalar] {
        &self.partials
    }

    /// The claimed total.
    pub fn total(&self) -> Scalar {
        self.partials.iter().copied().sum()
    }
}

impl fmt::Debug for Combined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gamma = curve::g1_to_bytes(&self.gamma);
        f.write_str("Combined(")?;
        gamma.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        write!(f, ", {:?})", self.partials)
    }
}
