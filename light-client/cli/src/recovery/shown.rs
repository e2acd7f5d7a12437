//! News of a recovery, as JSON and as text.

use crate::age::now;
use duet_light_client::{Announced, Trusted};
use duet_primitives::{
    BlockNumber, KeysetCommitment, RecoveryStatement, RecoveryTerms, SetId, H256,
};
use serde::Serialize;

/// One thing that happened.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum Shown<'a> {
    /// A recovery proof holds. Without a newer finality proof, its reset is crossed when the wait is over.
    Announced(Awaited),
    /// The reset was crossed.
    Recovered {
        /// The newest block before it.
        from: BlockNumber,
        block: BlockNumber,
        hash: H256,
        set: SetId,
    },
    /// A newer block was proven, so that the announced recovery counts no more.
    Cancelled {
        /// The block that the recovery was about.
        about: BlockNumber,
        block: BlockNumber,
    },
    /// The user's recovery proof is about a block that was not the newest any more.
    Outdated {
        about: BlockNumber,
        block: BlockNumber,
    },
    /// The recovery keys signed two statements about one block.
    Contradicted {
        block: BlockNumber,
        recovery_set: SetId,
    },
    /// What has to be compared with others before anybody signs a statement.
    Compare {
        url: &'a str,
        block: BlockNumber,
        hash: H256,
        ended: SetId,
        reset_block: BlockNumber,
        reset_hash: H256,
        set: Set,
        recovery_set: Set,
    },
    /// A statement for recovery keys, as text.
    Statement { statement: String },
}

/// What tells a set from others.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Set {
    id: SetId,
    len: u32,
    root: H256,
}

impl From<&KeysetCommitment> for Set {
    fn from(set: &KeysetCommitment) -> Self {
        Self {
            id: set.id,
            len: set.len,
            root: set.root,
        }
    }
}

/// A recovery that is waited for.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Awaited {
    /// The newest proven block, which it is about.
    block: BlockNumber,
    ended: SetId,
    reset_block: BlockNumber,
    reset_hash: H256,
    set: SetId,
    /// How many seconds of the wait are left.
    seconds: u64,
    /// Whether the recovery keys signed another statement about the block, so that nobody crosses.
    contradicted: bool,
}

impl Awaited {
    pub(crate) fn of(announced: &Announced) -> Self {
        let statement = announced.statement();
        Self {
            block: statement.block_number,
            ended: statement.ended,
            reset_block: statement.reset_number,
            reset_hash: statement.reset_hash,
            set: statement.set.id,
            seconds: announced.left(now()),
            contradicted: announced.contradicted().is_some(),
        }
    }

    /// For people.
    pub(crate) fn text(&self) -> String {
        let Self {
            block,
            ended,
            reset_block,
            reset_hash,
            set,
            seconds,
            contradicted,
        } = self;
        let end = if *contradicted {
            "contradicted by another statement, and never crossed".to_owned()
        } else {
            format!("crossed in {seconds} s unless a block after {block} is proven")
        };
        format!("a reset in block {reset_block} ({reset_hash:?}) ended set {ended}, and set {set} signs; {end}")
    }
}

impl<'a> Shown<'a> {
    pub(crate) fn announced(announced: &Announced) -> Self {
        Self::Announced(Awaited::of(announced))
    }

    pub(crate) fn recovered(from: BlockNumber, behind: &Trusted) -> Self {
        Self::Recovered {
            from,
            block: behind.best_number(),
            hash: behind.best_hash(),
            set: behind.signing().id,
        }
    }

    pub(crate) fn to_compare(
        statement: &RecoveryStatement,
        terms: &RecoveryTerms,
        url: &'a str,
    ) -> Self {
        Self::Compare {
            url,
            block: statement.block_number,
            hash: statement.block_hash,
            ended: statement.ended,
            reset_block: statement.reset_number,
            reset_hash: statement.reset_hash,
            set: Set::from(&statement.set),
            recovery_set: Set::from(&terms.set),
        }
    }

    /// For people.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Announced(awaited) => format!("recovery announced: {}", awaited.text()),
            Self::Recovered {
                from,
                block,
                hash,
                set,
            } => format!(
                "recovered: crossed the reset from block {from} to block {block}  set {set}  {hash:?}"
            ),
            Self::Cancelled { about, block } => format!(
                "recovery cancelled: it was about block {about}, and block {block} is proven"
            ),
            Self::Outdated { about, block } => format!(
                "the recovery proof is not needed: it is about block {about}, and block {block} is the newest"
            ),
            Self::Contradicted {
                block,
                recovery_set,
            } => format!(
                "recovery contradicted: recovery set {recovery_set} signed two statements about block {block}"
            ),
            Self::Compare {
                url,
                block,
                hash,
                ended,
                reset_block,
                reset_hash,
                set,
                recovery_set,
            } => format!(
                "Before anybody signs: the reset is a claim of {url}, and nothing proves it. Compare with others that block \
                 {block} is the newest proven block that anybody has, and that the first reset after it is this one. The \
                 signers of a false statement lose their stake.\n\
                 newest block  {block}  {hash:?}\n\
                 ended set     {ended}\n\
                 reset block   {reset_block}  {reset_hash:?}\n\
                 new set       {}  {} keys  {:?}\n\
                 recovery set  {}  {} keys  {:?}",
                set.id, set.len, set.root, recovery_set.id, recovery_set.len, recovery_set.root
            ),
            Self::Statement { statement } => statement.clone(),
        }
    }
}
