//! The arguments of `duet-schemes mklhs`, with their help texts.

use crate::{
    keys::{KeyArg, RegisterArgs},
    output::To,
};
use duet_mklhs::Scalar;
use std::{ffi::OsString, path::PathBuf};

const NOTES: &str = "\
Texts of labels are UTF-8, or bytes when they start with `hex:`. Numbers are decimal and may be negative. A file of signers contains \
public keys, and equivocation proofs that revoke keys; `cat` joins public keys, too, and every command checks all of them.

NEVER restore the whole folder of a key from an old copy: an old journal and an old anchor are consistent, so this is not detected, \
and the key signs other numbers under labels that it has used. Two numbers under one label compromise the key. Keep the anchor on \
another disk and out of backups (--anchor), or the journal (--register). A key whose files are lost or old must not sign again: \
generate a new one.";

#[derive(clap::Subcommand)]
#[command(after_long_help = NOTES)]
pub(crate) enum Command {
    /// Generates a key in a new folder, with its proof of possession and an empty register.
    Keygen {
        /// The folder to create.
        key: PathBuf,
        #[command(flatten)]
        register: RegisterArgs,
    },
    /// Checks public keys and their proofs of possession, and adds them to a file of signers.
    Register {
        /// The file of signers; created if it is missing.
        #[arg(long, value_name = "FILE")]
        signers: PathBuf,
        /// The public keys to add: files, or folders of keys.
        #[arg(required = true)]
        keys: Vec<PathBuf>,
    },
    /// Signs numbers, each under its label. A label can be signed only once.
    Sign {
        #[command(flatten)]
        key: KeyArg,
        #[command(flatten)]
        register: RegisterArgs,
        #[command(flatten)]
        label: LabelArgs,
        /// Numbers are residues modulo the group order, and not limited to 64 bits.
        #[arg(long)]
        residues: bool,
        #[command(flatten)]
        to: To,
        /// The numbers to sign, from a file instead: one TAG=NUMBER in each line; `-` for standard input.
        #[arg(long = "numbers", value_name = "FILE", conflicts_with = "numbers")]
        file: Option<PathBuf>,
        /// The numbers to sign: load=17 signs 17 under the tag load.
        #[arg(required_unless_present = "file", value_name = "TAG=NUMBER", value_parser = pair)]
        numbers: Vec<(String, Scalar)>,
    },
    /// Checks single signatures as a batch, and lists the invalid ones.
    Check {
        /// The file of signers.
        #[arg(long, value_name = "FILE")]
        signers: PathBuf,
        /// Numbers are residues modulo the group order, and not limited to 64 bits.
        #[arg(long)]
        residues: bool,
        /// The files of records.
        #[arg(required = true)]
        records: Vec<PathBuf>,
    },
    /// Writes a program: one label for each signer and tag, with the signer's weight.
    Program {
        #[command(flatten)]
        label: LabelArgs,
        /// The tags. Each gets the same weight.
        #[arg(long = "tag", required = true)]
        tags: Vec<String>,
        /// Numbers are residues modulo the group order, and not limited to 64 bits.
        #[arg(long)]
        residues: bool,
        #[command(flatten)]
        to: To,
        /// Signers and their weights, from a file instead: one ID=WEIGHT in each line; `-` for standard input.
        #[arg(long = "weights", value_name = "FILE", conflicts_with = "weights")]
        file: Option<PathBuf>,
        /// Signers and their weights: the identity in hex, =, and a non-zero number.
        #[arg(required_unless_present = "file", value_name = "ID=WEIGHT", value_parser = pair)]
        weights: Vec<(String, Scalar)>,
    },
    /// Combines the signatures of a program's inputs into one signature.
    Combine {
        /// The program.
        #[arg(long, value_name = "FILE")]
        program: PathBuf,
        /// The file of signers. Each signature is checked, and invalid ones are dropped.
        #[arg(long, value_name = "FILE", required_unless_present = "unchecked")]
        signers: Option<PathBuf>,
        /// Skips all checks. One invalid signature makes the result invalid, and the result does not show which.
        #[arg(long, conflicts_with = "signers")]
        unchecked: bool,
        #[command(flatten)]
        to: To,
        /// The files of records. Records that are not inputs of the program are ignored.
        #[arg(required = true)]
        records: Vec<PathBuf>,
    },
    /// Adds combined signatures, each with a weight, so that signatures can be combined in a tree.
    ///
    /// The parts must not have a label in common. The program of the result is written, too.
    Join {
        /// The file of signers. Each part is verified.
        #[arg(long, value_name = "FILE", required_unless_present = "unchecked")]
        signers: Option<PathBuf>,
        /// Skips all checks. One invalid part makes the result invalid, and the result does not show which.
        #[arg(long, conflicts_with = "signers")]
        unchecked: bool,
        /// The output file for the program of the result. Verifiers should create it from their own view instead.
        #[arg(long, value_name = "FILE")]
        program: PathBuf,
        #[command(flatten)]
        to: To,
        /// A non-zero weight, the program of a part, and its combined signature. Repeat for each part.
        #[arg(long = "part", required = true, num_args = 3, allow_negative_numbers = true,
              value_names = ["WEIGHT", "PROGRAM", "COMBINED"])]
        parts: Vec<OsString>,
    },
    /// Verifies combined signatures of one program, and prints the contribution of each signer.
    ///
    /// The program is prepared only once, so verifying several signatures costs little more than one. Valid signatures
    /// are printed even if others are invalid.
    Verify {
        /// The program, from your own view. Never take it from the sender of the signature.
        #[arg(long, value_name = "FILE")]
        program: PathBuf,
        /// The file of signers.
        #[arg(long, value_name = "FILE")]
        signers: PathBuf,
        /// The expected total. Without it, the total that the signature claims.
        #[arg(long, allow_negative_numbers = true)]
        total: Option<Scalar>,
        /// The combined signatures.
        #[arg(required = true)]
        combined: Vec<PathBuf>,
    },
    /// Evidence that a signer signed two numbers under one label.
    #[command(subcommand)]
    Equivocation(Equivocation),
}

#[derive(clap::Subcommand)]
pub(crate) enum Equivocation {
    /// Finds two valid signatures on one label with different numbers, and writes them as a proof.
    Prove {
        /// The file of signers. Invalid signatures are dropped.
        #[arg(long, value_name = "FILE")]
        signers: PathBuf,
        #[command(flatten)]
        to: To,
        /// The files of records.
        #[arg(required = true)]
        records: Vec<PathBuf>,
    },
    /// Checks whether a proof is valid.
    Check {
        /// The file of signers.
        #[arg(long, value_name = "FILE")]
        signers: PathBuf,
        /// The proof.
        proof: PathBuf,
    },
    /// Checks a proof and revokes the signer's key permanently.
    Revoke {
        /// The file of signers to update.
        #[arg(long, value_name = "FILE")]
        signers: PathBuf,
        /// The proof.
        proof: PathBuf,
    },
}

#[derive(clap::Args)]
pub(crate) struct LabelArgs {
    /// The chain or the deployment.
    #[arg(long)]
    pub(super) context: String,
    /// The epoch or the height.
    #[arg(long)]
    pub(super) dataset: String,
}

/// Splits at the last `=`. The right side is a number.
pub(super) fn pair(text: &str) -> Result<(String, Scalar), String> {
    let (name, number) = text.rsplit_once('=').ok_or("expected NAME=NUMBER")?;
    let number = number.parse().map_err(|error| format!("{error}"))?;
    Ok((name.to_owned(), number))
}
