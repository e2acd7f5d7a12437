//! Answers from the chain's state and history, each proven under the newest block with a proof.

use crate::{
    age::age,
    calls::{DispatchInfo, Function, Prove},
    event::{Event, Fee, ProofParts, Source},
    parts,
    question::{Account, AccountInfo, Entry, Question, Shown},
    session::Session,
};
use codec::{Decode, DecodeAll};
use duet_light_client::{FinalBlock, FinalHeader};
use duet_light_metadata::RuntimeMetadata;
use duet_light_rpc::{hex, Failure, Fault, Kind, Server};
use duet_primitives::{BlockNumber, H256};
use std::time::Instant;

impl Session {
    /// Answers a question about a block, or about the newest one, from the first endpoint that proves its answer.
    pub(crate) async fn answer(
        &mut self,
        question: &Question,
        at: Option<BlockNumber>,
    ) -> Result<(), Failure> {
        for index in self.endpoints.all() {
            match self.ask_endpoint(index, question, at).await {
                Ok(()) => return Ok(()),
                Err(fault) => self.endpoint_failed(index, fault, false)?,
            }
        }
        Err(self.endpoints.verdict())
    }

    async fn ask_endpoint(
        &mut self,
        index: usize,
        question: &Question,
        at: Option<BlockNumber>,
    ) -> Result<(), Fault> {
        let url = self.endpoints.url(index).unwrap_or_default().to_owned();
        let server = Server::connect(&url, self.request_timeout).await?;
        let keys = match question {
            Question::Header | Question::Transaction(_) | Question::Call(..) => vec![],
            Question::Storage(entry) => vec![entry.key.clone()],
            Question::Account(account) => vec![account.key()],
        };
        let keys: Vec<_> = keys.iter().map(Vec::as_slice).collect();
        let trusted = self.trusted()?;
        let parts = parts::fetch(&server, trusted, at, &keys).await?;
        let source = Source {
            url: &url,
            head_age: age(trusted),
            proof_bytes: parts.proof_bytes(),
            proof: parts.proof(trusted),
        };
        let (header, block) = (&parts.header, parts.header.block());
        let value = parts.values.first().and_then(Option::as_deref);
        match question {
            Question::Header => self.show_header(header, source),
            Question::Storage(entry) => self.show_entry(entry, block, value, source),
            Question::Account(account) => self.show_account(account, block, value, source)?,
            Question::Transaction(hash) => {
                self.show_transaction(&server, header, *hash, source)
                    .await?;
            }
            Question::Call(function, shown) => {
                self.show_call(&server, header, (function, shown), source)
                    .await?;
            }
        }
        self.endpoints.succeeded(index, Instant::now());
        Ok(())
    }

    /// Shows where in a block a transaction is, or that it is not in it.
    async fn show_transaction(
        &self,
        server: &Server,
        header: &FinalHeader,
        transaction: H256,
        source: Source<'_>,
    ) -> Result<(), Fault> {
        let block = header.block();
        let extrinsics = server.extrinsics(block.number(), block.hash()).await?;
        let bytes: usize = extrinsics.iter().map(Vec::len).sum();
        let found = header.body(&extrinsics)?.find(transaction);
        let became = match found {
            Some(found) => Some(self.became(server, header, found.index()).await?),
            None => None,
        };
        let (outcome, no_outcome) = match became {
            Some(Ok(became)) => (Some(became), None),
            Some(Err(why)) => (None, Some(why)),
            None => (None, None),
        };
        self.output.event(&Event::Transaction {
            block: block.number(),
            hash: block.hash(),
            transaction,
            included: found.is_some(),
            index: found.map(|found| found.index()),
            value: found.map(|found| hex(found.bytes())),
            outcome,
            no_outcome,
            source: Source {
                proof_bytes: source.proof_bytes.saturating_add(bytes),
                proof: ProofParts {
                    extrinsics: Some(extrinsics.iter().map(|bytes| hex(bytes)).collect()),
                    ..source.proof
                },
                ..source
            },
        });
        Ok(())
    }

