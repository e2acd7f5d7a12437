//! The age of the newest trusted block.

use crate::{
    input::Input,
    verdict::{Broken, Verdict},
};
use duet_light_client::{Checkpoint, Dated, Trusted};
use duet_primitives::{testing::TestSet, BlockNumber, Keysets};
use serde_json::json;

/// A client at this block. Its sets do not matter.
fn trusting(input: Input<'_>) -> Trusted {
    let block_hash = input.hash("block_hash");
    Trusted::from_own_checkpoint_unchecked(Checkpoint {
        genesis_hash: block_hash,
        block_number: BlockNumber::new(input.u32("block_number")),
        block_hash,
        keysets: Keysets::without_successor(TestSet::new(0, 0..1).set.commitment().clone()),
    })
}

/// STATE-1, STATE-2, LIGHT-9.
pub(crate) fn age(input: Input<'_>) -> Verdict {
    let block = trusting(input).best_block();
    let header = block.header(&input.bytes("header"))?;
    let entries = header.read(&Dated::keys(), &input.byte_list("nodes"))?;
    let values = entries
        .iter()
        .map(|entry| entry.value().map(<[u8]>::to_vec));
    let dated = Dated::read(&values.collect::<Vec<_>>()).ok_or_else(Broken::undated)?;
    let now = input.u64("now");
    let given = input.has("given").then(|| input.u64("given"));
    dated.check(now, given)?;
    Ok(json!({
        "time": dated.time.to_string(),
        "trusting_period": dated.trusting_period.map(|period| period.to_string()),
        "age": dated.age(now).to_string(),
    }))
}
