//! `duet-schemes searchable`: encrypted numbers that a server can find and add without decrypting them.
//!
//! Key files contain the raw bytes. Files of ciphertexts contain concatenated ciphertexts, each with its version byte,
//! which determines its length. So files can be joined with `cat`.

mod aggregate;
mod args;
mod keys;
mod products;
mod readings;
mod records;

use crate::{failure::Failure, output::Output};

/// Encrypted readings that a server can find and add without decrypting them.
#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Generates a receiver's secret key, and the public key that data holders encrypt to.
    Keygen(keys::Keygen),
    /// Prints the fingerprint of a public key.
    Fingerprint {
        /// The public key.
        public: std::path::PathBuf,
    },
    /// Derives the trapdoor of a keyword, with which a server finds and adds its ciphertexts.
    Trapdoor(keys::Trapdoor),
    /// Derives a key that decrypts under one keyword, for a delegate of the receiver.
    Delegate(keys::Delegate),
    /// Encrypts numbers under a keyword.
    Encrypt(readings::Encrypt),
    /// Tests whether all ciphertexts are for a keyword. Reports the first that is not.
    Test(readings::Test),
    /// Keeps the ciphertexts that are for a keyword, and drops the others.
    Search(readings::Search),
    /// Adds ciphertexts: one ciphertext of the (weighted) sum. All of them are tested first.
    Aggregate(aggregate::Aggregate),
    /// Decrypts numbers.
    Decrypt(readings::Decrypt),
    /// Encrypts the components of a vector, so that it can be multiplied once with another vector.
    EncryptVector(products::EncryptVector),
    /// Multiplies two encrypted vectors: computes their encrypted inner product.
    ///
    /// Nothing binds the components of a vector together: whoever holds them can change, swap and repeat them without any key, and the
    /// product is then another one. Take vectors only over a channel that is authenticated.
    InnerProduct(products::InnerProduct),
    /// Decrypts an inner product.
    DecryptProduct(products::DecryptProduct),
}

pub(crate) fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Keygen(command) => keys::keygen(&command, output),
        Command::Fingerprint { public } => keys::fingerprint(&public, output),
        Command::Trapdoor(command) => keys::trapdoor(&command, output),
        Command::Delegate(command) => keys::delegate(&command, output),
        Command::Encrypt(command) => readings::encrypt(&command, output),
        Command::Test(command) => readings::test(&command, output),
        Command::Search(command) => readings::search(&command, output),
        Command::Aggregate(command) => aggregate::aggregate(&command, output),
        Command::Decrypt(command) => readings::decrypt(&command, output),
        Command::EncryptVector(command) => products::encrypt_vector(&command, output),
        Command::InnerProduct(command) => products::inner_product(&command, output),
        Command::DecryptProduct(command) => products::decrypt_product(&command, output),
    }
}
