//! The verbs of `duet-schemes mklhs`, and what their help says.

use duet_mklhs::Scalar;
use std::{ffi::OsString, path::PathBuf};

const FORMATS: &str = "\
Files:
  KEY FOLDER    secret (hex, only for its owner), public.json, register.journal, register.anchor. The
                journal says what was signed, and the anchor how far the journal has come. Without one
                of them, or with a journal that is older than its anchor, the key signs nothing.
                NEVER restore the whole folder from an old copy: a journal and an anchor that are old
                together go with each other, nothing can tell, and the key signs other numbers under
                labels that it used. Two numbers under one label give the key away. Keep the anchor
                elsewhere, on another disk and in no backup (--anchor), or the journal (--register).
                A key whose files are lost or old must not sign again: make a new one.
  SIGNERS FILE  {\"signers\": [{\"id\", \"public_key\", \"possession\"}], \"revoked\": [PROOF]}; hex.
                Who changes it holds the lock of the file beside it that ends in .lock.
  RECORD        one line of JSON for each signature:
                {\"context\", \"signer\", \"dataset\", \"tag\", \"message\", \"signature\"}
  PROGRAM       {\"bounds\": \"integers\", \"inputs\": [{\"coefficient\", \"context\", \"signer\", \"dataset\", \"tag\"}]}
                With the bounds \"residues\" numbers are modulo the group's order, and not limited to 64 bits.
  COMBINED      {\"digest\" (of the program), \"total\", \"signature\"}

Texts of labels are UTF-8, or bytes when they start with `hex:`. Numbers are decimal and may be negative.
Wherever a file is read or written, - stands for standard input or output.
Exit status: 0 done, 1 refused by a check, 2 bad input.";

#[derive(clap::Subcommand)]
#[command(after_long_help = FORMATS)]
pub(crate) enum Command {
    /// Makes a key in a new folder, with its proof of possession and an empty register.
    Keygen {
        /// The folder to make.
        key: PathBuf,
        /// Where the register's journal goes, when not into the folder.
        #[arg(long, value_name = "FILE")]
        register: Option<PathBuf>,
        /// Where the register's anchor goes, when not into the folder: best on another disk than the journal.
        #[arg(long, value_name = "FILE")]
        anchor: Option<PathBuf>,
    },
    /// Checks public keys and their proofs of possession, and adds them to a file of signers.
    Register {
        /// The file; made when it is not there.
        #[arg(long, value_name = "FILE")]
        signers: PathBuf,
        /// Files public.json.
        #[arg(required = true)]
        keys: Vec<PathBuf>,
    },
    /// Signs numbers, each under its label, once and for ever.
    Sign {
        /// The key's folder.
        #[arg(long, value_name = "FOLDER")]
        key: PathBuf,
        /// Where the register's journal is, when not in the folder.
        #[arg(long, value_name = "FILE")]
        register: Option<PathBuf>,
        /// Where the register's anchor is, when not in the folder.
        #[arg(long, value_name = "FILE")]
        anchor: Option<PathBuf>,
        #[command(flatten)]
        label: LabelArgs,
        /// Numbers are residues modulo the group's order, and not limited to 64 bits.
        #[arg(long)]
        residues: bool,
        /// Where the records go.
        #[arg(long, short, default_value = "-")]
        output: PathBuf,
        /// What to sign: load=17 signs 17 under the tag load.
        #[arg(required = true, value_name = "TAG=NUMBER", value_parser = pair)]
        numbers: Vec<(String, Scalar)>,
    },
    /// Checks single signatures, all at once, and names those that do not hold.
    Check {
        /// Whose signatures count.
        #[arg(long, value_name = "FILE")]
        signers: PathBuf,
        /// Numbers are residues modulo the group's order, and not limited to 64 bits.
        #[arg(long)]
        residues: bool,
        /// Files of records.
        #[arg(required = true)]
        records: Vec<PathBuf>,
    },
    /// Writes a program: one label for each signer and tag, times the signer's weight.
    Program {
        #[command(flatten)]
        label: LabelArgs,
        /// Tags; the same weight goes to each.
        #[arg(long = "tag", required = true)]
        tags: Vec<String>,
        /// Numbers are residues modulo the group's order, and not limited to 64 bits.
        #[arg(long)]
        residues: bool,
        /// Where the program goes.
        #[arg(long, short, default_value = "-")]
        output: PathBuf,
        /// Signers and their weights: the identity in hex, =, and a number that is not zero.
        #[arg(required = true, value_name = "ID=WEIGHT", value_parser = pair)]
        weights: Vec<(String, Scalar)>,
    },
    /// Combines the signatures that a program names into one.
    Combine {
        /// What to work out.
        #[arg(long, value_name = "FILE")]
        program: PathBuf,
        /// Whose signatures count: each is checked before it goes in, and those that do not hold are left out.
        #[arg(long, value_name = "FILE", required_unless_present = "unchecked")]
        signers: Option<PathBuf>,
        /// Checks nothing: one bad signature spoils the result, and nobody can tell which it was.
        #[arg(long, conflicts_with = "signers")]
        unchecked: bool,
        /// Where the combined signature goes.
        #[arg(long, short, default_value = "-")]
        output: PathBuf,
        /// Files of records; those that the program does not name are left out.
        #[arg(required = true)]
        records: Vec<PathBuf>,
    },
    /// Adds combined signatures up, each times a weight, so that combining can be done in a tree.
    ///
    /// No label may be in two of the parts. The result is the signature of one program, which is written too.
    Join {
        /// Whose signatures count: each part is verified before it goes in.
        #[arg(long, value_name = "FILE", required_unless_present = "unchecked")]
        signers: Option<PathBuf>,
        /// Verifies nothing: one bad part spoils the result, and nobody can tell which it was.
        #[arg(long, conflicts_with = "signers")]
        unchecked: bool,
        /// Where the program of the whole goes. Whoever verifies writes it from their own view.
        #[arg(long, value_name = "FILE")]
        program: PathBuf,
        /// Where the combined signature goes.
        #[arg(long, short, default_value = "-")]
        output: PathBuf,
        /// A weight that is not zero, the program of a part, and its combined signature: once for each part.
        #[arg(long = "part", required = true, num_args = 3, allow_negative_numbers = true,
              value_names = ["WEIGHT", "PROGRAM", "COMBINED"])]
        parts: Vec<OsString>,
    },
    /// Verifies combined signatures of one program, and says what each signer contributes.
    ///
    /// The program is prepared once: more than one signature costs little more than one. Those that hold are printed even
    /// when others do not.
    Verify {
        /// What was worked out, in your own view: never take it from whom the signature comes from.
        #[arg(long, value_name = "FILE")]
        program: PathBuf,
        /// Whose signatures count.
        #[arg(long, value_name = "FILE")]
        signers: PathBuf,
        /// The total that the signature should prove; what it says itself when left out.
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
    /// Finds two signatures on one label of two numbers, checks both, and writes them as a proof, in hex.
    Prove {
        /// Whose keys are known: what does not hold is no evidence, and is left out.
        #[arg(long, value_name = "FILE")]
        signers: PathBuf,
        /// Where the proof goes.
        #[arg(long, short, default_value = "-")]
        output: PathBuf,
        /// Files of records.
        #[arg(required = true)]
        records: Vec<PathBuf>,
    },
    /// Says whether a proof convicts its signer.
    Check {
        /// Whose keys are known.
        #[arg(long, value_name = "FILE")]
        signers: PathBuf,
        /// The proof.
        proof: PathBuf,
    },
    /// Checks a proof and revokes the signer's key for ever.
    Revoke {
        /// The file that the revocation goes into.
        #[arg(long, value_name = "FILE")]
        signers: PathBuf,
        /// The proof.
        proof: PathBuf,
    },
}

#[derive(clap::Args)]
pub(crate) struct LabelArgs {
    /// The chain or deployment.
    #[arg(long)]
    pub(super) context: String,
    /// The epoch or height.
    #[arg(long)]
    pub(super) dataset: String,
}

/// What is before the last `=`, and the number after it.
fn pair(text: &str) -> Result<(String, Scalar), String> {
    let (name, number) = text
        .rsplit_once('=')
        .ok_or("there is no = between a name and a number")?;
    let number = number.parse().map_err(|error| format!("{error}"))?;
    Ok((name.to_owned(), number))
}
