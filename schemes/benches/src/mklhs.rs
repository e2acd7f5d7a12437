//! The workload of Aranha and Pagnin, and a baseline with blst's own calls.

use crate::group::{hash_to_g1, Group, Points, Residue};
use blst::{
    blst_p1, blst_p1_affine, blst_p2, blst_p2_affine, blst_sign_pk_in_g2, min_sig, Pairing,
};
use duet_mklhs::{
    evaluate_unchecked, message_base, suite, Bounds, Combined, Label, Message, Program, Scalar,
    Signature, Signers, SigningKey,
};
use rand_chacha::ChaCha20Rng;
use rand_core::{RngCore, SeedableRng};

/// Signers with equally many labels each. Messages are random modulo `q`, and coefficients have 32 random bits.
#[derive(Debug)]
pub struct Workload {
    /// The keys.
    pub keys: Vec<SigningKey>,
    /// The keys as known to a verifier.
    pub signers: Signers,
    /// The program.
    pub program: Program,
    /// The messages.
    pub messages: Vec<Message>,
    /// The signatures.
    pub signatures: Vec<Signature>,
    /// The combined signature.
    pub combined: Combined,
}

impl Workload {
    /// The workload for this many signers and labels, from a fixed seed.
    ///
    /// # Panics
    /// If a count is zero, or if there are more than 2^16 inputs.
    pub fn new(signers: u32, labels: u32) -> Self {
        let mut rng = ChaCha20Rng::seed_from_u64(u64::from(signers) << 32 | u64::from(labels));
        let mut inputs = Inputs::default();
        for _ in 0..signers {
            let key = SigningKey::random(&mut rng).expect("this generator does not fail");
            for tag in 0..labels {
                inputs.sign(&key, tag, &mut rng);
            }
            inputs.keys.push(key);
        }
        let mut known = Signers::new();
        for key in &inputs.keys {
            known
                .register(key.public().clone(), &key.prove_possession())
                .expect("a key's own proof");
        }
        let program = Program::new(Bounds::Residues, inputs.coefficients, inputs.labels)
            .expect("distinct labels, and no zero");
        let combined =
            evaluate_unchecked(&program, &inputs.signatures).expect("as many as there are inputs");
        Self {
            keys: inputs.keys,
            signers: known,
            program,
            messages: inputs.messages,
            signatures: inputs.signatures,
            combined,
        }
    }
}

#[derive(Default)]
struct Inputs {
    keys: Vec<SigningKey>,
    labels: Vec<Label>,
    coefficients: Vec<Scalar>,
    messages: Vec<Message>,
    signatures: Vec<Signature>,
}

impl Inputs {
    fn sign(&mut self, key: &SigningKey, tag: u32, rng: &mut ChaCha20Rng) {
        let tag = format!("load/{tag}");
        let label =
            Label::new(b"bench", key.id(), b"epoch-7", tag.as_bytes()).expect("short fields");
        let message = Message::new(Bounds::Residues, residue(rng)).expect("any residue");
        let signature = key.sign_unregistered(&label, message);
        self.signatures.push(signature.expect("its own label"));
        self.labels.push(label);
        self.messages.push(message);
        self.coefficients.push((rng.next_u32() | 1).into());
    }
}

/// Random modulo `q`.
fn residue(rng: &mut ChaCha20Rng) -> Scalar {
    loop {
        let mut bytes = [0; suite::SCALAR_LEN];
        rng.fill_bytes(&mut bytes);
        if let Some(residue) = Scalar::from_bytes(&bytes) {
            return residue;
        }
    }
}

/// Key generation by blst, with the compressed public key.
pub fn blst_keygen(material: &[u8]) -> [u8; suite::G2_LEN] {
    let secret = min_sig::SecretKey::key_gen(material, suite::KEY_INFO).expect("enough material");
    secret.sk_to_pk().compress()
}

/// The coefficient and the label of one input. Each signer has a key and a list of inputs.
type Term = (u32, Vec<u8>);

/// The baseline: the workload in blst's types, and the equations of the scheme in plain blst calls, one after another.
pub struct PlainBlst {
    base: blst_p1,
    secret: Residue,
    label: Vec<u8>,
    message: Residue,
    program: Vec<(blst_p2_affine, Vec<Term>)>,
    gammas: Vec<blst_p1_affine>,
    messages: Vec<Residue>,
    combined: blst_p1_affine,
    partials: Vec<Residue>,
}

