//! The workload of Aranha and Pagnin, and a baseline with blst's own calls.

use blst::{
    blst_fr, blst_fr_add, blst_fr_from_scalar, blst_fr_mul, blst_hash_to_g1, blst_p1,
    blst_p1_add_or_double, blst_p1_affine, blst_p1_affine_compress, blst_p1_from_affine,
    blst_p1_mult, blst_p1_to_affine, blst_p1_uncompress, blst_p1s_mult_pippenger,
    blst_p1s_mult_pippenger_scratch_sizeof, blst_p2_affine, blst_p2_affine_generator,
    blst_p2_uncompress, blst_scalar, blst_scalar_from_bendian, blst_scalar_from_fr,
    blst_sign_pk_in_g2, min_sig, Pairing, BLST_ERROR,
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

/// The length of a coefficient of the workload in bits.
const COEFFICIENT_BITS: usize = 32;
/// The length of a message in bits.
const MESSAGE_BITS: usize = 255;

/// The coefficient and the label of one input. Each signer has a key and a list of inputs.
type Term = (blst_scalar, Vec<u8>);

/// The baseline: the workload in blst's types, and the equations of the scheme in plain blst calls, one after another.
pub struct PlainBlst {
    base: blst_p1,
    secret: blst_scalar,
    label: Vec<u8>,
    message: blst_scalar,
    program: Vec<(blst_p2_affine, Vec<Term>)>,
    gammas: Vec<blst_p1_affine>,
    messages: Vec<blst_scalar>,
    combined: blst_p1_affine,
    partials: Vec<blst_scalar>,
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
                (scalar(&program.coefficients()[*index]), label)
            });
            (g2(&key.to_bytes()), inputs.collect())
        };
        let pairs = groups.signers.iter().zip(&groups.inputs);
        let gamma = |signature: &Signature| g1(&signature.to_bytes());
        let message = |message: &Message| scalar(&message.scalar());
        Self {
            base: projective(&g1(&message_base())),
            secret: of_bytes(&workload.keys[0].expose()),
            label: program.labels()[0].as_bytes().to_vec(),
            message: scalar(&workload.messages[0].scalar()),
            program: pairs.map(of_signer).collect(),
            gammas: workload.signatures.iter().map(gamma).collect(),
            messages: workload.messages.iter().map(message).collect(),
            combined: g1(&workload.combined.to_bytes()),
            partials: workload.combined.partials().iter().map(scalar).collect(),
        }
    }

    /// The first signature of the workload: a hash to the curve, a multiplication of the base by the message, blst's
    /// signing.
    pub fn sign(&self) -> [u8; suite::G1_LEN] {
        let signed = sum(&hash(&self.label), &self.of_base(&self.message));
        let mut signature = blst_p1::default();
        // SAFETY: all pointers come from references to initialised values.
        unsafe { blst_sign_pk_in_g2(&mut signature, &signed, &self.secret) };
        compress(&affine(&signature))
    }

    /// The combined signature: blst's multi-scalar multiplication, and products of blst's scalars.
    pub fn evaluate(&self) -> ([u8; suite::G1_LEN], Vec<[u8; suite::SCALAR_LEN]>) {
        let coefficients: Vec<_> = self.coefficients().collect();
        let gamma = pippenger(&self.gammas, &coefficients);
        let mut rest = self.messages.as_slice();
        let mut partials = Vec::new();
        for (_, inputs) in &self.program {
            let (messages, after) = rest.split_at(inputs.len());
            rest = after;
            let mut partial = blst_fr::default();
            for ((coefficient, _), message) in inputs.iter().zip(messages) {
                let (mut a, mut b, so_far) = (blst_fr::default(), blst_fr::default(), partial);
                // SAFETY: all pointers come from references to initialised values; the products and sums are written to
                // values that are not read in the same call.
                unsafe {
                    blst_fr_from_scalar(&mut a, coefficient);
                    blst_fr_from_scalar(&mut b, message);
                    let factor = a;
                    blst_fr_mul(&mut a, &factor, &b);
                    blst_fr_add(&mut partial, &so_far, &a);
                }
            }
            let mut scalar = blst_scalar::default();
            // SAFETY: both pointers come from references to initialised values.
            unsafe { blst_scalar_from_fr(&mut scalar, &partial) };
            let mut bytes = scalar.b;
            bytes.reverse();
            partials.push(bytes);
        }
        (compress(&affine(&gamma)), partials)
    }

    fn coefficients(&self) -> impl Iterator<Item = &blst_scalar> {
        let inputs = self.program.iter().flat_map(|(_, inputs)| inputs);
        inputs.map(|(coefficient, _)| coefficient)
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
                .map(|(_, label)| affine(&hash(label)))
                .collect();
            let coefficients: Vec<_> = inputs.iter().map(|(coefficient, _)| coefficient).collect();
            pippenger(&points, &coefficients)
        })
    }

    /// The online part of the verification.
    pub fn verify_online(&self, label_sums: &[blst_p1]) -> bool {
        let mut pairing = Pairing::new(true, suite::DST_LABEL);
        for ((label_sum, partial), (key, _)) in
            label_sums.iter().zip(&self.partials).zip(&self.program)
        {
            let signed = sum(label_sum, &self.of_base(partial));
            pairing.raw_aggregate(key, &affine(&signed));
        }
        let mut minus = self.combined;
        // SAFETY: all pointers come from references to initialised values. The generator that blst returns lives for
        // the whole program.
        unsafe {
            blst::blst_fp_cneg(&mut minus.y, &self.combined.y, true);
            pairing.raw_aggregate(&*blst_p2_affine_generator(), &minus);
        }
        pairing.commit();
        pairing.finalverify(None)
    }

    fn of_base(&self, scalar: &blst_scalar) -> blst_p1 {
        let mut out = blst_p1::default();
        // SAFETY: `MESSAGE_BITS` is at most 256, so blst reads at most the 32 bytes of the scalar.
        unsafe { blst_p1_mult(&mut out, &self.base, scalar.b.as_ptr(), MESSAGE_BITS) };
        out
    }
}

