//! What all cases of recovery are about: a recovery set, its statement, and ways to change it.

use crate::{
    cases::{builder::scale, points::rule},
    format::hexed,
};
use codec::Encode;
use duet_curve::testing::Case;
use duet_primitives::{
    testing::TestSet, BlockNumber, Recovery, RecoveryMessage, RecoveryProof, RecoveryStatement,
    RecoveryVote, SetId, SignerIndex, H256,
};
use serde_json::{json, Value};

pub(super) const GENESIS: H256 = H256::repeat_byte(1);
/// The chain of another genesis.
pub(super) const ELSEWHERE: H256 = H256::repeat_byte(2);

/// The recovery set 3, of seven, and a true statement.
pub(super) struct World {
    pub(super) set: TestSet,
    pub(super) statement: RecoveryStatement,
}

impl World {
    pub(super) fn new() -> Self {
        let statement = RecoveryStatement {
            recovery_set: SetId::new(3),
            block_number: BlockNumber::new(50),
            block_hash: H256::repeat_byte(5),
            ended: SetId::new(9),
            reset_number: BlockNumber::new(90),
            reset_hash: H256::repeat_byte(6),
            set: TestSet::new(11, 0..4).set.commitment().clone(),
        };
        Self {
            set: TestSet::new(3, 20..27),
            statement,
        }
    }

    pub(super) fn vote(&self, signer: u32) -> RecoveryVote {
        vote_of(&self.set, &self.statement, signer)
    }

    /// A proof by these signers.
    pub(super) fn proof(&self, signers: &[u32]) -> RecoveryProof {
        let votes: Vec<_> = signers.iter().map(|signer| self.vote(*signer)).collect();
        let proof = Recovery::combine(self.set.set.keyset(), GENESIS, &votes);
        proof.expect("enough members signed").into_unchecked()
    }

    /// The input of an operation of the set's commitment, with the object under its name.
    pub(super) fn input(&self, name: &str, object: &impl Encode) -> Value {
        json!({
            "genesis_hash": hexed(GENESIS),
            "commitment": scale(self.set.set.commitment()),
            name: scale(object),
        })
    }

    /// Statements that no set makes, and what is wrong: the rules of the statement come before all others.
    pub(super) fn refused(&self) -> Vec<(&'static str, &'static str, RecoveryStatement)> {
        let with = |change: &dyn Fn(&mut RecoveryStatement)| {
            let mut statement = self.statement.clone();
            change(&mut statement);
            statement
        };
        vec![
            (
                "RECOVER-6",
                "an older recovery set",
                with(&|it| it.recovery_set = SetId::new(2)),
            ),
            (
                "RECOVER-6",
                "a newer recovery set",
                with(&|it| it.recovery_set = SetId::new(4)),
            ),
            (
                "RECOVER-5",
                "a reset in the same block",
                with(&|it| it.reset_number = it.block_number),
            ),
            (
                "RECOVER-5",
                "a reset before the block",
                with(&|it| it.reset_number = BlockNumber::new(49)),
            ),
            (
                "RECOVER-5",
                "a new set with the id of the ended one",
                with(&|it| it.set.id = it.ended),
            ),
            (
                "RECOVER-5",
                "a new set below the ended one",
                with(&|it| it.ended = SetId::new(12)),
            ),
            (
                "RECOVER-5",
                "a new set of nobody",
                with(&|it| it.set.len = 0),
            ),
            (
                "RECOVER-5",
                "a new set of 100 001",
                with(&|it| it.set.len = 100_001),
            ),
        ]
    }

    /// Other words, each well-formed.
    pub(super) fn changed(&self) -> Vec<(&'static str, RecoveryStatement)> {
        let with = |change: &dyn Fn(&mut RecoveryStatement)| {
            let mut statement = self.statement.clone();
            change(&mut statement);
            statement
        };
        vec![
            (
                "another block number",
                with(&|it| it.block_number = BlockNumber::new(51)),
            ),
            (
                "another block hash",
                with(&|it| it.block_hash = H256::zero()),
            ),
            ("another ended set", with(&|it| it.ended = SetId::new(10))),
            (
                "another reset number",
                with(&|it| it.reset_number = BlockNumber::new(91)),
            ),
            (
                "another reset hash",
                with(&|it| it.reset_hash = H256::zero()),
            ),
            (
                "another id of the new set",
                with(&|it| it.set.id = SetId::new(10)),
            ),
            (
                "another length of the new set",
                with(&|it| it.set.len = 100_000),
            ),
            (
                "another root of the new set",
                with(&|it| it.set.root = H256::zero()),
            ),
            (
                "another total of the new set",
                with(&|it| it.set.apk1 = self.set.set.commitment().apk1),
            ),
        ]
    }
}

pub(super) fn vote_of(set: &TestSet, statement: &RecoveryStatement, signer: u32) -> RecoveryVote {
    let message = RecoveryMessage::new(GENESIS, statement.clone());
    let secret = &set.secrets[signer as usize];
    RecoveryVote::sign(secret, SignerIndex::new(signer), &message)
}

/// One case for each way not to be a point, with its rule.
pub(super) fn no_points<const N: usize>(cases: &[Case<N>]) -> Vec<(String, &Case<N>)> {
    let mut found: Vec<(String, &Case<N>)> = vec![];
    for case in cases {
        if let Err(rule) = case.verdict.map_err(rule) {
            if found.iter().all(|(known, _)| known != rule) {
                found.push((rule.into(), case));
            }
        }
    }
    found
}
