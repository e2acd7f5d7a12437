//! Messages between two chains of this repository's runtime: posted on one, received on the other.

use crate::{
    rpc::Rpc,
    transaction::{events, submit},
    Error, Result,
};
use duet_primitives::BlockNumber;
use duet_runtime::{Runtime, RuntimeEvent};
use pallet_message_board::{Call, Event};
use sp_keyring::Sr25519Keyring;

/// The name of the lane, as `duet-relay` takes it.
pub const LANE: &str = "0x64756574";
/// The account that posts messages.
const SENDER: Sr25519Keyring = Sr25519Keyring::Eve;
/// How many final blocks are searched for a message.
const SEARCHED: u32 = 100;

/// Posts a message on the other chain, at the chain of `rpc`.
///
/// # Errors
/// As [`submit`]; [`Error::NotIncluded`] also when the message is too long.
pub async fn post(rpc: &Rpc, message: &str) -> Result<()> {
    let message = message.as_bytes().to_vec().try_into();
    let message = message.map_err(|_| Error::NotIncluded {
        status: "the message is longer than the chain accepts".to_owned(),
    })?;
    submit(rpc, SENDER, Call::<Runtime>::post { message }).await?;
    Ok(())
}

/// The number of a message that arrived at the chain of `rpc` in one of its latest final blocks, or `None`.
///
/// # Errors
/// [`Error`] when the node does not answer.
pub async fn received(rpc: &Rpc, nonce: u64) -> Result<Option<String>> {
    let newest = rpc.finalized().await?.get();
    for number in (newest.saturating_sub(SEARCHED)..=newest).rev() {
        let block = rpc.block_hash(BlockNumber::new(number)).await?;
        for record in events(rpc, block).await? {
            match record.event {
                RuntimeEvent::MessageBoard(Event::Received { nonce: of, message })
                    if of == nonce =>
                {
                    return Ok(Some(String::from_utf8_lossy(&message).into_owned()));
                }
                _ => {}
            }
        }
    }
    Ok(None)
}