fn of_bytes(bytes: &[u8; suite::SCALAR_LEN]) -> blst_scalar {
    let mut out = blst_scalar::default();
    // SAFETY: blst reads 32 bytes, the length of the array, and writes to a live scalar.
    unsafe { blst_scalar_from_bendian(&mut out, bytes.as_ptr()) };
    out
}

fn scalar(scalar: &Scalar) -> blst_scalar {
    of_bytes(&scalar.to_bytes())
}

/// Decodes the first 48 bytes.
fn g1(bytes: &[u8]) -> blst_p1_affine {
    assert!(bytes.len() >= suite::G1_LEN);
    let mut out = blst_p1_affine::default();
    // SAFETY: `bytes` has at least the 48 bytes that blst reads, as asserted above.
    let read = unsafe { blst_p1_uncompress(&mut out, bytes.as_ptr()) };
    assert_eq!(read, BLST_ERROR::BLST_SUCCESS);
    out
}

fn g2(bytes: &[u8; suite::G2_LEN]) -> blst_p2_affine {
    let mut out = blst_p2_affine::default();
    // SAFETY: blst reads 96 bytes, the length of the array, and writes to a live point.
    let read = unsafe { blst_p2_uncompress(&mut out, bytes.as_ptr()) };
    assert_eq!(read, BLST_ERROR::BLST_SUCCESS);
    out
}

fn compress(point: &blst_p1_affine) -> [u8; suite::G1_LEN] {
    let mut bytes = [0; suite::G1_LEN];
    // SAFETY: blst writes 48 bytes, the length of the array, and reads a live point.
    unsafe { blst_p1_affine_compress(bytes.as_mut_ptr(), point) };
    bytes
}

fn affine(point: &blst_p1) -> blst_p1_affine {
    let mut out = blst_p1_affine::default();
    // SAFETY: both pointers come from references to initialised points.
    unsafe { blst_p1_to_affine(&mut out, point) };
    out
}

fn projective(point: &blst_p1_affine) -> blst_p1 {
    let mut out = blst_p1::default();
    // SAFETY: both pointers come from references to initialised points.
    unsafe { blst_p1_from_affine(&mut out, point) };
    out
}

fn sum(a: &blst_p1, b: &blst_p1) -> blst_p1 {
    let mut out = blst_p1::default();
    // SAFETY: all pointers come from references to initialised points; `out` is distinct from both inputs.
    unsafe { blst_p1_add_or_double(&mut out, a, b) };
    out
}

fn hash(label: &[u8]) -> blst_p1 {
    let (mut out, dst) = (blst_p1::default(), suite::DST_LABEL);
    // SAFETY: each slice is passed with its own length. The augmentation is null with length 0, which blst permits.
    unsafe {
        blst_hash_to_g1(
            &mut out,
            label.as_ptr(),
            label.len(),
            dst.as_ptr(),
            dst.len(),
            std::ptr::null(),
            0,
        )
    };
    out
}

fn pippenger(points: &[blst_p1_affine], scalars: &[&blst_scalar]) -> blst_p1 {
    assert_eq!(points.len(), scalars.len());
    let (points_list, count) = ([points.as_ptr(), std::ptr::null()], points.len());
    let scalars: Vec<_> = scalars.iter().map(|scalar| scalar.b.as_ptr()).collect();
    let mut out = blst_p1::default();
    // SAFETY: there are as many scalars as points, and each scalar has 32 bytes, which covers `COEFFICIENT_BITS`. A
    // null second entry of the point list tells blst that the points are contiguous. The scratch space has the size
    // that blst asks for.
    unsafe {
        let mut scratch = vec![0_u64; blst_p1s_mult_pippenger_scratch_sizeof(count) / 8];
        blst_p1s_mult_pippenger(
            &mut out,
            points_list.as_ptr(),
            count,
            scalars.as_ptr(),
            COEFFICIENT_BITS,
            scratch.as_mut_ptr(),
        );
    }
    out
}
