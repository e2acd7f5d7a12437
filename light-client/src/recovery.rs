//! Recovery: a client crosses a reset by a proof of the recovery set, after a wait. (RECOVER-7, RECOVER-8)
//!
//! The wait is the time in which a proof of a newer block shows that the signers lie. It protects only a client that
//! can reach at least one honest server within it.

use crate::{
    age::{TooOld, MAX_AHEAD},
    announced::Announced,
    checkpoint::check_set,
    reset::ResetClaim,
    trusted::{Best, Trusted, TrustedSet},
};
use alloc::boxed::Box;
use codec::DecodeAll;
use duet_primitives::{
    BlockNumber, Culprit, RecoveryError, RecoveryProof, RecoveryStatement, RecoveryTerms, SetId,
    H256,
};

/// Why a recovery is not announced, or not crossed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecoverError {
    /// RECOVER-7: the statement is about another block than the newest proven one.
    #[error("RECOVER-7: the statement is about block {got} ({got_hash:?}), but the newest proven block is {best} ({best_hash:?})")]
    OtherBlock {
        /// Number of the newest proven block.
        best: BlockNumber,
        /// Its hash.
        best_hash: H256,
        /// The number in the statement.
        got: BlockNumber,
        /// The hash in the statement.
        got_hash: H256,
    },
    /// RECOVER-7: the ended set is not a trusted one.
    #[error("RECOVER-7: the statement says that set {got} ended, but set {signing} signs, and then set {latest}")]
    OtherEnded {
        /// The set that signs.
        signing: SetId,
        /// Its trusted successor, or itself.
        latest: SetId,
        /// The ended set in the statement.
        got: SetId,
    },
    /// RECOVER-7: the new set is not above the trusted ones.
    #[error("RECOVER-7: the new set {got} is not above the newest trusted set {latest}")]
    NotAbove {
        /// The newest trusted set.
        latest: SetId,
        /// The new set in the statement.
        got: SetId,
    },
    /// RECOVER-7: the clock stands before the time of the newest proven block.
    #[error("RECOVER-7: the newest proven block is {ahead} s in the future, so this clock is wrong, and cannot measure the wait")]
    ClockBehind {
        /// By how many seconds.
        ahead: u64,
    },
    /// RECOVER-6: the proof.
    #[error("RECOVER-6: invalid recovery proof: {0}")]
    Proof(#[from] RecoveryError),
    /// LIGHT-9: nothing proves how old the newest block is.
    #[error("LIGHT-9: the time of the newest trusted block is not proven")]
    AgeUnknown,
    /// LIGHT-9: the newest block is too old.
    #[error(transparent)]
    TooOld(#[from] TooOld),
    /// RECOVER-8: nothing was announced.
    #[error("RECOVER-8: no recovery is announced")]
    NothingAnnounced,
    /// RECOVER-8: the recovery set signed two statements about one block.
    #[error("RECOVER-8: recovery set {set} signed two statements about block {block}, of which at most one is true")]
    Contradicted {
        /// The recovery set.
        set: SetId,
        /// The block.
        block: BlockNumber,
    },
    /// RECOVER-8: the wait is not over.
    #[error("RECOVER-8: {left} s of the wait are left")]
    Early {
        /// How many seconds are left.
        left: u64,
    },
}

impl RecoverError {
    /// The id of the broken rule, as `docs/spec` numbers them.
    pub fn rule(&self) -> &'static str {
        match self {
            Self::OtherBlock { .. }
            | Self::OtherEnded { .. }
            | Self::NotAbove { .. }
            | Self::ClockBehind { .. } => "RECOVER-7",
            Self::Proof(_) => "RECOVER-6",
            Self::AgeUnknown | Self::TooOld(_) => "LIGHT-9",
            Self::NothingAnnounced | Self::Contradicted { .. } | Self::Early { .. } => "RECOVER-8",
        }
    }

    /// Who is to blame. The sender of a recovery proof is whoever gave it to the caller.
    pub fn culprit(&self) -> Culprit {
        match self {
            Self::OtherEnded { .. } | Self::NotAbove { .. } => Culprit::Sender,
            Self::Proof(error) => error.culprit(),
            Self::NothingAnnounced | Self::ClockBehind { .. } => Culprit::Caller,
            Self::Contradicted { .. } => Culprit::Validators,
            Self::OtherBlock { .. } | Self::AgeUnknown | Self::TooOld(_) | Self::Early { .. } => {
                Culprit::Nobody
            }
        }
    }
}

