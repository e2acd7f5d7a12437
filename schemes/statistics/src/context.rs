//! The context against which reports and answers are checked.

use crate::{error::ContextError, metric::Metric, period::Period};
use codec::Encode;
use duet_mklhs::{Label, LabelError, SignerId};
use duet_primitives::{Keyset, Pk1, Pk1Bytes, SignerIndex, H256};

/// The tag that replaces a key's owner in a certificate: no statement about an account begins with it.
const STATEMENT_TAG: &[u8; 18] = b"statistics/duet/v1";

/// A chain, a period, and the set that signs in it.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    genesis: H256,
    period: Period,
    set: &'a Keyset,
}

impl<'a> Context<'a> {
    /// A context.
    ///
    /// # Errors
    /// [`ContextError`] when the period is another set's.
    ///
    /// # Security
    /// `set` must come from chain state or from a checked finality proof, never from the sender of the checked object.
    pub fn new(genesis: H256, period: Period, set: &'a Keyset) -> Result<Self, ContextError> {
        let (expected, got) = (set.id(), period.set);
        if expected == got {
            Ok(Self {
                genesis,
                period,
                set,
            })
        } else {
            Err(ContextError { expected, got })
        }
    }

    /// The period.
    pub fn period(&self) -> Period {
        self.period
    }

    /// How many members the set has.
    pub fn len(&self) -> u32 {
        self.set.len()
    }

    /// Never: sets have members.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The key of a member.
    pub(crate) fn member(&self, member: SignerIndex) -> Option<&'a Pk1> {
        self.set.key(member)
    }

    /// A member's statement, signed as the ownership part of a proof of possession: `key` speaks for it in this period.
    ///
    /// SCALE of the tag, the genesis hash, the period and the key, without lengths.
    pub fn statement(&self, key: &[u8; duet_mklhs::suite::G2_LEN]) -> Vec<u8> {
        (STATEMENT_TAG, self.genesis, self.period, key).encode()
    }

    /// The label of a member's figure: the chain is the context, the period and the member's `pk1` are the data set, and
    /// the metric is the tag.
    ///
    /// With `pk1` in the label nobody can claim another member's figures by certifying its key.
    ///
    /// # Errors
    /// Never: no field is too long.
    pub fn label(
        &self,
        member: &Pk1Bytes,
        signer: SignerId,
        metric: Metric,
    ) -> Result<Label, LabelError> {
        let dataset = (self.period, member).encode();
        Label::new(
            self.genesis.as_bytes(),
            signer,
            &dataset,
            metric.name().as_bytes(),
        )
    }
}
