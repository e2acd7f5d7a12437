//! A new contract.

use crate::{evm::client::Evm, target::Receipt};
use alloy::primitives::Address;
use duet_light_client::{Checkpoint, Mode, Trusted};
use duet_light_rpc::{Failure, Kind};
use std::path::Path;

/// A contract that was deployed.
#[derive(Clone, Copy, Debug)]
pub struct Deployed {
    /// Where.
    pub address: Address,
    /// The receipt with the cost.
    pub receipt: Receipt,
}

/// Deploys the light client with the bytecode file of `node build.js`, at a checkpoint that all its users will trust, and
/// with a trusting period in seconds (LIGHT-9); with an owner, if the bytecode is of the owned client.
///
/// # Errors
/// [`Kind::Local`] when the file cannot be read; [`Kind::Usage`] when no client could have printed the checkpoint; as
/// [`Target::submit`](crate::Target::submit).
pub async fn deploy(
    evm: &Evm,
    bytecode: &Path,
    checkpoint: &Checkpoint,
    trusting_period: u64,
    owner: Option<Address>,
) -> Result<Deployed, Failure> {
    Trusted::from_checkpoint(checkpoint.clone(), Mode::Stateless)
        .map_err(|error| Failure::new(Kind::Usage, format!("the checkpoint: {error}")))?;
    let unreadable = |why: String| {
        let path = bytecode.display();
        Failure::new(
            Kind::Local,
            format!("the bytecode {path} cannot be read: {why}"),
        )
    };
    let text = std::fs::read_to_string(bytecode).map_err(|error| unreadable(error.to_string()))?;
    let digits = text.trim();
    let mut code = hex::decode(digits.strip_prefix("0x").unwrap_or(digits))
        .map_err(|error| unreadable(error.to_string()))?;
    code.extend(match owner {
        Some(owner) => {
            duet_calldata::constructor_with_owner(checkpoint, trusting_period, owner.into_array())
        }
        None => duet_calldata::constructor(checkpoint, trusting_period),
    });
    let (address, receipt) = evm.create(code.into()).await?;
    Ok(Deployed { address, receipt })
}
