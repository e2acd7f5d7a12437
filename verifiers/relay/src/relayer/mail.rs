//! What a look brings along a lane of messages.

use super::{Ended, Relayer};
use crate::{
    messages::{due, Contents, Due, Ends, Lane, Parcel},
    plan::{Mail, Offer},
    source::trusted_block,
    target::Target,
};
use duet_light_client::{FinalBlock, Trusted};
use duet_light_rpc::Failure;

impl<T: Target> Relayer<T> {
    /// The missing data of the lane, with its proof under the target's header; or the newer block that could prove it,
    /// if that is worth a header.
    pub(super) async fn mail(
        &mut self,
        trusted: &Trusted,
        offer: &Offer,
    ) -> Result<Option<Mail>, Ended> {
        let Some(lane) = self.lane.clone() else {
            return Ok(None);
        };
        let there = self.target.lane(&lane).await?;
        let block = trusted_block(trusted, there.best, there.hash);
        if let Some((due, ends)) = self.due(&lane, block, &there.ends).await? {
            let due = due.at_most(self.at_once);
            let parcel = self.parcel(lane, block, due, ends).await?;
            if parcel.is_none() {
                self.bring_fewer();
            }
            return Ok(parcel.map(|parcel| Mail::Here(parcel, due.into())));
        }
        let Some(head) = offer.head.filter(|head| *head > there.best) else {
            return Ok(None);
        };
        let Some(proof) = self.source.proof(trusted, head).await? else {
            return Ok(None);
        };
        let block = trusted_block(trusted, head, proof.justification.commitment.block_hash);
        let due = self.due(&lane, block, &there.ends).await?;
        let is_worth_it = due.is_some_and(|(due, _)| due.is_worth_a_header());
        Ok(is_worth_it.then_some(Mail::Under(head)))
    }

    /// A delivery failed: the next one has half as many messages, because these may be too large for a block or an
    /// answer.
    pub(super) fn bring_fewer(&mut self) {
        self.at_once = self.at_once.div_ceil(2);
    }

    /// The missing data that the state after a block proves, and the lane's ends in that state.
    async fn due(
        &mut self,
        lane: &Lane,
        block: FinalBlock,
        there: &Ends,
    ) -> Result<Option<(Due, Ends)>, Failure> {
        let ends = self.source.ends(lane, block).await?;
        Ok(ends.and_then(|ends| Some((due(&ends, there)?, ends))))
    }

    /// The due delivery, with its proof; `None` when no source keeps that state, or none can show so much of it.
    async fn parcel(
        &mut self,
        lane: Lane,
        block: FinalBlock,
        due: Due,
        ends: Ends,
    ) -> Result<Option<Parcel>, Failure> {
        let keys = match due {
            Due::Messages { first, last } => {
                let messages = (first..=last).map(|nonce| lane.message_key(nonce));
                // Of the lane's end the target hears what the sender knows.
                messages.chain([lane.outbound_key()]).collect()
            }
            Due::Confirmation { .. } => vec![lane.inbound_key()],
        };
        let Some(state) = self.source.state(block, &keys).await? else {
            return Ok(None);
        };
        let values = state.values;
        let contents = match due {
            Due::Messages { first, .. } => {
                let of_messages = values.len().saturating_sub(1);
                let messages = values.into_iter().take(of_messages).collect();
                let Some(messages) = messages else {
                    return Ok(None);
                };
                Contents::Messages { first, messages }
            }
            Due::Confirmation { .. } => Contents::Confirmation(ends.inbound),
        };
        Ok(Some(Parcel {
            lane,
            under: block.number(),
            hash: block.hash(),
            nodes: state.nodes,
            contents,
        }))
    }
}