/// What comes of an attempt to cross.
#[derive(Clone, Debug)]
pub enum Crossing {
    /// The state behind the reset. In [`Mode::Full`](crate::Mode) the keys come with [`Trusted::with_keys`].
    Crossed(Box<Trusted>),
    /// The clock stood before the announcement: the wait begins anew.
    Restarted(Box<Trusted>),
}

/// The terms of a recovery in the value under [`RECOVERY_TERMS_STORAGE_KEY`]; `None` where the chain has no recovery,
/// or terms that no recovery can follow. (RECOVER-4, RECOVER-7)
///
/// Cost: one check of a point.
///
/// # Security
/// `value` must be proven under the newest trusted block ([`FinalHeader::read`](crate::FinalHeader::read)).
///
/// [`RECOVERY_TERMS_STORAGE_KEY`]: duet_primitives::suite::RECOVERY_TERMS_STORAGE_KEY
pub fn recovery_terms(value: Option<&[u8]>) -> Option<RecoveryTerms> {
    let terms = RecoveryTerms::decode_all(&mut value?).ok()?;
    (terms.delay > 0 && check_set(&terms.set).is_ok()).then_some(terms)
}

impl Trusted {
    /// The recovery that is waited for.
    pub fn announced(&self) -> Option<&Announced> {
        let announced = self.recovery.as_deref();
        announced.filter(|announced| announced.is_about(self.best.number, self.best.hash))
    }

    /// The proof by which this state crossed a reset. It is kept as evidence until the next finality proof.
    pub fn crossed_by(&self) -> Option<&RecoveryProof> {
        let crossed = self.recovery.as_deref().filter(|announced| {
            announced.leads_to(self.best.number, self.best.hash)
                && announced.statement().set == *self.signing()
        });
        crossed.map(Announced::proof)
    }

    /// Takes note of a recovery proof from anybody, and begins the wait. The same statement again changes nothing. Another
    /// one about the same block contradicts the first ([`Announced::contradicted`]), and neither is crossed.
    ///
    /// `now` is in milliseconds since the Unix epoch, and `given` is the user's own trusting period, as for
    /// [`Dated::check`](crate::Dated::check).
    ///
    /// Rules: RECOVER-7: the block, the sets (not for a contradiction); RECOVER-6; LIGHT-9, and RECOVER-7: the clock (both
    /// not for a contradiction).
    /// Cost: that of one stateless proof.
    ///
    /// # Errors
    /// The first broken rule in that order; the state is unchanged.
    ///
    /// # Security
    /// `terms` must come from [`recovery_terms`] for the newest trusted block, and `now` from a clock that servers do not
    /// set.
    pub fn announce(
        &self,
        terms: &RecoveryTerms,
        proof: RecoveryProof,
        now: u64,
        given: Option<u64>,
    ) -> Result<Self, RecoverError> {
        self.is_about_newest(&proof.statement)?;
        let known = self.announced();
        if known.is_none() {
            self.is_of_trusted_sets(&proof.statement)?;
        }
        let proof = proof.check(&terms.set, self.genesis_hash)?;
        let mut announced = match known {
            Some(known) => known.clone(),
            None => {
                self.is_young(now, given)?;
                self.is_measured_by(now)?;
                Announced {
                    proof: proof.as_unchecked().clone(),
                    terms: terms.clone(),
                    since: now,
                    contradicted: None,
                }
            }
        };
        if announced.statement() != proof.statement() {
            announced.contradicted.get_or_insert(proof.into_unchecked());
        }
        Ok(self.with_recovery(announced))
    }

