//! What the user says about recovery, and how far it is.

use crate::args::Recovering;
use duet_light_rpc::{recovery_proof::GivenProof, Failure};
use duet_primitives::{RecoveryProof, H256};
use std::collections::BTreeMap;

/// Without the user's word nothing is announced or crossed.
#[derive(Debug, Default)]
pub(crate) struct Recovery {
    /// Whether a reset may be crossed by a proof.
    pub(crate) allowed: bool,
    /// The user's proof, until it is announced.
    pub(crate) given: Option<RecoveryProof>,
    /// Whether the user was told of the announcement.
    pub(crate) shown: bool,
    /// What endpoints, by their index, said against the statement when they were asked last, also in an earlier pass.
    pub(crate) disputes: BTreeMap<usize, String>,
}

impl Recovery {
    /// Reads the user's proof, if there is one, which has to be of the chain with this genesis.
    pub(crate) fn new(args: &Recovering, genesis: H256) -> Result<Self, Failure> {
        let given = args.recovery_proof.as_deref();
        let read = given.map(|path| GivenProof::read(path)?.of_chain(genesis));
        Ok(Self {
            allowed: !args.no_recovery,
            given: read.transpose()?,
            shown: false,
            disputes: BTreeMap::new(),
        })
    }
}
