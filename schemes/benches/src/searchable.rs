//! The workload of the searchable-encryption paper.

use duet_searchable::{
    Ciphertext, Encryptor, Factor, HomomorphicKey, Keyword, MasterKey, Ring, Tested,
};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

/// The numbers of ciphertexts in the sums of Figure 2.
pub const INPUTS: [usize; 12] = [4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192];
/// The lengths of vectors.
pub const LENGTHS: [usize; 3] = [10, 100, 1000];

/// The generator of everything here.
pub fn rng() -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(4)
}

/// One receiver, one keyword.
pub struct Setting {
    /// The receiver's key.
    pub master: MasterKey,
    /// The keyword.
    pub keyword: Keyword,
    /// The encryptor of the data holders.
    pub encryptor: Encryptor,
    /// The server's key.
    pub server: HomomorphicKey,
}

impl Setting {
    /// Keys from a fixed seed.
    ///
    /// # Panics
    /// If the seed gives no keys, which it does.
    pub fn new() -> Self {
        let master = MasterKey::generate(&mut rng()).expect("a usable seed");
        let keyword = Keyword::telemetry("duet", "cpu", 1).expect("short");
        Self {
            encryptor: Encryptor::new(master.public_key(), &keyword)
                .expect("no collision with the secret"),
            server: master
                .homomorphic_key(&keyword)
                .expect("no collision with the secret"),
            master,
            keyword,
        }
    }

    /// So many encryptions of 1.
    pub fn ciphertexts(&self, count: usize) -> Vec<Ciphertext> {
        let mut rng = rng();
        (0..count)
            .map(|_| self.encryptor.encrypt(1, &mut rng))
            .collect()
    }

    /// The ciphertexts, after the test.
    ///
    /// # Panics
    /// If one is not of the keyword.
    pub fn tested(&self, ciphertexts: &[Ciphertext]) -> Vec<Tested> {
        let tested = self.server.test_all(ciphertexts, &());
        tested
            .into_iter()
            .map(|tested| tested.expect("its own"))
            .collect()
    }
}

impl Default for Setting {
    fn default() -> Self {
        Self::new()
    }
}

/// A vector of bytes, the first ones counted from `first`, encrypted for products.
///
/// # Panics
/// If a byte is not of the ring, which it is.
pub fn factors(setting: &Setting, first: u32, length: usize) -> Vec<Factor> {
    let ring = Ring::new(8).expect("eight bits");
    let mut rng = rng();
    let factor = |number: u32| {
        Factor::encrypt(&setting.encryptor, ring, number % 256, &mut rng).expect("a byte")
    };
    (first..).map(factor).take(length).collect()
}
