//! Shared by the integration tests: the vectors, seeded randomness, and reference equations that share no code with the
//! library.
#![allow(dead_code, unreachable_pub)]

pub mod judge;

use duet_searchable::{
    Ciphertext, DecryptionKey, EncryptedProduct, Encryptor, EvaluationError, Factor,
    HomomorphicKey, InnerProductError, Keyword, MasterKey, Message, Rejected, Ring, RingError,
    Term, Tested,
};
use rand_chacha::ChaCha20Rng;
use rand_core::{CryptoRng, Error, RngCore, SeedableRng};
use serde_json::Value;

pub fn rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

pub fn vectors() -> Value {
    serde_json::from_str(include_str!("../vectors/mr-she.json")).expect("JSON")
}

pub fn bytes(value: &Value) -> Vec<u8> {
    hex::decode(value.as_str().expect("a string")).expect("hex")
}

pub fn array<const N: usize>(value: &Value) -> [u8; N] {
    bytes(value).try_into().expect("so many bytes")
}

/// A generator that makes the library draw the given scalars, big-endian.
pub struct Replay(Vec<u8>);

impl Replay {
    pub fn new(scalars: &[[u8; 32]]) -> Self {
        // A scalar is drawn as 64 bytes modulo the group order. The first byte is at the end.
        let mut bytes: Vec<u8> = scalars
            .iter()
            .flat_map(|scalar| [&[0; 32][..], scalar].concat())
            .collect();
        bytes.reverse();
        Self(bytes)
    }
}

impl RngCore for Replay {
    fn next_u32(&mut self) -> u32 {
        unreachable!("only scalars are replayed")
    }
    fn next_u64(&mut self) -> u64 {
        unreachable!("only scalars are replayed")
    }
    fn fill_bytes(&mut self, dest: &mut [u8]) {
        dest.fill_with(|| self.0.pop().expect("as many as were recorded"));
    }
    fn try_fill_bytes(&mut self, dest: &mut [u8]) -> Result<(), Error> {
        self.fill_bytes(dest);
        Ok(())
    }
}

impl CryptoRng for Replay {}

/// A receiver, a keyword, and its keys.
pub struct Setting {
    pub master: MasterKey,
    pub keyword: Keyword,
    pub encryptor: Encryptor,
    pub server: HomomorphicKey,
    pub rng: ChaCha20Rng,
}

impl Setting {
    pub fn new(seed: u64) -> Self {
        let mut rng = rng(seed);
        let master = MasterKey::generate(&mut rng).expect("a seed");
        let keyword = Keyword::telemetry("duet", "cpu", seed).expect("short");
        Self {
            encryptor: Encryptor::new(master.public_key(), &keyword).expect("no hit"),
            server: master.homomorphic_key(&keyword).expect("no hit"),
            master,
            keyword,
            rng,
        }
    }

    pub fn encrypt(&mut self, number: i64) -> Ciphertext {
        self.encryptor.encrypt(number, &mut self.rng)
    }

    pub fn decrypt(&self, ciphertext: &Ciphertext) -> Result<Message, Rejected> {
        self.master.decrypt(&self.keyword, ciphertext)
    }

    /// The decryption key of a delegate.
    pub fn delegated(&self) -> DecryptionKey {
        self.master.decryption_key(&self.keyword).expect("no hit")
    }

    pub fn add(&mut self, x: &Ciphertext, y: &Ciphertext) -> Result<Tested, EvaluationError> {
        self.server.add(x, y, &mut self.rng)
    }

    pub fn sum(&mut self, terms: &[Term<'_>], constant: i64) -> Result<Tested, EvaluationError> {
        self.server.evaluate(terms, constant, &mut self.rng)
    }

    pub fn factor(&mut self, ring: Ring, number: u32) -> Result<Factor, RingError> {
        Factor::encrypt(&self.encryptor, ring, number, &mut self.rng)
    }

    pub fn product(
        &mut self,
        left: &[Factor],
        right: &[Factor],
    ) -> Result<EncryptedProduct, InnerProductError> {
        self.server.inner_product(left, right, &mut self.rng, &())
    }

    /// The same receiver with another keyword.
    pub fn other(&self, name: &str) -> (Keyword, Encryptor, HomomorphicKey) {
        let keyword = Keyword::new(name).expect("short");
        let encryptor = Encryptor::new(self.master.public_key(), &keyword).expect("no hit");
        let server = self.master.homomorphic_key(&keyword).expect("no hit");
        (keyword, encryptor, server)
    }
}
