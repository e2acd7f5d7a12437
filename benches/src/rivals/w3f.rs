//! w3f-bls, the paper authors' own code, on either of its curves.

use ark_ec::{CurveGroup, PrimeGroup};
use ark_ff::PrimeField;
use ark_serialize::{CanonicalDeserialize, CanonicalSerialize};
use sha2::Sha256;
use std::marker::PhantomData;
use w3f_bls::{
    dual_scalar_mul::{DualScalarMultiplication, EngineBLSGLV},
    pop_aggregator::SignatureAggregatorAssumingPoP,
    single::PublicKey,
    Message, NuggetBLS, NuggetDoublePublicKey, NuggetDoublePublicKeyPrecomp, NuggetPublicKey,
    NuggetSignature, PublicKeyInSignatureGroup, SecretKeyVT, SerializableToBytes, Signature,
    Signed,
};

/// A single signature with its Chaum-Pedersen proof, and the three ways to check it.
pub struct W3fVote<E: EngineBLSGLV> {
    message: Message,
    signature: Vec<u8>,
    key: NuggetDoublePublicKey<E>,
    with_table: NuggetDoublePublicKeyPrecomp<E>,
}

impl<E: EngineBLSGLV> W3fVote<E>
where
    E::SignatureGroup:
        PrimeGroup<ScalarField = E::Scalar> + SerializableToBytes + DualScalarMultiplication,
{
    /// A vote on `message`.
    pub fn new(message: &[u8]) -> Self {
        let message = Message::new(b"", message);
        let mut secret = SecretKeyVT::<E>::from_seed(&[7; 32]);
        let of_secret: PublicKeyInSignatureGroup<E> =
            NuggetBLS::<E, E::SignatureGroup>::to_public_key_in_signature_group(&secret);
        let (pk1, pk2) = (of_secret.0, secret.to_public().0);
        let signature = NuggetBLS::<E, E::SignatureGroup>::sign(&mut secret, &message);
        Self {
            signature: bytes(&signature),
            key: NuggetDoublePublicKey::new(pk1, pk2),
            with_table: NuggetDoublePublicKeyPrecomp::new(pk1, pk2),
            message,
        }
    }

    /// The proof, with the plain key.
    pub fn check(&self) -> bool {
        NuggetSignature::<E>::deserialize_compressed(&self.signature[..])
            .is_ok_and(|signature| self.key.verify(&self.message, &signature))
    }

    /// The proof, with the key that carries a table.
    pub fn check_with_table(&self) -> bool {
        NuggetSignature::<E>::deserialize_compressed(&self.signature[..])
            .is_ok_and(|signature| self.with_table.verify(&self.message, &signature))
    }

    /// The signature alone, with two pairings. Its verification checks the subgroup, so that reading does not.
    pub fn check_with_pairing(&self) -> bool {
        E::SignatureGroup::deserialize_compressed_unchecked(&self.signature[..])
            .is_ok_and(|sigma| Signature::<E>(sigma).verify(&self.message, &PublicKey(self.key.1)))
    }
}

/// An aggregate of many signatures on one message. Its verification checks the subgroups of its inputs, so that reading
/// does not; keys are read in advance and added in affine coordinates.
pub struct W3fAggregate<E: EngineBLSGLV> {
    message: Message,
    keys1: Vec<<E::SignatureGroup as CurveGroup>::Affine>,
    keys2: Vec<<E::PublicKeyGroup as CurveGroup>::Affine>,
    signature: Vec<u8>,
    apk2: Vec<u8>,
    engine: PhantomData<fn() -> E>,
}

impl<E: EngineBLSGLV> W3fAggregate<E>
where
    E::SignatureGroup: PrimeGroup<ScalarField = E::Scalar> + SerializableToBytes,
    E::PublicKeyGroup: PrimeGroup<ScalarField = E::Scalar>,
{
    /// The signatures of `signers` keys. Their secrets are `a, a + b, a + 2b, …`, so that each key costs one addition.
    pub fn new(signers: u32, message: &[u8]) -> Self {
        let message = Message::new(b"", message);
        let (first, step) = (scalar::<E>(7), scalar::<E>(11));
        let n = E::Scalar::from(u64::from(signers));
        let pairs = E::Scalar::from(u64::from(signers) * u64::from(signers.saturating_sub(1)) / 2);
        let sum = n * first + pairs * step;
        let signature = message.hash_to_signature_curve::<E>() * sum;
        let apk2 = E::PublicKeyGroup::generator() * sum;
        Self {
            message,
            keys1: progression::<E::SignatureGroup>(signers, first, step),
            keys2: progression::<E::PublicKeyGroup>(signers, first, step),
            signature: bytes(&signature),
            apk2: bytes(&apk2),
            engine: PhantomData,
        }
    }

    fn signature(&self) -> Option<SignatureAggregatorAssumingPoP<E>> {
        let sigma =
            E::SignatureGroup::deserialize_compressed_unchecked(&self.signature[..]).ok()?;
        let mut aggregate = SignatureAggregatorAssumingPoP::new();
        aggregate.add_signature(&Signature(sigma));
        Some(aggregate)
    }

    /// The scheme of the paper: the keys in G1 are added, `apk2` comes with the signature.
    pub fn check_with_apk2(&self) -> bool {
        let apk2 = E::PublicKeyGroup::deserialize_compressed_unchecked(&self.apk2[..]);
        let (Some(mut aggregate), Ok(apk2)) = (self.signature(), apk2) else {
            return false;
        };
        let apk1: E::SignatureGroup = sum(&self.keys1);
        let keys = (PublicKey(apk2), PublicKeyInSignatureGroup(apk1));
        aggregate.add_message_n_publickey(&self.message, &keys);
        aggregate.verify_using_aggregated_auxiliary_public_keys::<Sha256>()
    }

    /// Classic BLS: the keys in G2 are added.
    pub fn check_classic(&self) -> bool {
        let Some(mut aggregate) = self.signature() else {
            return false;
        };
        let apk2: E::PublicKeyGroup = sum(&self.keys2);
        aggregate.add_message_n_publickey(&self.message, &PublicKey(apk2));
        (&aggregate).verify()
    }
}

/// A scalar of full length.
fn scalar<E: EngineBLSGLV>(byte: u8) -> E::Scalar {
    E::Scalar::from_le_bytes_mod_order(&[byte; 48])
}

fn progression<G: CurveGroup>(
    len: u32,
    first: G::ScalarField,
    step: G::ScalarField,
) -> Vec<G::Affine> {
    let step = G::generator() * step;
    let points: Vec<_> = (0..len)
        .scan(G::generator() * first, |next, _| {
            let point = *next;
            *next += step;
            Some(point)
        })
        .collect();
    G::normalize_batch(&points)
}

fn sum<G: CurveGroup>(points: &[G::Affine]) -> G {
    points.iter().fold(G::zero(), |sum, point| sum + point)
}

fn bytes(value: &impl CanonicalSerialize) -> Vec<u8> {
    let mut bytes = Vec::new();
    value
        .serialize_compressed(&mut bytes)
        .expect("a vector takes every byte");
    bytes
}
