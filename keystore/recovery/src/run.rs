//! The commands.

use crate::{
    args::{Command, Key, Keys, Members, OwnedKey},
    failure::Failure,
    keys,
    members::{content, read, RecoverySet},
    record::Record,
    words,
};
use duet_keystore::secret_of_suri;
use duet_primitives::{
    recovery_ownership_statement, BlockNumber, CombineError, Drill, Recovery, RecoveryMessage,
    RecoveryVote, H256,
};
use duet_recovery::text::{self, ProofFile, Registration, SignatureFile, StatementFile, Text};
use std::{
    io::{self, Read},
    path::{Path, PathBuf},
};
use zeroize::Zeroizing;

/// Longer than any secret URI.
const MAX_SURI_LEN: u64 = 4096;

/// Runs a command.
pub(crate) fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Generate(keys) => generate(&keys),
        Command::Insert(keys) => insert(&keys),
        Command::Prove(key) => prove(&key),
        Command::Drill {
            key,
            block_number,
            block_hash,
        } => drill(&key, BlockNumber::new(block_number), block_hash),
        Command::Inspect { file } => print(&words::of_text(&file, &content(&file)?)?),
        Command::Sign {
            key,
            members,
            statement,
        } => sign(&key, &members, &statement),
        Command::Combine {
            members,
            signatures,
        } => combine(&members, &signatures),
        Command::Verify { members, proof } => verify(&members, &proof),
    }
}

fn generate(to: &Keys) -> Result<(), Failure> {
    print(&words::of_key(&keys::open(to)?.generate()?))
}

fn insert(to: &Keys) -> Result<(), Failure> {
    let mut suri = Zeroizing::new(String::with_capacity(4096));
    let got = io::stdin()
        .lock()
        .take(MAX_SURI_LEN)
        .read_to_string(&mut suri);
    got.map_err(|error| Failure::File {
        path: "-".into(),
        error,
    })?;
    let secret = secret_of_suri(suri.trim())?;
    let public = secret.public();
    keys::open(to)?.insert(secret)?;
    print(&words::of_key(&public))
}

fn prove(owned: &OwnedKey) -> Result<(), Failure> {
    let secret = keys::secret(&owned.key)?;
    let owner = recovery_ownership_statement(owned.genesis, &owned.account);
    let registration = Registration {
        key: secret.public(),
        proof: secret.prove_recovery_possession(&owner),
    };
    let checked = registration
        .key
        .check_recovery_possession(&owner, &registration.proof);
    checked.map_err(Failure::FaultyProof)?;
    print_with(&registration, &words::of_registration(&registration))
}

fn drill(owned: &OwnedKey, number: BlockNumber, hash: H256) -> Result<(), Failure> {
    let secret = keys::secret(&owned.key)?;
    let drill = Drill::sign(&secret, owned.genesis, &owned.account, number, hash);
    let key = owned.key.key.check()?;
    let checked = drill.check(&key, owned.genesis, &owned.account);
    checked.map_err(Failure::FaultyDrill)?;
    print_with(&drill, &words::of_drill(&drill))
}

fn sign(key: &Key, members: &Members, path: &Path) -> Result<(), Failure> {
    let set = RecoverySet::read(members)?;
    let file: StatementFile = read(path)?;
    duet_process::warn(words::of_statement(&file).trim_end());
    set.check_genesis(path, file.genesis_hash)?;
    set.check_statement(path, &file.statement)?;
    let position = set.keyset.position(&key.key);
    let position = position.ok_or(Failure::NotAMember(key.key))?;
    keys::refuse_missing(&key.keys)?;
    let record = Record::open(&key.keys.keys, key.key, set.genesis_hash)?;
    let secret = keys::secret(key)?;
    record.add(&file.statement)?;
    let message = RecoveryMessage::new(set.genesis_hash, file.statement);
    let vote = RecoveryVote::sign(&secret, position, &message);
    // Signing is deterministic, and a faulty signature can give the secret away.
    let checked = vote.check(&set.keyset, set.genesis_hash);
    checked.map_err(Failure::FaultySignature)?;
    print_with(
        &SignatureFile {
            genesis_hash: set.genesis_hash,
            vote,
        },
        "",
    )
}

fn combine(members: &Members, paths: &[PathBuf]) -> Result<(), Failure> {
    let set = RecoverySet::read(members)?;
    let mut votes: Vec<RecoveryVote> = Vec::new();
    for path in paths {
        let SignatureFile { genesis_hash, vote } = read(path)?;
        set.check_genesis(path, genesis_hash)?;
        votes.push(vote);
    }
    let path = |at: usize| paths.get(at).cloned().unwrap_or_default();
    let combined = Recovery::combine(&set.keyset, set.genesis_hash, &votes);
    let proof = combined.map_err(|error| match error {
        CombineError::OtherStatement { at } => Failure::OtherStatement {
            path: path(at),
            first: path(0),
        },
        CombineError::Vote { at, error } => Failure::Recovery {
            path: path(at),
            error,
        },
        CombineError::RepeatedSigner { signer } => {
            let both = paths.iter().zip(&votes);
            let of_signer = both.filter(|(_, vote)| vote.signer == signer);
            let second = of_signer.map(|(path, _)| path.clone()).nth(1);
            Failure::Repeated {
                path: second.unwrap_or_default(),
                signer,
            }
        }
        other => other.into(),
    })?;
    print_with(
        &ProofFile {
            genesis_hash: set.genesis_hash,
            proof: proof.into_unchecked(),
        },
        "",
    )
}

fn verify(members: &Members, path: &Path) -> Result<(), Failure> {
    let set = RecoverySet::read(members)?;
    let ProofFile {
        genesis_hash,
        proof,
    } = read(path)?;
    set.check_genesis(path, genesis_hash)?;
    let signers = proof.signers.count();
    let checked = proof.check(&set.terms.set, genesis_hash);
    let statement = checked.map_err(|error| Failure::Recovery {
        path: path.to_owned(),
        error,
    })?;
    let file = StatementFile {
        genesis_hash,
        statement: statement.statement().clone(),
    };
    print(&format!(
        "The proof holds: {signers} of {} members signed it.\n{}",
        set.keyset.len(),
        words::of_statement(&file)
    ))
}

/// Prints the text of an object in a line, then more lines.
fn print_with<T: Text>(object: &T, more: &str) -> Result<(), Failure> {
    print(&format!("{}\n{more}", text::write(object)))
}

fn print(result: &str) -> Result<(), Failure> {
    Ok(duet_process::print(result)?)
}