impl PlainBlst {
    /// Converts the workload.
    ///
    /// # Panics
    /// If blst does not decode what the library encodes.
    pub fn new(workload: &Workload) -> Self {
        let program = &workload.program;
        let groups = program.groups();
        let of_signer = |(signer, inputs): (&duet_mklhs::SignerId, &Vec<usize>)| {
            let key = workload.signers.key(signer).expect("registered");
            let inputs = inputs.iter().map(|index| {
                let label = program.labels()[*index].as_bytes().to_vec();
                (short(&program.coefficients()[*index]), label)
            });
            let key = blst_p2::uncompress(&key.to_bytes()).expect("a key");
            (key, inputs.collect())
        };
        let pairs = groups.signers.iter().zip(&groups.inputs);
        let gamma = |signature: &Signature| g1(&signature.to_bytes());
        let message = |message: &Message| residue_of(&message.scalar());
        Self {
            base: blst_p1::from_affine(&g1(&message_base())),
            secret: Residue::from_be_bytes(&*workload.keys[0].expose()),
            label: program.labels()[0].as_bytes().to_vec(),
            message: residue_of(&workload.messages[0].scalar()),
            program: pairs.map(of_signer).collect(),
            gammas: workload.signatures.iter().map(gamma).collect(),
            messages: workload.messages.iter().map(message).collect(),
            combined: g1(&workload.combined.to_bytes()),
            partials: workload
                .combined
                .partials()
                .iter()
                .map(residue_of)
                .collect(),
        }
    }

    /// The first signature of the workload: a hash to the curve, a multiplication of the base by the message, blst's
    /// signing.
    pub fn sign(&self) -> Vec<u8> {
        let signed = self.hash(&self.label).plus(&self.base.times(&self.message));
        let (mut signature, secret) = (blst_p1::default(), self.secret.to_scalar());
        // SAFETY: all pointers come from references to initialised values.
        unsafe { blst_sign_pk_in_g2(&mut signature, &signed, &secret) };
        blst_p1::compress(&signature.affine())
    }

    /// The combined signature: blst's multi-scalar multiplication, and products of blst's scalars.
    pub fn evaluate(&self) -> (Vec<u8>, Vec<[u8; suite::SCALAR_LEN]>) {
        let inputs = self.program.iter().flat_map(|(_, inputs)| inputs);
        let coefficients: Vec<_> = inputs.map(|(coefficient, _)| *coefficient).collect();
        let gamma = blst_p1::weighted_sum(&self.gammas, &coefficients);
        let mut rest = self.messages.as_slice();
        let mut partials = Vec::new();
        for (_, inputs) in &self.program {
            let (messages, after) = rest.split_at(inputs.len());
            rest = after;
            let products = inputs
                .iter()
                .zip(messages)
                .map(|((coefficient, _), message)| Residue::from_u32(*coefficient) * *message);
            let partial = products.fold(Residue::default(), |sum, product| sum + product);
            partials.push(partial.to_be_bytes());
        }
        (blst_p1::compress(&gamma.affine()), partials)
    }

    /// Verifies the combined signature: hashes to the curve, a multi-scalar multiplication and a multiplication of the
    /// base for each signer, and blst's pairing context.
    pub fn verify(&self) -> bool {
        let label_sums: Vec<_> = self.label_sums().collect();
        self.verify_online(&label_sums)
    }

    /// The weighted sums of the labels' points.
    pub fn label_sums(&self) -> impl Iterator<Item = blst_p1> + '_ {
        self.program.iter().map(|(_, inputs)| {
            let points: Vec<_> = inputs
                .iter()
                .map(|(_, label)| self.hash(label).affine())
                .collect();
            let coefficients: Vec<_> = inputs.iter().map(|(coefficient, _)| *coefficient).collect();
            blst_p1::weighted_sum(&points, &coefficients)
        })
    }

    /// The online part of the verification.
    pub fn verify_online(&self, label_sums: &[blst_p1]) -> bool {
        let mut pairing = Pairing::new(true, suite::DST_LABEL);
        for ((label_sum, partial), (key, _)) in
            label_sums.iter().zip(&self.partials).zip(&self.program)
        {
            let signed = label_sum.plus(&self.base.times(partial));
            pairing.raw_aggregate(key, &signed.affine());
        }
        let minus = blst_p1::from_affine(&self.combined).minus().affine();
        pairing.raw_aggregate(&blst_p2::generator().affine(), &minus);
        pairing.commit();
        pairing.finalverify(None)
    }

    fn hash(&self, label: &[u8]) -> blst_p1 {
        hash_to_g1(label, suite::DST_LABEL)
    }
}

/// A coefficient of the workload, which has 32 bits.
pub(crate) fn short(scalar: &Scalar) -> u32 {
    let bytes = scalar.to_bytes();
    let (rest, last) = bytes.split_at(bytes.len() - 4);
    assert!(rest.iter().all(|byte| *byte == 0), "more than 32 bits");
    last.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte))
}

/// The same residue for blst.
pub(crate) fn residue_of(scalar: &Scalar) -> Residue {
    Residue::from_be_bytes(&scalar.to_bytes())
}

/// Decodes the first 48 bytes.
fn g1(bytes: &[u8]) -> blst_p1_affine {
    let point = bytes.get(..suite::G1_LEN).and_then(blst_p1::uncompress);
    point.expect("a point")
}
