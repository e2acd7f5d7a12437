//! Upgrades a chain's runtime.

use crate::{rpc::Rpc, transaction::submit, wait, Error, Result};
use duet_runtime::{next::WASM_BINARY, Runtime, RuntimeCall, VERSION};
use sp_keyring::Sr25519Keyring;
use sp_maybe_compressed_blob::{compress_strongly, CODE_BLOB_BOMB_LIMIT};
use std::time::Duration;

/// The time limit from the block with the new runtime to the first block that it makes.
const LIMIT: Duration = Duration::from_secs(60);

/// The version after [`to_next_version`].
pub const NEXT_VERSION: u32 = VERSION.spec_version + 1;

/// Root, which is Alice, upgrades a chain of `duet-node` to the next version of its runtime. Waits for it.
///
/// # Errors
/// [`Error::NoBlob`], and other [`Error`]s when the transaction is not included or the runtime not applied.
pub async fn to_next_version(rpc: &Rpc) -> Result<()> {
    let blob = WASM_BINARY.ok_or(Error::NoBlob)?;
    // Uncompressed, the runtime would be too long for a block.
    let code = compress_strongly(blob, CODE_BLOB_BOMB_LIMIT).ok_or(Error::NoBlob)?;
    let call = frame_system::Call::<Runtime>::set_code { code };
    // The call has the weight of a whole block, which no transaction may have.
    let sudo = pallet_sudo::Call::<Runtime>::sudo_unchecked_weight {
        call: Box::new(RuntimeCall::System(call)),
        weight: Default::default(),
    };
    submit(rpc, Sr25519Keyring::Alice, sudo).await?;
    let has_it = |version: &u32| *version == NEXT_VERSION;
    wait::until("the next runtime", LIMIT, || rpc.spec_version(), has_it).await?;
    Ok(())
}
