//! `duet-schemes searchable`: encrypted numbers that a server can find and add without decrypting them.
//!
//! An object of ciphertexts contains them one after another, each with its version byte, which determines its length.

mod aggregate;
mod args;
mod keys;
mod products;
mod readings;
mod records;

use crate::{failure::Failure, output::Output};
use duet_armour::{
    kinds::{
        SEARCHABLE_CIPHERTEXTS, SEARCHABLE_PRODUCT, SEARCHABLE_PUBLIC_KEY, SEARCHABLE_SECRET_KEY,
        SEARCHABLE_VECTOR,
    },
    Object,
};
use duet_searchable::{EncryptedProduct, FACTOR_LEN};
use serde_json::{json, Value};

/// Encrypted readings that a server can find and add without decrypting them.
#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Generates a receiver's secret key, and the public key that data holders encrypt to.
    Keygen(keys::Keygen),
    /// Derives the trapdoor of a keyword, with which a server finds and adds its ciphertexts.
    Trapdoor(keys::Derive),
    /// Derives a key that decrypts under one keyword, for a delegate of the receiver.
    Delegate(keys::Derive),
    /// Encrypts numbers under a keyword.
    Encrypt(readings::Encrypt),
    /// Tests whether all ciphertexts are for a keyword. Reports the first that is not.
    Test(readings::Test),
    /// Keeps the ciphertexts that are for a keyword, and drops the others.
    Search(readings::Search),
    /// Adds ciphertexts into one ciphertext of the (weighted) sum. All are tested first.
    Aggregate(aggregate::Aggregate),
    /// Decrypts numbers.
    Decrypt(readings::Decrypt),
    /// Encrypts the components of a vector, so that it can be multiplied once with another vector.
    EncryptVector(products::EncryptVector),
    /// Multiplies two encrypted vectors: computes their encrypted inner product.
    ///
    /// Nothing binds the components of a vector together: any holder can change, swap and repeat them without a key,
    /// which changes the product. Accept vectors only over an authenticated channel.
    InnerProduct(products::InnerProduct),
    /// Decrypts an inner product.
    DecryptProduct(products::DecryptProduct),
}

pub(crate) fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Keygen(command) => keys::keygen(&command, output),
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

/// The type and content of an object of this scheme.
pub(crate) fn describe(object: &Object) -> Result<(Value, String), Failure> {
    let kind = object.kind();
    let bytes = |content: &[u8]| {
        let bytes = content.len();
        (json!({ "bytes": bytes }), format!("{bytes} bytes"))
    };
    if *kind == SEARCHABLE_SECRET_KEY {
        keys::master(object)?;
        Ok((json!({}), "a secret".to_owned()))
    } else if *kind == SEARCHABLE_PUBLIC_KEY {
        Ok(bytes(&keys::public(object)?.to_bytes()))
    } else if *kind == SEARCHABLE_CIPHERTEXTS {
        let count = records::count(object.content()?)?;
        let text = format!("{count} ciphertexts, unverified");
        Ok((json!({ "ciphertexts": count }), text))
    } else if *kind == SEARCHABLE_VECTOR {
        let length = object.content()?.len() / FACTOR_LEN;
        let text = format!("a vector of length {length}, unverified");
        Ok((json!({ "length": length }), text))
    } else if *kind == SEARCHABLE_PRODUCT {
        let product = EncryptedProduct::from_bytes(object.content()?).map_err(Failure::refused)?;
        let (length, modulus) = (product.length(), product.ring().modulus());
        let text = format!("an inner product of length {length} modulo {modulus}, unverified");
        Ok((json!({ "length": length, "modulus": modulus }), text))
    } else {
        // A key for one keyword: only with the public key and the keyword can it be checked.
        Ok(bytes(object.content()?))
    }
}
