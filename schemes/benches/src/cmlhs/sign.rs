//! Key generation and signing.

use super::{Parameters, PublicKey, DOMAIN_SIGNATURE};
use crate::group::{hash_to_g1, Group, Points, Residue};
use blst::{blst_p1, blst_p1_affine, blst_p2, blst_p2_affine, blst_sign_pk_in_g2};
use rand_core::RngCore;

/// A signer's secret key.
pub struct SecretKey {
    /// `K`.
    prf: [u8; 32],
    /// `d`.
    d: Residue,
    /// `x_l` of every label.
    labels: Vec<Residue>,
    /// The key of the ordinary signature.
    signature: Residue,
}

/// The common part of a signer's signatures in one data set. It can be kept while the data set is being signed.
pub struct DataSet {
    inverse: Residue,
    z: blst_p2_affine,
    sigma: blst_p1_affine,
}

/// The signature of one number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    pub(super) sigma: blst_p1_affine,
    pub(super) z: blst_p2_affine,
    pub(super) a: blst_p1_affine,
    pub(super) c: blst_p1_affine,
    pub(super) r: blst_p1_affine,
    pub(super) s: blst_p2_affine,
}

impl Signature {
    /// Whether both are one signer's, of one data set.
    pub fn shares_data_set(&self, other: &Self) -> bool {
        (self.sigma, self.z) == (other.sigma, other.z)
    }
}

/// The message of the ordinary signature: `Z ‖ Δ`.
pub(super) fn signed(z: &blst_p2_affine, data_set: &[u8]) -> blst_p1 {
    hash_to_g1(
        &[&blst_p2::compress(z), data_set].concat(),
        DOMAIN_SIGNATURE,
    )
}

impl SecretKey {
    /// Key generation for so many labels.
    pub fn generate(
        parameters: &Parameters,
        labels: usize,
        rng: &mut impl RngCore,
    ) -> (Self, PublicKey) {
        let mut prf = [0; 32];
        rng.fill_bytes(&mut prf);
        let mut random = || Residue::random(rng);
        let (d, signature) = (random(), random());
        let labels: Vec<_> = (0..labels).map(|_| random()).collect();
        let public = PublicKey {
            y: parameters.of_g2.times(&d).affine(),
            labels: labels.iter().map(|x| parameters.of_gt.times(x)).collect(),
            signature: blst_p2::generator().times(&signature).affine(),
        };
        let secret = Self {
            prf,
            d,
            labels,
            signature,
        };
        (secret, public)
    }

    /// The part of signing that does not depend on the number: `z`, `Z` and `σ`.
    pub fn open(&self, parameters: &Parameters, data_set: &[u8]) -> DataSet {
        let z = Residue::derive(&self.prf, data_set);
        let point = parameters.of_g2.times(&z).affine();
        let (mut sigma, secret) = (blst_p1::default(), self.signature.to_scalar());
        let signed = signed(&point, data_set);
        // SAFETY: all pointers come from references to initialised values.
        unsafe { blst_sign_pk_in_g2(&mut sigma, &signed, &secret) };
        DataSet {
            inverse: z.inverse(),
            z: point,
            sigma: sigma.affine(),
        }
    }

    /// Signs a number under the label of this index, in a data set that is open.
    ///
    /// # Panics
    /// If the key has no such label.
    pub fn sign_in(
        &self,
        parameters: &Parameters,
        data_set: &DataSet,
        (label, message): (usize, &Residue),
        rng: &mut impl RngCore,
    ) -> Signature {
        let (r, s) = (Residue::random(rng), Residue::random(rng));
        let inner = parameters
            .of_g1
            .times(&((self.labels[label] + r) * data_set.inverse));
        let shared = parameters
            .of_base
            .times(&(self.d * *message * data_set.inverse));
        let numbered = parameters.of_base.times(message);
        let points = blst_p1::affines(&[
            inner.plus(&shared),
            parameters.of_g1.times(&s).plus(&numbered),
            parameters.of_g1.times(&(r - self.d * s)),
        ]);
        Signature {
            sigma: data_set.sigma,
            z: data_set.z,
            a: points[0],
            c: points[1],
            r: points[2],
            s: parameters.of_g2.times(&s).minus().affine(),
        }
    }

    /// Signs a number as the papers have it: with everything that belongs to the data set.
    ///
    /// # Panics
    /// If the key has no such label.
    pub fn sign(
        &self,
        parameters: &Parameters,
        data_set: &[u8],
        numbered: (usize, &Residue),
        rng: &mut impl RngCore,
    ) -> Signature {
        self.sign_in(parameters, &self.open(parameters, data_set), numbered, rng)
    }
}
