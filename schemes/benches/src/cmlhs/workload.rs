//! The workload of Aranha and Pagnin for this scheme: the numbers and coefficients of [`mklhs::Workload`].

use super::{evaluate, Combined, DataSet, Parameters, PublicKey, SecretKey, Signature, Statement};
use crate::{
    group::Residue,
    mklhs::{self, residue_of, short},
};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

/// The name of the data set.
const DATA_SET: &[u8] = b"bench/epoch-7";

/// Signers with equally many labels each, signed numbers, and the combined signature.
pub struct Workload {
    /// The common parameters of the signers.
    pub parameters: Parameters,
    /// Their secret keys.
    pub secrets: Vec<SecretKey>,
    /// Their public keys.
    pub keys: Vec<PublicKey>,
    /// Each signer's coefficients.
    pub coefficients: Vec<Vec<u32>>,
    /// Each signer's numbers.
    pub messages: Vec<Vec<Residue>>,
    /// Their signatures.
    pub signatures: Vec<Vec<Signature>>,
    /// The combined signature.
    pub combined: Combined,
    /// The value of the function.
    pub value: Residue,
}

impl Workload {
    /// Signs the numbers of the other scheme's workload.
    pub fn new(other: &mklhs::Workload) -> Self {
        let parameters = Parameters::setup();
        let mut rng = ChaCha20Rng::seed_from_u64(11);
        let groups = other.program.groups();
        let coefficient = |index: &usize| short(&other.program.coefficients()[*index]);
        let message = |index: &usize| residue_of(&other.messages[*index].scalar());
        let inputs = || groups.inputs.iter();
        let coefficients: Vec<Vec<_>> = inputs()
            .map(|inputs| inputs.iter().map(coefficient).collect())
            .collect();
        let messages: Vec<Vec<_>> = inputs()
            .map(|inputs| inputs.iter().map(message).collect())
            .collect();
        let (mut secrets, mut keys, mut signatures) = (Vec::new(), Vec::new(), Vec::new());
        for messages in &messages {
            let (secret, key) = SecretKey::generate(&parameters, messages.len(), &mut rng);
            let data_set = secret.open(&parameters, DATA_SET);
            let numbered = messages.iter().enumerate();
            let signed =
                numbered.map(|numbered| secret.sign_in(&parameters, &data_set, numbered, &mut rng));
            signatures.push(signed.collect::<Vec<_>>());
            secrets.push(secret);
            keys.push(key);
        }
        let combined = evaluate(&coefficients, &signatures).expect("signatures of one data set");
        let inputs = coefficients.iter().flatten().zip(messages.iter().flatten());
        let products =
            inputs.map(|(coefficient, message)| Residue::from_u32(*coefficient) * *message);
        let value = products.fold(Residue::default(), |sum, product| sum + product);
        Self {
            parameters,
            secrets,
            keys,
            coefficients,
            messages,
            signatures,
            combined,
            value,
        }
    }

    /// The common part of the first signer's signatures, made anew.
    pub fn open(&self) -> DataSet {
        self.secrets[0].open(&self.parameters, DATA_SET)
    }

    /// The first signature, made anew.
    pub fn sign(&self, rng: &mut ChaCha20Rng) -> Signature {
        let numbered = (0, &self.messages[0][0]);
        self.secrets[0].sign(&self.parameters, DATA_SET, numbered, rng)
    }

    /// The statement that the combined signature proves.
    pub fn statement(&self) -> Statement<'_> {
        Statement {
            keys: &self.keys,
            data_set: DATA_SET,
            coefficients: &self.coefficients,
            value: self.value,
            label_sum: None,
        }
    }
}
