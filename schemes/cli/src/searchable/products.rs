//! Inner products of encrypted vectors.

use super::{
    args::{KeywordArgs, PublicArgs, ReaderArgs, ServerArgs},
    records::{read_numbers, read_vector},
};
use crate::{
    failure::Failure,
    files, object,
    output::{Output, To},
};
use duet_armour::kinds::{SEARCHABLE_PRODUCT, SEARCHABLE_VECTOR};
use duet_searchable::{EncryptedProduct, Encryptor, Factor, Ring};
use rand::rngs::OsRng;
use serde_json::json;
use std::path::PathBuf;

/// Arguments of `encrypt-vector`.
#[derive(clap::Args)]
pub(crate) struct EncryptVector {
    #[command(flatten)]
    public: PublicArgs,
    #[command(flatten)]
    keyword: KeywordArgs,
    /// The modulus of the numbers is two to this power, from 1 to 16.
    #[arg(long, default_value_t = 16)]
    bits: u8,
    /// The numbers, as text separated by white space or commas; `-` for standard input.
    #[arg(long, value_name = "FILE", default_value = "-")]
    input: PathBuf,
    #[command(flatten)]
    to: To,
}

/// Arguments of `inner-product`.
#[derive(clap::Args)]
pub(crate) struct InnerProduct {
    #[command(flatten)]
    server: ServerArgs,
    /// The first encrypted vector.
    #[arg(long, value_name = "FILE")]
    left: PathBuf,
    /// The second.
    #[arg(long, value_name = "FILE")]
    right: PathBuf,
    #[command(flatten)]
    to: To,
}

/// Arguments of `decrypt-product`.
#[derive(clap::Args)]
pub(crate) struct DecryptProduct {
    #[command(flatten)]
    reader: ReaderArgs,
    /// The encrypted product; `-` for standard input.
    #[arg(long, value_name = "FILE", default_value = "-")]
    input: PathBuf,
    /// The maximum length of the vectors. The search grows with the length, which the product states.
    #[arg(long, value_name = "LENGTH")]
    max_length: Option<usize>,
}

pub(crate) fn encrypt_vector(command: &EncryptVector, output: &Output) -> Result<(), Failure> {
    files::check_outputs(&[&command.to.path], output.existing())?;
    let public = command.public.key()?;
    let keyword = command.keyword.keyword()?;
    let encryptor = Encryptor::new(&public, &keyword).map_err(Failure::input)?;
    let ring = Ring::new(command.bits).map_err(Failure::input)?;
    let numbers: Vec<u32> = read_numbers(&command.input)?;
    let bar = output.progress(numbers.len() as u64, "encrypting");
    let mut records = Vec::new();
    for (index, number) in numbers.iter().enumerate() {
        let factor = Factor::encrypt(&encryptor, ring, *number, &mut OsRng)
            .map_err(|error| Failure::input(format!("number {index}: {error}")))?;
        records.extend(factor.to_bytes());
        bar.inc(1);
    }
    bar.finish_and_clear();
    object::write(&command.to.path, &SEARCHABLE_VECTOR, &records, output)?;
    output.made(
        &[&command.to.path],
        &json!({ "encrypted": numbers.len(), "modulus": ring.modulus() }),
        format!(
            "{} numbers modulo {} encrypted",
            numbers.len(),
            ring.modulus()
        ),
    )
}

pub(crate) fn inner_product(command: &InnerProduct, output: &Output) -> Result<(), Failure> {
    files::check_outputs(&[&command.to.path], output.existing())?;
    let key = command.server.key()?;
    let left = read_vector(&command.left, output)?;
    let right = read_vector(&command.right, output)?;
    let steps = left.len().saturating_add(right.len());
    let bar = output.progress(steps as u64, "testing and multiplying");
    let product = key.inner_product(&left, &right, &mut OsRng, &|steps| bar.inc(steps));
    bar.finish_and_clear();
    let product = product.map_err(Failure::refused)?;
    object::write(
        &command.to.path,
        &SEARCHABLE_PRODUCT,
        &product.to_bytes(),
        output,
    )?;
    let (length, ciphertexts) = (product.length(), product.ciphertexts());
    output.made(
        &[&command.to.path],
        &json!({ "length": length, "ciphertexts": ciphertexts }),
        format!("inner product of length {length} in {ciphertexts} ciphertexts"),
    )
}

pub(crate) fn decrypt_product(command: &DecryptProduct, output: &Output) -> Result<(), Failure> {
    let reader = command.reader.reader()?;
    let input = &command.input;
    let decode = object::refused(EncryptedProduct::from_bytes);
    let product = object::read_one(input, &SEARCHABLE_PRODUCT, decode)?;
    if let Some(most) = command.max_length.filter(|most| product.length() > *most) {
        return Err(Failure::refused(format!(
            "{}: the vectors have length {}, above the limit of {most}",
            command.input.display(),
            product.length()
        )));
    }
    let bound = product.bound().map_err(Failure::refused)?;
    let table = command.reader.table(bound, output)?;
    // Each ciphertext is decrypted, and then its number is searched for.
    let steps = product.ciphertexts().saturating_mul(2);
    let bar = output.progress(steps as u64, "decrypting");
    let number =
        product.decrypt_with_progress(|ciphertext| reader.decrypt(ciphertext), &table, &|steps| {
            bar.inc(steps)
        });
    bar.finish_and_clear();
    let number = number.map_err(Failure::refused)?;
    let modulus = product.ring().modulus();
    output.result(
        &json!({ "number": number, "modulus": modulus }),
        format!("{number} (modulo {modulus})"),
    )
}
