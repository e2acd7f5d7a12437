//! A light client: the real verifier's state, by every path that leads to one.

use crate::{
    chain::Chain,
    keys::Mask,
    world::{StatementId, World},
};
use codec::Encode;
use duet_light_client::{Error, HandoffProof, Mode, Outcome, Trusted, Update};
use duet_primitives::{Justification, KeysetCommitment, StatelessProof};
use std::collections::HashMap;

/// Something that happens to one client.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ClientEvent {
    /// Its user names the newest block of this chain as the start block.
    Start(Chain),
    /// Its user prints a checkpoint, and begins a client with it, in the other mode or not.
    HandOn {
        /// Whether it keeps keys.
        full: bool,
    },
    /// A server sends a proof by these keys.
    Proof(StatementId, Mask),
}

/// A client, and whether two proofs contradicted each other before it.
#[derive(Clone)]
pub struct Client {
    mode: Mode,
    trusted: Option<Trusted>,
    /// The evidence with which it stopped.
    stopped: bool,
}

impl Client {
    /// A client that has not begun.
    pub fn new(mode: Mode) -> Self {
        Self {
            mode,
            trusted: None,
            stopped: false,
        }
    }

    /// The trusted state, once it began.
    pub fn trusted(&self) -> Option<&Trusted> {
        self.trusted.as_ref()
    }

    /// Whether it found a contradiction.
    pub fn stopped(&self) -> bool {
        self.stopped
    }

    /// The client after an event.
    pub fn after(&self, event: &ClientEvent, world: &mut World) -> Self {
        let mut client = self.clone();
        match event {
            ClientEvent::Start(chain) => {
                let block = world.block(chain);
                let began = Trusted::from_start(world.genesis, block.hash, &block.start, self.mode);
                client.trusted = began.ok().map(|trusted| stored(&with_keys(trusted, world)));
            }
            ClientEvent::HandOn { full } => {
                client.mode = if *full { Mode::Full } else { Mode::Stateless };
                client.trusted = self.trusted.as_ref().map(|trusted| {
                    let began = Trusted::from_checkpoint(trusted.checkpoint(), client.mode);
                    let began = began.expect("a client's own checkpoint has the form");
                    stored(&with_keys(began, world))
                });
            }
            ClientEvent::Proof(id, signers) => client.hear(*id, *signers, world),
        }
        client
    }

    fn hear(&mut self, id: StatementId, signers: Mask, world: &mut World) {
        let (Some(trusted), Some(proof)) = (&self.trusted, world.proof(id, signers)) else {
            return;
        };
        match trusted.verify(self.form(&proof, world)) {
            Ok(Outcome::New(verified)) => {
                self.trusted = Some(stored(&with_keys(verified.trusted, world)));
            }
            Err(Error::Misbehaviour(_) | Error::CheckpointContradicted { .. }) => {
                self.stopped = true
            }
            Ok(Outcome::Known) | Err(_) => {}
        }
    }

    /// A proof in the form that this client asks for.
    fn form(&self, proof: &Justification, world: &World) -> Update {
        let set = |commitment| {
            world
                .set_with(commitment)
                .expect("proofs are by sets of the world")
        };
        let commitment = proof.commitment();
        let signing = world
            .statement_of(commitment)
            .map(|id| world.statement(id).by.clone());
        let signing = signing.expect("proofs are of statements of the world");
        match self.mode {
            Mode::Full if commitment.is_handoff() => Update::Handoff(HandoffProof {
                justification: proof.as_unchecked().clone(),
                next_keys: set(&commitment.next).set.keyset().key_bytes(),
            }),
            Mode::Full => Update::Justification(proof.as_unchecked().clone()),
            Mode::Stateless => {
                let signing = world.known_set(&signing);
                let proof = StatelessProof::new(proof, signing.set.keyset());
                Update::Stateless(proof.expect("the set signed it"))
            }
        }
    }

    /// What two clients share only if they decide alike. Who signed the newest proof decides nothing.
    pub fn fingerprint(&self) -> Vec<u8> {
        let trusted = self.trusted.as_ref().map(|trusted| {
            let proven = trusted.best_proof().map(|proof| proof.commitment.clone());
            (trusted.checkpoint(), proven, trusted.missing_keys())
        });
        (self.mode, trusted, self.stopped).encode()
    }
}

/// The keys that a full client lacks, from anybody.
fn with_keys(mut trusted: Trusted, world: &World) -> Trusted {
    while let Some(missing) = trusted.missing_keys() {
        let is_it = |set: &&KeysetCommitment| set.id == missing;
        let commitment = trusted.next().filter(is_it).unwrap_or(trusted.signing());
        let Some(set) = world.set_with(commitment) else {
            break;
        };
        let keys = set.set.keyset().key_bytes();
        trusted = trusted
            .with_keys(missing, &keys)
            .expect("they are its keys");
    }
    trusted
}

/// The state after a restart: written, and read back.
fn stored(trusted: &Trusted) -> Trusted {
    Trusted::decode(&trusted.encode()).expect("a client's own state can be read")
}

/// What decides a verdict: chains, and the proofs that exist.
pub type Question = (Vec<Chain>, Vec<(StatementId, Mask)>);

/// States of clients by number, their steps, and verdicts.
#[derive(Default)]
pub struct Clients {
    pub(crate) clients: Vec<Client>,
    numbers: HashMap<Vec<u8>, usize>,
    pub(crate) steps: HashMap<(usize, ClientEvent), usize>,
    pub(crate) verdicts: HashMap<Question, bool>,
}

impl Clients {
    /// The number of a client.
    pub(crate) fn number(&mut self, client: Client) -> usize {
        let next = self.clients.len();
        let id = *self.numbers.entry(client.fingerprint()).or_insert(next);
        if id == next {
            self.clients.push(client);
        }
        id
    }

    /// How many states of clients, and steps of them, were computed, and how many questions were answered.
    pub fn computed(&self) -> (usize, usize, usize) {
        (self.clients.len(), self.steps.len(), self.verdicts.len())
    }
}