    /// Crosses the reset when the wait is over. (RECOVER-8)
    ///
    /// Behind it the newest block is that of the reset, without a proof and without a time of its own: the date of the
    /// block before counts until another one is proven. Its set signs, and has no successor yet. The sets before it are
    /// kept until its first proof: [`verify`](fn@crate::verify) finds what they sign behind the reset.
    ///
    /// `now` and `given` are as in [`Trusted::announce`].
    ///
    /// # Errors
    /// [`RecoverError::NothingAnnounced`], [`RecoverError::Contradicted`], [`RecoverError::ClockBehind`],
    /// [`RecoverError::Early`], or LIGHT-9, in this order; the state is unchanged.
    ///
    /// # Security
    /// The caller must have asked its servers for a newer proof since the announcement, and right before this, and got
    /// none. A client whose servers all lie for the whole wait crosses to where the recovery keys say.
    pub fn cross(&self, now: u64, given: Option<u64>) -> Result<Crossing, RecoverError> {
        let announced = self.announced().ok_or(RecoverError::NothingAnnounced)?;
        let statement = announced.statement();
        if announced.contradicted.is_some() {
            return Err(RecoverError::Contradicted {
                set: statement.recovery_set,
                block: statement.block_number,
            });
        }
        self.is_measured_by(now)?;
        if announced.is_ahead_of(now) {
            let since = now;
            let again = self.with_recovery(Announced {
                since,
                ..announced.clone()
            });
            return Ok(Crossing::Restarted(Box::new(again)));
        }
        match announced.left(now) {
            0 => {}
            left => return Err(RecoverError::Early { left }),
        }
        self.is_young(now, given)?;
        // Of several crossings without a proof in between, the sets before the first one were proven last.
        let before = self.before.clone();
        Ok(Crossing::Crossed(Box::new(Self {
            before: Some(before.unwrap_or_else(|| Box::new(self.clone()))),
            best: Best {
                number: statement.reset_number,
                hash: statement.reset_hash,
                proof: None,
            },
            signing: TrustedSet::without_keys(statement.set.clone()),
            next: None,
            ..self.clone()
        })))
    }

    /// The statement for the recovery keys to sign, when they find that a server's claim is true.
    ///
    /// Rules: RECOVER-7 for the sets.
    ///
    /// # Errors
    /// [`RecoverError::OtherEnded`]: no client could cross by it.
    ///
    /// # Security
    /// Nothing proves the claim. Who signs a false statement is punished (RECOVER-9).
    pub fn recovery_statement(
        &self,
        terms: &RecoveryTerms,
        claim: &ResetClaim,
    ) -> Result<RecoveryStatement, RecoverError> {
        let statement = RecoveryStatement {
            recovery_set: terms.set.id,
            block_number: self.best.number,
            block_hash: self.best.hash,
            ended: claim.ended(),
            reset_number: claim.block_number(),
            reset_hash: claim.block_hash(),
            set: claim.set().clone(),
        };
        self.is_of_trusted_sets(&statement)?;
        Ok(statement)
    }

    fn with_recovery(&self, announced: Announced) -> Self {
        Self {
            recovery: Some(Box::new(announced)),
            ..self.clone()
        }
    }

    /// RECOVER-7: the statement is about the newest proven block.
    fn is_about_newest(&self, statement: &RecoveryStatement) -> Result<(), RecoverError> {
        let (best, best_hash) = (self.best.number, self.best.hash);
        if statement.is_about(best, best_hash) {
            return Ok(());
        }
        let (got, got_hash) = (statement.block_number, statement.block_hash);
        Err(RecoverError::OtherBlock {
            best,
            best_hash,
            got,
            got_hash,
        })
    }

    /// RECOVER-7: the ended set is the signing one or its trusted successor, and the new one is above both.
    fn is_of_trusted_sets(&self, statement: &RecoveryStatement) -> Result<(), RecoverError> {
        let (signing, latest) = (self.signing().id, self.latest_set().id);
        let ended = statement.ended;
        if ![signing, latest].contains(&ended) {
            return Err(RecoverError::OtherEnded {
                signing,
                latest,
                got: ended,
            });
        }
        let got = statement.set.id;
        if got <= latest {
            return Err(RecoverError::NotAbove { latest, got });
        }
        Ok(())
    }

    /// RECOVER-7: the clock does not stand before the time of the newest proven block.
    fn is_measured_by(&self, now: u64) -> Result<(), RecoverError> {
        match self.dated.map_or(0, |dated| dated.ahead(now)) {
            0..=MAX_AHEAD => Ok(()),
            ahead => Err(RecoverError::ClockBehind {
                ahead: ahead / 1000,
            }),
        }
    }

    /// RECOVER-7: LIGHT-9 for the newest proven block.
    fn is_young(&self, now: u64, given: Option<u64>) -> Result<(), RecoverError> {
        let dated = self.dated.ok_or(RecoverError::AgeUnknown)?;
        Ok(dated.check(now, given)?)
    }
}
