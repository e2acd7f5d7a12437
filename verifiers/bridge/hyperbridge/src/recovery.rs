//! Recovery: a reset of the followed chain is crossed by a proof of its recovery set, after a wait. (RECOVER-7,
//! RECOVER-8)
//!
//! The wait is the time in which anybody can bring a proof of a newer block, which shows that the signers lie and ends
//! the announcement. So the client asks nobody for one: it protects the host as long as one honest relayer watches it.

use crate::{
    clock::Clock,
    error::Error,
    proof::Announcement,
    state::{trusted, Recovering, State, Wait},
};
use alloc::vec::Vec;
use duet_light_client::{
    recovery_terms, seconds_left, Checkpoint, Dated, Entry, RecoverError, Trusted,
};
use duet_primitives::{
    suite::RECOVERY_TERMS_STORAGE_KEY, Keysets, RecoveryStatement, RecoveryTerms,
};

/// The storage keys that an [`Announcement`] proves.
pub fn recovery_keys() -> [&'static [u8]; 3] {
    let [time, trusting_period] = Dated::keys();
    [&RECOVERY_TERMS_STORAGE_KEY, time, trusting_period]
}

impl Wait {
    fn contradiction(&self) -> RecoverError {
        RecoverError::Contradicted {
            set: self.statement.recovery_set,
            block: self.statement.block_number,
        }
    }
}

/// Takes note of a recovery and begins the wait, or notes that the set contradicts itself. (RECOVER-7)
pub(crate) fn announce(
    State {
        checkpoint,
        mut rest,
    }: State,
    announcement: Announcement,
    clock: Clock,
) -> Result<State, Error> {
    let Announcement {
        proof,
        header,
        nodes,
    } = announcement;
    let trusted = trusted(checkpoint.clone())?;
    let (terms, dated) = proven(&trusted, &header, &nodes)?;
    let (dated, known) = match rest.recovering.take() {
        // Behind a reset the time of the block before it counts.
        Some(Recovering { dated, wait }) => (dated, wait),
        None => (dated, None),
    };
    let (number, hash) = (proof.statement.block_number, proof.statement.block_hash);
    let known = known.filter(|known| known.statement.is_about(number, hash));
    let wait = match known {
        Some(known) if known.contradicted => return Err(known.contradiction().into()),
        Some(known) if known.statement == proof.statement => return Err(Error::Announced),
        Some(known) => {
            let checked = proof.check(&terms.set, checkpoint.genesis_hash);
            checked.map_err(RecoverError::from)?;
            Wait {
                contradicted: true,
                ..known
            }
        }
        None => {
            let (now, period) = (clock.millis(), clock.period());
            let statement = proof.statement.clone();
            let dated = trusted.with_date(dated);
            dated.announce(&terms, proof, now, period)?;
            Wait {
                statement,
                since: now,
                delay: terms.delay,
                contradicted: false,
            }
        }
    };
    let wait = Some(wait);
    rest.recovering = Some(Recovering { dated, wait });
    Ok(State { checkpoint, rest })
}

/// Crosses the reset when the wait is over. (RECOVER-8)
pub(crate) fn cross(
    State {
        checkpoint,
        mut rest,
    }: State,
    clock: Clock,
) -> Result<State, Error> {
    let Some(Recovering {
        dated,
        wait: Some(wait),
    }) = rest.recovering.take()
    else {
        return Err(RecoverError::NothingAnnounced.into());
    };
    if wait.contradicted {
        return Err(wait.contradiction().into());
    }
    match seconds_left(wait.delay, wait.since, clock.millis()) {
        0 => {}
        left => return Err(RecoverError::Early { left }.into()),
    }
    clock.check(dated)?;
    let Keysets { current, next } = checkpoint.keysets;
    if next.id != current.id {
        rest.keep(current, clock);
    }
    rest.keep(next, clock);
    rest.recovering = Some(Recovering { dated, wait: None });
    let RecoveryStatement {
        reset_number,
        reset_hash,
        set,
        ..
    } = wait.statement;
    Ok(State {
        checkpoint: Checkpoint {
            genesis_hash: checkpoint.genesis_hash,
            block_number: reset_number,
            block_hash: reset_hash,
            keysets: Keysets::without_successor(set),
        },
        rest,
    })
}

/// RECOVER-4, LIGHT-9, STATE-2: the terms, and time and trusting period, in the state after the newest block.
fn proven(
    trusted: &Trusted,
    header: &[u8],
    nodes: &[Vec<u8>],
) -> Result<(RecoveryTerms, Dated), Error> {
    let header = trusted.best_block().header(header)?;
    let mut entries = header.read(&recovery_keys(), nodes)?.into_iter();
    let terms = entries.next();
    let terms = recovery_terms(terms.as_ref().and_then(Entry::value)).ok_or(Error::NoTerms)?;
    let values: Vec<_> = entries.map(|entry| entry.value().map(Vec::from)).collect();
    let dated = Dated::read(&values).ok_or(RecoverError::AgeUnknown)?;
    Ok((terms, dated))
}
