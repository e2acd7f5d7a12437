//! The client: a [`Signer`] whose secrets are in another process or on another machine.

use crate::{
    address::Address,
    bounded::{Owner, MAX_OWNER_LEN},
    connect::Target,
    connection::{Connection, Limit},
    error::{ConfigError, RemoteError},
    message::{Call, Reply},
    pool::Pool,
    tls::TlsFiles,
};
use duet_keystore::{Signer, SignerError};
use duet_primitives::{
    DualKeyBytes, Pk1Bytes, PossessionProof, RoundMessage, SignerIndex, UncheckedVote,
};
use std::{
    io,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

/// The default deadline of a request.
pub const DEADLINE: Duration = Duration::from_secs(2);
/// Connections of one client. Several, so that a vote does not wait for the list of keys.
pub const MAX_CONNECTIONS: usize = 4;
/// The pause after the first attempt to connect; each next pause is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// The longest pause between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// A signer in another process or on another machine.
///
/// Connects on demand, and reconnects after a failure, with growing pauses until the deadline. No call takes longer
/// than the deadline.
///
/// # Security
/// A signer could send any answer: a vote is checked before use, like that of any other signer.
pub struct RemoteSigner {
    address: Address,
    target: Target,
    within: Duration,
    connections: Pool<Connection>,
    /// The number of the next request, on any connection: no two requests have the same.
    next: AtomicU64,
}

impl RemoteSigner {
    /// A client of the signer at `address`, which need not be running yet. `files` are for `tls:` addresses.
    ///
    /// # Errors
    /// [`ConfigError`] when a file is unreadable or unusable, or when the address uses no files.
    pub fn new(address: Address, files: Option<&TlsFiles>) -> Result<Self, ConfigError> {
        Ok(Self {
            target: Target::new(&address, files)?,
            address,
            within: DEADLINE,
            connections: Pool::new(MAX_CONNECTIONS),
            next: AtomicU64::new(0),
        })
    }

    /// Replaces the deadline [`DEADLINE`] of requests.
    pub fn with_deadline(mut self, deadline: Duration) -> Self {
        self.within = deadline;
        self
    }

    /// The address of the signer.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Sends a request, and waits for the answer.
    fn ask(&self, call: Call) -> Result<Reply, SignerError> {
        let within = self.within;
        let now = Instant::now();
        // A deadline that the clock cannot represent becomes a year.
        let far = Duration::from_secs(365 * 24 * 60 * 60);
        let deadline = now.checked_add(within).or_else(|| now.checked_add(far));
        let deadline = deadline.unwrap_or(now);
        let limit = Limit { deadline, within };
        let seat = self.connections.seat(deadline);
        let seat = seat.ok_or(RemoteError::Busy { within })?;
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        // A retry could make a second key. For all other requests, a retry gives the same answer.
        if call != Call::Generate {
            if let Some(connection) = seat.idle() {
                match connection.ask(id, call.clone(), limit) {
                    Ok((connection, result)) => {
                        seat.give_back(connection);
                        return Ok(result?);
                    }
                    Err(error) => {
                        // The other connections are as old.
                        seat.forget_idle();
                        // The signer was restarted, or closed this connection because it was idle too long.
                        if !matches!(error, RemoteError::Closed(_)) {
                            return Err(error.into());
                        }
                    }
                }
            }
        }
        let (connection, result) = self.connect(limit)?.ask(id, call, limit)?;
        seat.give_back(connection);
        Ok(result?)
    }

    /// Opens a connection, retrying until the deadline.
    fn connect(&self, limit: Limit) -> Result<Connection, RemoteError> {
        let (mut pause, mut attempts) = (FIRST_PAUSE, 0_u32);
        loop {
            attempts = attempts.saturating_add(1);
            let failed = match self.try_to_connect(limit) {
                Err(RemoteError::Closed(error)) => error,
                done => return done,
            };
            let left = limit.deadline.saturating_duration_since(Instant::now());
            if left <= pause {
                return Err(RemoteError::Connect {
                    to: self.address.clone(),
                    attempts,
                    error: failed,
                });
            }
            thread::sleep(pause);
            pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
        }
    }

    fn try_to_connect(&self, limit: Limit) -> Result<Connection, RemoteError> {
        let channel = self.target.open(limit.deadline);
        let failed = |error: io::Error| RemoteError::of_io(error, limit.within);
        Connection::greet(channel.map_err(failed)?, limit)
    }
}

impl Signer for RemoteSigner {
    fn keys(&self) -> Result<Vec<DualKeyBytes>, SignerError> {
        match self.ask(Call::Keys)? {
            Reply::Keys(keys) => Ok(keys.into_keys()),
            _ => Err(RemoteError::OtherReply.into()),
        }
    }

    fn sign_vote(
        &self,
        key: &Pk1Bytes,
        signer: SignerIndex,
        message: &RoundMessage,
    ) -> Result<UncheckedVote, SignerError> {
        let commitment = message.commitment().clone();
        let call = Call::SignVote {
            key: *key,
            signer,
            genesis: message.genesis_hash(),
            commitment: commitment.clone(),
        };
        match self.ask(call)? {
            Reply::Vote(signature) => Ok(UncheckedVote {
                commitment,
                signer,
                signature,
            }),
            _ => Err(RemoteError::OtherReply.into()),
        }
    }

    fn prove_possession(
        &self,
        key: &Pk1Bytes,
        owner: &[u8],
    ) -> Result<PossessionProof, SignerError> {
        let got = owner.len();
        let limit = MAX_OWNER_LEN;
        let owner = Owner::new(owner).ok_or(RemoteError::OwnerTooLong { limit, got })?;
        match self.ask(Call::ProvePossession { key: *key, owner })? {
            Reply::Possession(proof) => Ok(proof),
            _ => Err(RemoteError::OtherReply.into()),
        }
    }

    fn generate(&self) -> Result<DualKeyBytes, SignerError> {
        match self.ask(Call::Generate)? {
            Reply::Generated(public) => Ok(public),
            _ => Err(RemoteError::OtherReply.into()),
        }
    }
}
