//! Records of vouchers: chains of statements about one checkpoint.

use crate::statement::{CheckpointHash, GenesisHash, NotAStatement, Statement, Subject};
use duet_sequential::{
    Epoch, Fingerprint, HopNumber, MalformedRecord, RawPrivate, Record, RecordError, SecretKey,
    Statement as Signed, Time, VerifyError,
};
use thiserror::Error;

/// A record's epoch is not signed. So nothing depends on it, and it has one value.
const EPOCH: Epoch = Epoch(0);

/// Statements about one checkpoint and the signature of all of them, not verified.
///
/// It is a record of `duet-sequential`: a hop for each statement, in the order of signing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vouched {
    record: Record,
    subject: Subject,
    /// The statements of the hops; at least one.
    statements: Vec<Statement>,
}

/// Why bytes are not a record of vouchers.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MalformedVouched {
    /// It is no record.
    #[error("not a record of vouchers: {0}")]
    Record(#[from] MalformedRecord),
    /// It names an epoch.
    #[error("not a record of vouchers: expected epoch 0, got {got}")]
    Epoch {
        /// The epoch.
        got: Epoch,
    },
    /// It has no hop.
    #[error("not a record of vouchers: it has no hops")]
    NoHop,
    /// A hop's message is no statement.
    #[error("hop {hop} by key {fingerprint}: {error}")]
    NotAStatement {
        /// The hop.
        hop: HopNumber,
        /// The key that it names.
        fingerprint: Fingerprint,
        /// The error in the message.
        error: NotAStatement,
    },
    /// A hop's statement has another key than the hop names.
    #[error("hop {hop} by key {expected}: its statement is by key {got}")]
    OtherKey {
        /// The hop.
        hop: HopNumber,
        /// The key that the hop names.
        expected: Fingerprint,
        /// The key in the statement.
        got: Fingerprint,
    },
    /// A hop's statement is about something else than that of the first hop.
    #[error(
        "hop {hop} by key {fingerprint}: the statement is for checkpoint {} of chain {}, the first is for {} of {}",
        got.checkpoint, got.genesis, expected.checkpoint, expected.genesis
    )]
    OtherSubject {
        /// The hop.
        hop: HopNumber,
        /// Its key.
        fingerprint: Fingerprint,
        /// The subject of the first hop.
        expected: Box<Subject>,
        /// The subject of this hop.
        got: Box<Subject>,
    },
}

/// A record is for something else than was asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum WrongSubject {
    /// It is for another chain.
    #[error("the vouchers are for the chain {got}, and not for {expected}")]
    Chain {
        /// The chain that was asked about.
        expected: GenesisHash,
        /// The chain of the record.
        got: GenesisHash,
    },
    /// It is for another checkpoint of this chain.
    #[error("the vouchers are for the checkpoint with SHA-256 {got}, and not for {expected}")]
    Checkpoint {
        /// The checkpoint that was asked about.
        expected: CheckpointHash,
        /// The checkpoint of the record.
        got: CheckpointHash,
    },
}

