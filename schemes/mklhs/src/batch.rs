//! Batch verification: checks many signatures with few pairings, and reports the invalid ones.

use crate::{
    bounds::Bounds,
    curve::{self, Uncleared, G1},
    error::{BadInputs, BatchError, SignatureError},
    identity::SignerId,
    keys::PublicKey,
    label::Label,
    program::group_by_signer,
    scalar::Scalar,
    signature::Signature,
    signers::Signers,
    suite::DST_LABEL,
};
use rand_core::CryptoRngCore;
use rayon::prelude::*;

/// Checks `signatures[i]` on `labels[i]`, for every `i`.
///
/// The signatures are combined with random 128-bit weights, which costs one pairing per signer and one more. If the
/// combination is invalid, it is bisected until each invalid signature is found.
///
/// # Errors
/// [`BatchError::LengthMismatch`] if the numbers of labels and signatures differ; then nothing was checked.
/// [`BatchError::BadInputs`] lists every invalid signature, in ascending order. The result agrees with
/// [`Signature::check`] of each signature, except with probability below `n·2^-128`.
///
/// # Security
/// The makers of the signatures must not be able to predict `rng`: with known weights, errors can be chosen to cancel
/// out.
pub fn check_all(
    signers: &Signers,
    bounds: Bounds,
    labels: &[Label],
    signatures: &[Signature],
    rng: &mut impl CryptoRngCore,
) -> Result<(), BatchError> {
    if labels.len() != signatures.len() {
        return Err(BatchError::LengthMismatch {
            labels: labels.len(),
            signatures: signatures.len(),
        });
    }
    let mut bad = Vec::new();
    let mut candidates = Vec::new();
    // Sorted by signer, so that each half has as few signers as possible.
    let groups = group_by_signer(labels);
    for (signer, inputs) in groups.signers.iter().zip(&groups.inputs) {
        for index in inputs {
            let Some(signature) = signatures.get(*index) else {
                continue;
            };
            match admissible(signers, bounds, *signer, signature) {
                Ok(key) => candidates.push((*index, key)),
                Err(error) => bad.push((*index, error)),
            }
        }
    }
    let terms = terms(&candidates, labels, signatures, rng);
    find_bad(&terms, &mut bad);
    if bad.is_empty() {
        return Ok(());
    }
    bad.sort_unstable_by_key(|(index, _)| *index);
    Err(BadInputs(bad).into())
}

/// The checks of a signature that do not need its equation.
fn admissible<'a>(
    signers: &'a Signers,
    bounds: Bounds,
    signer: SignerId,
    signature: &Signature,
) -> Result<&'a PublicKey, SignatureError> {
    let key = signers.key(&signer)?;
    if bounds.admit(&signature.message) {
        Ok(key)
    } else {
        Err(SignatureError::OutOfBounds { signer })
    }
}

/// One signature of the batch.
struct Term<'a> {
    index: usize,
    key: &'a PublicKey,
    label: Uncleared,
    gamma: G1,
    message: Scalar,
    weight: Scalar,
}

fn terms<'a>(
    candidates: &[(usize, &'a PublicKey)],
    labels: &[Label],
    signatures: &[Signature],
    rng: &mut impl CryptoRngCore,
) -> Vec<Term<'a>> {
    let label = |(index, _): &(usize, _)| labels.get(*index);
    let of_candidates: Vec<_> = candidates.iter().filter_map(label).collect();
    let points = curve::map_all(DST_LABEL, &of_candidates);
    let term = |(&(index, key), label): (&(usize, &'a PublicKey), Uncleared)| {
        let signature = signatures.get(index)?;
        Some(Term {
            index,
            key,
            label,
            gamma: signature.gamma,
            message: signature.message,
            weight: random_weight(rng),
        })
    };
    candidates.iter().zip(points).filter_map(term).collect()
}

/// A random 128-bit weight, not zero.
fn random_weight(rng: &mut impl CryptoRngCore) -> Scalar {
    loop {
        let mut bytes = [0; 16];
        rng.fill_bytes(&mut bytes);
        let weight = u128::from_le_bytes(bytes);
        if weight != 0 {
            return weight.into();
        }
    }
}

/// Bisects to the invalid signatures. Weights are not zero, so a sum of one term is valid exactly if the term is.
fn find_bad(terms: &[Term<'_>], bad: &mut Vec<(usize, SignatureError)>) {
    if terms.is_empty() || holds(terms) {
        return;
    }
    if let [term] = terms {
        let signer = term.key.id();
        bad.push((term.index, SignatureError::PairingMismatch { signer }));
        return;
    }
    let (left, right) = terms.split_at(terms.len() / 2);
    find_bad(left, bad);
    find_bad(right, bad);
}

/// `e(Σ ρᵢ·γᵢ, P2) = Π e(Σ ρᵢ·(H(labelᵢ) + mᵢ·U), pkⱼ)`.
fn holds(terms: &[Term<'_>]) -> bool {
    let weights: Vec<_> = terms.iter().map(|term| term.weight).collect();
    let gammas: Vec<_> = terms.iter().map(|term| term.gamma).collect();
    let by_signer: Vec<_> = terms.chunk_by(|a, b| a.key.id() == b.key.id()).collect();
    let signed = |terms: &&[Term<'_>]| {
        let labels: Vec<_> = terms.iter().map(|term| term.label).collect();
        let weights: Vec<_> = terms.iter().map(|term| term.weight).collect();
        let messages = terms.iter().map(|term| term.weight * term.message).sum();
        curve::add(
            &curve::label_sum(&labels, &weights),
            &curve::base_multiple(&messages),
        )
    };
    let (mut points, gamma) = rayon::join(
        || by_signer.par_iter().map(signed).collect::<Vec<_>>(),
        || curve::weighted_sum(&gammas, &weights),
    );
    points.push(curve::negated(&gamma));
    let keys = by_signer
        .iter()
        .filter_map(|terms| terms.first())
        .map(|term| term.key.point());
    let in_g2 = keys.chain([curve::g2_generator()]);
    let pairs: Vec<_> = curve::to_affine(&points).into_iter().zip(in_g2).collect();
    curve::pairing_product_is_one(&pairs)
}
