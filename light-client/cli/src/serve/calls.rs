//! Answers of the runtime, which is executed here over proven entries of one proven block. (STATE-5 to STATE-8)

use crate::{
    calls::{
        version_json, DispatchInfo, FeeDetails, Function, Outcome, Prove, Stopped, Unanswered,
    },
    serve::{
        chain::{Chain, Known},
        params::Bytes,
        refusal::Refusal,
    },
};
use codec::{Decode, DecodeAll};
use duet_light_rpc::hex;
use duet_primitives::H256;
use serde_json::{json, Value};
use std::sync::Arc;

/// Proves entries of the state after a block by any endpoint.
struct Prover<'a> {
    chain: &'a Chain,
    known: &'a Arc<Known>,
}

impl Prove for Prover<'_> {
    type Error = Refusal;

    fn root(&self) -> H256 {
        self.known.header.state_root()
    }

    async fn prove(&self, keys: &[&[u8]]) -> Result<Vec<Vec<u8>>, Refusal> {
        Ok(self.chain.entries(self.known, keys).await?.nodes)
    }
}

impl From<Unanswered<Refusal>> for Refusal {
    fn from(unanswered: Unanswered<Refusal>) -> Self {
        match unanswered {
            Unanswered::Unproven(refusal) => refusal,
            Unanswered::Stopped(Stopped::Slow(within)) => Self::TooSlow {
                seconds: within.as_secs(),
            },
            Unanswered::Stopped(stopped) => Self::Call(stopped),
        }
    }
}

fn unreadable(function: &Function) -> Refusal {
    Refusal::Unreadable(format!(
        "this chain has another format of {}",
        function.name
    ))
}

impl Chain {
    async fn outcome(&self, function: &Function, at: Option<H256>) -> Result<Outcome, Refusal> {
        let known = self.at(at).await?;
        self.outcome_of(function, &known).await
    }

    /// The outcome of a call over the state after a block.
    pub(crate) async fn outcome_of(
        &self,
        function: &Function,
        known: &Arc<Known>,
    ) -> Result<Outcome, Refusal> {
        let prover = Prover { chain: self, known };
        Ok(self.calls.call(&prover, function).await?)
    }

    /// `state_call`.
    pub(crate) async fn call(
        &self,
        name: &str,
        parameters: Bytes,
        at: Option<H256>,
    ) -> Result<Value, Refusal> {
        let function = Function::new(name, parameters.0);
        let outcome = self.outcome(&function, at).await?;
        Ok(json!(hex(&outcome.output)))
    }

    /// `state_getMetadata`.
    pub(crate) async fn metadata(&self, at: Option<H256>) -> Result<Value, Refusal> {
        let function = Function::metadata();
        let outcome = self.outcome(&function, at).await?;
        let metadata = Vec::<u8>::decode(&mut outcome.output.as_slice());
        let metadata = metadata.map_err(|_| unreadable(&function))?;
        Ok(json!(hex(&metadata)))
    }

    /// `payment_queryInfo`.
    pub(crate) async fn fee(&self, extrinsic: &Bytes, at: Option<H256>) -> Result<Value, Refusal> {
        let function = Function::query_info(&extrinsic.0);
        let outcome = self.outcome(&function, at).await?;
        let info = DispatchInfo::decode_all(&mut outcome.output.as_slice());
        Ok(info.map_err(|_| unreadable(&function))?.to_json())
    }

    /// `payment_queryFeeDetails`.
    pub(crate) async fn fee_details(
        &self,
        extrinsic: &Bytes,
        at: Option<H256>,
    ) -> Result<Value, Refusal> {
        let function = Function::query_fee_details(&extrinsic.0);
        let outcome = self.outcome(&function, at).await?;
        let details = FeeDetails::decode_all(&mut outcome.output.as_slice());
        Ok(details.map_err(|_| unreadable(&function))?.to_json())
    }

    /// `state_getRuntimeVersion`.
    pub(crate) async fn version(&self, at: Option<H256>) -> Result<Value, Refusal> {
        let known = self.at(at).await?;
        self.version_of(&known).await
    }

    /// The version of the runtime in the state after a block.
    pub(crate) async fn version_of(&self, known: &Arc<Known>) -> Result<Value, Refusal> {
        let version = self.calls.version(&Prover { chain: self, known }).await?;
        let unreadable =
            || Refusal::Unreadable("this chain has another format of versions".to_owned());
        version_json(&version).ok_or_else(unreadable)
    }
}
