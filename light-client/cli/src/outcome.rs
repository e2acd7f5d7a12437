//! What became of a transaction: the events of its block, decoded by the metadata of the runtime that executed the block.
//! (STATE-9)

use crate::{calls::Function, parts, question::Entry, read::Prover, session::Session};
use codec::Decode;
use duet_light_client::FinalHeader;
use duet_light_metadata::{Outcome, RuntimeMetadata};
use duet_light_rpc::{Failure, Fault, Kind, Server};

impl Session {
    /// What became of the extrinsic at `index` of a block; or why nobody can tell, which is no fault of the endpoint.
    pub(crate) async fn became(
        &self,
        server: &Server,
        header: &FinalHeader,
        index: usize,
    ) -> Result<Result<Outcome, String>, Fault> {
        match self.outcome(server, header, index).await {
            Ok(outcome) => Ok(Ok(outcome)),
            Err(Fault::Incomplete(missing)) => Ok(Err(format!("the endpoint has no {missing}"))),
            Err(Fault::Fatal(failure)) => Ok(Err(failure.message)),
            Err(fault) => Err(fault),
        }
    }

    async fn outcome(
        &self,
        server: &Server,
        header: &FinalHeader,
        index: usize,
    ) -> Result<Outcome, Fault> {
        let unreadable = |why: String| Fault::from(Failure::new(Kind::NoWay, why));
        let parent = header
            .parent()
            .ok_or_else(|| unreadable("nothing was executed in the genesis block".to_owned()))?;
        let parent = parent.header(&server.header(parent.hash()).await?)?;
        let function = Function::metadata();
        let prover = Prover {
            server,
            header: &parent,
        };
        let metadata = self.calls.call(&prover, &function).await?.output;
        let metadata = Vec::<u8>::decode(&mut metadata.as_slice())
            .map_err(|error| unreadable(error.to_string()))?;
        let metadata =
            RuntimeMetadata::decode(&metadata).map_err(|error| unreadable(error.to_string()))?;
        let events = Entry::from_name("System.Events").map_err(unreadable)?.key;
        let keys = [events.as_slice()];
        let nodes = parts::entries(server, header, &keys).await?;
        let entries = header.read(&keys, &nodes)?;
        let events = entries.first().and_then(|entry| entry.value());
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        let outcome = metadata.outcome(events.unwrap_or(&[0]), index);
        outcome.map_err(|error| unreadable(error.to_string()))
    }
}
