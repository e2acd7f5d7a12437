//! The texts that commands read, and the recovery set that they are checked against.

use crate::{args::Members, failure::Failure};
use duet_primitives::{Keyset, RecoveryStatement, RecoveryTerms, H256};
use duet_recovery::text::{self, MembersFile, Text, MAX_TEXT_LEN};
use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

/// The content of a file, or of the standard input for `-`; one byte more than a text may have, at most.
pub(crate) fn content(path: &Path) -> Result<String, Failure> {
    let limit = u64::try_from(MAX_TEXT_LEN).unwrap_or(u64::MAX);
    let limit = limit.saturating_add(1);
    let mut content = String::new();
    let got = if path == Path::new("-") {
        io::stdin().lock().take(limit).read_to_string(&mut content)
    } else {
        let open = File::open(path);
        open.and_then(|file| file.take(limit).read_to_string(&mut content))
    };
    match got {
        Ok(_) => Ok(content),
        Err(error) => Err(Failure::File {
            path: path.to_owned(),
            error,
        }),
    }
}

/// The object in a file.
pub(crate) fn read<T: Text>(path: &Path) -> Result<T, Failure> {
    text::read(&content(path)?).map_err(|error| Failure::Text {
        path: path.to_owned(),
        error,
    })
}

/// A checked recovery set.
pub(crate) struct RecoverySet {
    pub(crate) genesis_hash: H256,
    pub(crate) terms: RecoveryTerms,
    pub(crate) keyset: Keyset,
}

impl RecoverySet {
    /// Reads the members, and checks them against the commitment beside them.
    pub(crate) fn read(Members { members: path }: &Members) -> Result<Self, Failure> {
        let MembersFile {
            genesis_hash,
            terms,
            keys,
        } = read(path)?;
        match Keyset::check(&terms.set, &keys) {
            Ok(keyset) => Ok(Self {
                genesis_hash,
                terms,
                keyset,
            }),
            Err(error) => Err(Failure::Members {
                path: path.clone(),
                error: Box::new(error),
            }),
        }
    }

    /// Refuses a text about another chain.
    pub(crate) fn check_genesis(&self, path: &Path, got: H256) -> Result<(), Failure> {
        let expected = self.genesis_hash;
        if got == expected {
            return Ok(());
        }
        Err(Failure::OtherGenesis {
            path: path.to_owned(),
            expected,
            got,
        })
    }

    /// Refuses a statement that is not well-formed, or that another recovery set signs. (RECOVER-5, RECOVER-6)
    pub(crate) fn check_statement(
        &self,
        path: &Path,
        statement: &RecoveryStatement,
    ) -> Result<(), Failure> {
        let checked = statement.check_for(&self.terms.set);
        checked.map_err(|error| Failure::Recovery {
            path: path.to_owned(),
            error,
        })
    }
}