    /// Executes a call and shows its outcome. (STATE-6)
    async fn show_call(
        &self,
        server: &Server,
        header: &FinalHeader,
        (function, shown): (&Function, &Shown),
        source: Source<'_>,
    ) -> Result<(), Fault> {
        let outcome = self
            .calls
            .call(&Prover { server, header }, function)
            .await?;
        let other_format = || {
            let message = format!("this chain has another format of {}", function.name);
            Failure::new(Kind::Usage, message)
        };
        let unreadable = |_| other_format();
        let mut output = outcome.output.as_slice();
        let mut fee = None;
        let inner: Vec<u8>;
        match shown {
            Shown::Output => {}
            Shown::Metadata => {
                inner = Vec::decode(&mut output).map_err(unreadable)?;
                output = &inner;
            }
            Shown::Digest(token) => {
                let found = Option::<Vec<u8>>::decode(&mut output).map_err(unreadable)?;
                let digest = RuntimeMetadata::decode(&found.ok_or_else(other_format)?)
                    .and_then(|found| found.digest(token));
                let digest = digest.map_err(|error| Failure::new(Kind::NoWay, error.to_string()));
                inner = digest?.to_vec();
                output = &inner;
            }
            Shown::Fee => {
                let info = DispatchInfo::decode_all(&mut outcome.output.as_slice());
                fee = Some(Fee::from(&info.map_err(unreadable)?));
            }
        }
        let bytes = outcome.nodes.iter().map(Vec::len);
        self.output.event(&Event::Call {
            block: header.block().number(),
            hash: header.block().hash(),
            method: &function.name,
            parameters: hex(&function.parameters),
            output: hex(output),
            length: output.len(),
            fee,
            code: outcome.code,
            entries: outcome.entries,
            requests: outcome.proofs,
            source: Source {
                proof_bytes: bytes.fold(source.proof_bytes, usize::saturating_add),
                proof: ProofParts {
                    nodes: outcome.nodes.iter().map(|node| hex(node)).collect(),
                    ..source.proof
                },
                ..source
            },
        });
        Ok(())
    }

    fn show_header(&self, header: &FinalHeader, source: Source<'_>) {
        self.output.event(&Event::Header {
            block: header.block().number(),
            hash: header.block().hash(),
            parent_hash: header.parent().map(|parent| parent.hash()),
            state_root: header.state_root(),
            extrinsics_root: header.extrinsics_root(),
            source,
        });
    }

    fn show_entry(
        &self,
        entry: &Entry,
        block: FinalBlock,
        value: Option<&[u8]>,
        source: Source<'_>,
    ) {
        self.output.event(&Event::Storage {
            block: block.number(),
            hash: block.hash(),
            key: hex(&entry.key),
            name: entry.name.as_deref(),
            value: value.map(hex),
            length: value.map(<[u8]>::len),
            events: value.and_then(|value| entry.events(value)),
            source,
        });
    }

    fn show_account(
        &self,
        account: &Account,
        block: FinalBlock,
        entry: Option<&[u8]>,
        source: Source<'_>,
    ) -> Result<(), Failure> {
        let info = match entry {
            Some(mut bytes) => AccountInfo::decode_all(&mut bytes).map_err(|_| {
                Failure::new(
                    Kind::Usage,
                    "this chain has another account format: read the entry with `storage`",
                )
            })?,
            None => AccountInfo::default(),
        };
        self.output.event(&Event::Account {
            block: block.number(),
            hash: block.hash(),
            account: &account.text,
            exists: entry.is_some(),
            nonce: info.nonce,
            free: info.free.to_string(),
            reserved: info.reserved.to_string(),
            frozen: info.frozen.to_string(),
            source,
        });
        Ok(())
    }
}

/// Proves entries of the state after a block by one endpoint.
pub(crate) struct Prover<'a> {
    pub(crate) server: &'a Server,
    pub(crate) header: &'a FinalHeader,
}

impl Prove for Prover<'_> {
    type Error = Fault;

    fn root(&self) -> H256 {
        self.header.state_root()
    }

    async fn prove(&self, keys: &[&[u8]]) -> Result<Vec<Vec<u8>>, Fault> {
        parts::entries(self.server, self.header, keys).await
    }
}
