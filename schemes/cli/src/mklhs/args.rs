//! The arguments of `duet-schemes mklhs`, with their help texts.

use super::formats::SignersFile;
use crate::{
    failure::Failure,
    keys::{KeyArg, RegisterArgs},
    output::{Output, To},
};
use duet_mklhs::{Bounds, Scalar, Signers};
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
    Sign(Sign),
    /// Checks single signatures as a batch, and lists the invalid ones.
    Check(Check),
    /// Writes a program: one label for each signer and tag, with the signer's weight.
    Program(Program),
    /// Combines the signatures of a program's inputs into one signature.
    Combine(Combine),
    /// Adds combined signatures, each with a weight, so that signatures can be combined in a tree.
    ///
    /// The parts must not have a label in common. The program of the result is written, too.
    Join(Join),
    /// Verifies combined signatures of one program, and prints the contribution of each signer.
    ///
    /// The program is prepared only once, so verifying several signatures costs little more than one. Valid signatures
    /// are printed even if others are invalid.
    Verify(Verify),
    /// Evidence that a signer signed two numbers under one label.
    #[command(subcommand)]
    Equivocation(Equivocation),
}

#[derive(clap::Subcommand)]
pub(crate) enum Equivocation {
    /// Finds two valid signatures on one label with different numbers, and writes them as a proof.
    Prove(Prove),
    /// Checks whether a proof is valid.
    Check(Evidence),
    /// Checks a proof and revokes the signer's key permanently, in the file of signers.
    Revoke(Evidence),
}

#[derive(clap::Args)]
pub(crate) struct Sign {
    #[command(flatten)]
    pub(super) key: KeyArg,
    #[command(flatten)]
    pub(super) register: RegisterArgs,
    #[command(flatten)]
    pub(super) label: LabelArgs,
    #[command(flatten)]
    pub(super) bounds: BoundsArg,
    #[command(flatten)]
    pub(super) to: To,
    /// The numbers to sign, from a file instead: one TAG=NUMBER in each line; `-` for standard input.
    #[arg(long = "numbers", value_name = "FILE", conflicts_with = "numbers")]
    pub(super) file: Option<PathBuf>,
    /// The numbers to sign: load=17 signs 17 under the tag load.
    #[arg(required_unless_present = "file", value_name = "TAG=NUMBER", value_parser = pair)]
    pub(super) numbers: Vec<(String, Scalar)>,
}

#[derive(clap::Args)]
pub(crate) struct Check {
    #[command(flatten)]
    pub(super) signers: SignersArg,
    #[command(flatten)]
    pub(super) bounds: BoundsArg,
    /// The files of records.
    #[arg(required = true)]
    pub(super) records: Vec<PathBuf>,
}

#[derive(clap::Args)]
pub(crate) struct Program {
    #[command(flatten)]
    pub(super) label: LabelArgs,
    /// The tags. Each gets the same weight.
    #[arg(long = "tag", required = true)]
    pub(super) tags: Vec<String>,
    #[command(flatten)]
    pub(super) bounds: BoundsArg,
    #[command(flatten)]
    pub(super) to: To,
    /// Signers and their weights, from a file instead: one ID=WEIGHT in each line; `-` for standard input.
    #[arg(long = "weights", value_name = "FILE", conflicts_with = "weights")]
    pub(super) file: Option<PathBuf>,
    /// Signers and their weights: the identity in hex, =, and a non-zero number.
    #[arg(required_unless_present = "file", value_name = "ID=WEIGHT", value_parser = pair)]
    pub(super) weights: Vec<(String, Scalar)>,
}

#[derive(clap::Args)]
pub(crate) struct Combine {
    /// The program.
    #[arg(long, value_name = "FILE")]
    pub(super) program: PathBuf,
    #[command(flatten)]
    pub(super) checks: ChecksArg,
    #[command(flatten)]
    pub(super) to: To,
    /// The files of records. Records that are not inputs of the program are ignored.
    #[arg(required = true)]
    pub(super) records: Vec<PathBuf>,
}

#[derive(clap::Args)]
pub(crate) struct Join {
    #[command(flatten)]
    pub(super) checks: ChecksArg,
    /// The output file for the program of the result. Verifiers should create it from their own view instead.
    #[arg(long, value_name = "FILE")]
    pub(super) program: PathBuf,
    #[command(flatten)]
    pub(super) to: To,
    /// A non-zero weight, the program of a part, and its combined signature. Repeat for each part.
    #[arg(long = "part", required = true, num_args = 3, allow_negative_numbers = true,
          value_names = ["WEIGHT", "PROGRAM", "COMBINED"])]
    pub(super) parts: Vec<OsString>,
}

#[derive(clap::Args)]
pub(crate) struct Verify {
    /// The program, from your own view. Never take it from the sender of the signature.
    #[arg(long, value_name = "FILE")]
    pub(super) program: PathBuf,
    #[command(flatten)]
    pub(super) signers: SignersArg,
    /// The expected total. Without it, the total that the signature claims.
    #[arg(long, allow_negative_numbers = true)]
    pub(super) total: Option<Scalar>,
    /// The combined signatures.
    #[arg(required = true)]
    pub(super) combined: Vec<PathBuf>,
}

#[derive(clap::Args)]
pub(crate) struct Prove {
    #[command(flatten)]
    pub(super) signers: SignersArg,
    #[command(flatten)]
    pub(super) to: To,
    /// The files of records. Invalid signatures are dropped.
    #[arg(required = true)]
    pub(super) records: Vec<PathBuf>,
}

#[derive(clap::Args)]
pub(crate) struct Evidence {
    #[command(flatten)]
    pub(super) signers: SignersArg,
    /// The proof.
    pub(super) proof: PathBuf,
}

/// The keys of the signers.
#[derive(clap::Args)]
pub(crate) struct SignersArg {
    /// The file of signers.
    #[arg(long = "signers", value_name = "FILE", id = "signers")]
    pub(super) file: PathBuf,
}

impl SignersArg {
    /// Reads the file, and checks every key and every revocation in it.
    pub(crate) fn check(&self, output: &Output) -> Result<Signers, Failure> {
        SignersFile::read(&self.file)?.check(output)
    }
}

/// The keys with which inputs are checked.
#[derive(clap::Args)]
pub(crate) struct ChecksArg {
    /// The file of signers. Invalid signatures of records are dropped, and an invalid part is an error.
    #[arg(long, value_name = "FILE", required_unless_present = "unchecked")]
    signers: Option<PathBuf>,
    /// Skips all checks. One invalid input makes the result invalid, and the result does not show which.
    #[arg(long, conflicts_with = "signers")]
    unchecked: bool,
}

impl ChecksArg {
    /// The checked signers, if inputs are to be checked.
    pub(super) fn signers(&self, output: &Output) -> Result<Option<Signers>, Failure> {
        let read = |file: &PathBuf| SignersFile::read(file)?.check(output);
        let signers = self.signers.as_ref().filter(|_| !self.unchecked);
        signers.map(read).transpose()
    }
}

/// The range of numbers.
#[derive(clap::Args)]
pub(crate) struct BoundsArg {
    /// Numbers are residues modulo the group order, and not limited to 64 bits.
    #[arg(long)]
    residues: bool,
}

impl BoundsArg {
    pub(super) fn get(&self) -> Bounds {
        if self.residues {
            Bounds::Residues
        } else {
            Bounds::Integers
        }
    }
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