/// The signature of a record does not hold. It is one signature of all hops, so that the error accuses nobody.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the vouchers' signature is invalid, and the signer at fault cannot be identified: {0}")]
pub struct InvalidSignature(#[from] pub VerifyError);

/// Why a statement was not added.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum VouchError {
    /// The record is for something else.
    #[error(transparent)]
    Subject(#[from] WrongSubject),
    /// The record is broken already: another statement on top of it would be lost.
    #[error(transparent)]
    Signature(#[from] InvalidSignature),
    /// Signing failed.
    #[error(transparent)]
    Sign(#[from] RecordError),
}

impl Vouched {
    /// Begins a record: the key's holder trusts the subject at this time.
    ///
    /// # Errors
    /// Signing failed.
    pub fn first<R: RawPrivate>(
        key: &SecretKey<R>,
        subject: Subject,
        signed_at: Time,
    ) -> Result<Self, VouchError> {
        let statement = statement(key, subject, signed_at);
        Ok(Self {
            record: Record::first(key, &statement.to_bytes(), EPOCH)?,
            subject,
            statements: vec![statement],
        })
    }

    /// Adds a statement to this record.
    ///
    /// The scheme would let a hop sign blindly. This function checks first, as a signature on a broken record is
    /// worthless: the record must be for the same subject, and its signature must hold. It needs no list of keys for
    /// that.
    ///
    /// Cost: one public operation for each hop, and one signature.
    ///
    /// # Errors
    /// The first of these: another subject, a broken signature, signing failed.
    pub fn append<R: RawPrivate>(
        &self,
        key: &SecretKey<R>,
        subject: Subject,
        signed_at: Time,
    ) -> Result<Self, VouchError> {
        self.check_subject(&subject)?;
        self.check_signature()?;
        let statement = statement(key, subject, signed_at);
        let record = self.record.append(key, &statement.to_bytes())?;
        let known = self.statements.iter().cloned();
        Ok(Self {
            record,
            subject,
            statements: known.chain([statement]).collect(),
        })
    }

    /// The subject of all statements, unverified.
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// The statements in the order of signing, unverified; at least one.
    pub fn statements(&self) -> &[Statement] {
        &self.statements
    }

    /// The encoding, which is that of the record.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.record.to_bytes()
    }

    /// Decodes the bytes of [`Vouched::to_bytes`]. Allocates no more than a small multiple of the input.
    ///
    /// Cost: about a millisecond for each hop, of which there are 255 at most.
    ///
    /// # Errors
    /// The first check that fails, in the order of [`MalformedVouched`], hop by hop.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, MalformedVouched> {
        let record = Record::from_bytes(bytes)?;
        if record.epoch() != EPOCH {
            let got = record.epoch();
            return Err(MalformedVouched::Epoch { got });
        }
        let mut statements: Vec<Statement> = Vec::with_capacity(record.claims().len());
        for (claim, number) in record.claims().iter().zip(1..) {
            let hop = HopNumber::new(number).map_err(|_| MalformedVouched::NoHop)?;
            let fingerprint = claim.fingerprint;
            let statement = Statement::from_bytes(&claim.message).map_err(|error| {
                MalformedVouched::NotAStatement {
                    hop,
                    fingerprint,
                    error,
                }
            })?;
            let first = statements.first().unwrap_or(&statement);
            check_hop(hop, fingerprint, &statement, &first.subject)?;
            statements.push(statement);
        }
        let subject = statements.first().ok_or(MalformedVouched::NoHop)?.subject;
        Ok(Self {
            record,
            subject,
            statements,
        })
    }

    /// Checks that this record is for a subject.
    ///
    /// # Errors
    /// The chain, then the checkpoint.
    pub fn check_subject(&self, expected: &Subject) -> Result<(), WrongSubject> {
        let got = self.subject;
        if got.genesis != expected.genesis {
            return Err(WrongSubject::Chain {
                expected: expected.genesis,
                got: got.genesis,
            });
        }
        if got.checkpoint != expected.checkpoint {
            return Err(WrongSubject::Checkpoint {
                expected: expected.checkpoint,
                got: got.checkpoint,
            });
        }
        Ok(())
    }

    /// Checks that each statement was signed by the holder of the key in it.
    ///
    /// Cost: one public operation for each hop.
    ///
    /// # Errors
    /// The signature does not hold, or keys of two sizes are mixed.
    ///
    /// # Security
    /// The keys are those in the statements, which anybody can choose. That does no harm to others: a statement by an honest
    /// key cannot be forged, whatever the other keys are. It means nothing about a key that nobody trusts.
    pub fn check_signature(&self) -> Result<(), InvalidSignature> {
        let claims = self.record.claims().iter();
        let signed: Vec<_> = claims
            .zip(&self.statements)
            .map(|(claim, statement)| Signed {
                key: &statement.key,
                message: &claim.message,
            })
            .collect();
        Ok(self.record.signature().verify(&signed)?)
    }
}

fn statement<R: RawPrivate>(key: &SecretKey<R>, subject: Subject, signed_at: Time) -> Statement {
    Statement {
        subject,
        signed_at,
        key: key.public().clone(),
    }
}

fn check_hop(
    hop: HopNumber,
    fingerprint: Fingerprint,
    statement: &Statement,
    expected: &Subject,
) -> Result<(), MalformedVouched> {
    let got = statement.key.fingerprint();
    if got != fingerprint {
        let expected = fingerprint;
        return Err(MalformedVouched::OtherKey { hop, expected, got });
    }
    if statement.subject != *expected {
        return Err(MalformedVouched::OtherSubject {
            hop,
            fingerprint,
            expected: Box::new(*expected),
            got: Box::new(statement.subject),
        });
    }
    Ok(())
}
