//! A new contract.

use crate::evm::{
    client::Evm,
    link::{link, Deployed},
};
use alloy::primitives::Address;
use duet_light_client::{Checkpoint, Mode, Trusted};
use duet_light_rpc::{Failure, Kind};
use std::path::Path;

/// A contract to deploy.
#[derive(Clone, Copy, Debug)]
pub struct Deployment<'a> {
    /// The bytecode file of `node build.js`. Those of its libraries lie beside it.
    pub bytecode: &'a Path,
    /// Libraries that are on the chain, by name. The others are deployed before the contract.
    pub libraries: &'a [(String, Address)],
    /// Where the contract begins. All its users will trust it.
    pub checkpoint: &'a Checkpoint,
    /// In seconds. (LIGHT-9)
    pub trusting_period: u64,
    /// Of the owned client.
    pub owner: Option<Address>,
}

/// Deploys the light client, and calls `told` with each library that it had to deploy before, by its name.
///
/// # Errors
/// [`Kind::Local`] when a file cannot be read; [`Kind::Usage`] when no client could have printed the checkpoint, or when a
/// named library is none of the contract's, or has other code on the chain; as
/// [`Target::submit`](crate::Target::submit).
pub async fn deploy(
    evm: &Evm,
    contract: &Deployment<'_>,
    told: impl FnMut(&str, &Deployed),
) -> Result<Deployed, Failure> {
    let Deployment {
        checkpoint,
        trusting_period,
        ..
    } = *contract;
    Trusted::from_checkpoint(checkpoint.clone(), Mode::Stateless)
        .map_err(|error| Failure::new(Kind::Usage, format!("the checkpoint: {error}")))?;
    let mut code = link(evm, contract.bytecode, contract.libraries, told).await?;
    code.extend(match contract.owner {
        Some(owner) => {
            duet_calldata::constructor_with_owner(checkpoint, trusting_period, owner.into_array())
        }
        None => duet_calldata::constructor(checkpoint, trusting_period),
    });
    let (address, receipt) = evm.create(code.into()).await?;
    Ok(Deployed { address, receipt })
}
