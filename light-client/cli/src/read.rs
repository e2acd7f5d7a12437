//! Answers from the chain's state and history, each proven under the newest block with a proof.

use crate::{
    exit::{Failure, Kind},
    fault::Fault,
    output::{Event, Source},
    question::{Account, Question},
    rpc::Server,
    session::Session,
};
use codec::Decode;
use duet_light_client::{FinalBlock, FinalHeader};
use duet_primitives::{BlockNumber, H256};
use std::time::Instant;

/// The entry of an account, as the SDK's `frame_system` and `pallet_balances` lay it out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Decode)]
struct AccountInfo {
    nonce: u32,
    _references: [u32; 3],
    free: u128,
    reserved: u128,
    frozen: u128,
    _flags: u128,
}

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
        let (block, history) = self.find(&server, at).await?;
        let bytes = server.header(block.hash()).await?;
        let header = block.header(&bytes)?;
        let proof_bytes = bytes.len().saturating_add(history);
        let source = Source {
            url: &url,
            proof_bytes,
        };
        match question {
            Question::Header => self.show_header(&header, source),
            Question::Storage(key) => {
                let (value, source) = read(&server, &header, key, source).await?;
                let hex = |bytes: &[u8]| format!("0x{}", hex::encode(bytes));
                self.output.event(&Event::Storage {
                    block: block.number(),
                    hash: block.hash(),
                    key: hex(key),
                    value: value.as_deref().map(hex),
                    source,
                });
            }
            Question::Account(account) => {
                let (value, source) = read(&server, &header, &account.key(), source).await?;
                self.show_account(account, block, value.as_deref(), source)?;
            }
            Question::Transaction(hash) => {
                self.show_transaction(&server, &header, *hash, source)
                    .await?;
            }
        }
        self.endpoints.succeeded(index, Instant::now());
        Ok(())
    }

    /// The block that is asked about, and how many bytes prove that it is final.
    async fn find(
        &self,
        server: &Server,
        at: Option<BlockNumber>,
    ) -> Result<(FinalBlock, usize), Fault> {
        let newest = self.trusted()?.best_block();
        let Some(at) = at.filter(|at| *at != newest.number()) else {
            return Ok((newest, 0));
        };
        if at > newest.number() {
            let newest = newest.number();
            return Err(Failure::new(
                Kind::NoWay,
                format!("block {at} is not proven yet: the newest proven block is {newest}"),
            )
            .into());
        }
        let proof = server
            .block_proof(at, newest.number(), newest.hash())
            .await?;
        let bytes = codec::Encode::encoded_size(&proof);
        let block = proof.check(&newest)?;
        if block.number() != at {
            let (asked, got) = (format!("block {at}"), format!("block {}", block.number()));
            return Err(crate::fault::Lie::OtherAnswer { asked, got }.into());
        }
        Ok((block, bytes))
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
        self.output.event(&Event::Transaction {
            block: block.number(),
            hash: block.hash(),
            transaction,
            included: found.is_some(),
            index: found.map(|found| found.index()),
            value: found.map(|found| format!("0x{}", hex::encode(found.bytes()))),
            source: Source {
                proof_bytes: source.proof_bytes.saturating_add(bytes),
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

    fn show_account(
        &self,
        account: &Account,
        block: FinalBlock,
        entry: Option<&[u8]>,
        source: Source<'_>,
    ) -> Result<(), Failure> {
        let info = match entry {
            Some(mut bytes) => AccountInfo::decode(&mut bytes).map_err(|_| {
                Failure::new(
                    Kind::Usage,
                    "this chain keeps accounts in a form of its own: read the entry with `storage`",
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

/// One entry of the state under a header.
async fn read<'a>(
    server: &Server,
    header: &FinalHeader,
    key: &[u8],
    source: Source<'a>,
) -> Result<(Option<Vec<u8>>, Source<'a>), Fault> {
    let block = header.block();
    let nodes = server.read_proof(key, block.number(), block.hash()).await?;
    let bytes: usize = nodes.iter().map(Vec::len).sum();
    let entries = header.read(&[key], &nodes)?;
    let value = entries
        .first()
        .and_then(|entry| entry.value())
        .map(<[u8]>::to_vec);
    let proof_bytes = source.proof_bytes.saturating_add(bytes);
    Ok((
        value,
        Source {
            proof_bytes,
            ..source
        },
    ))
}
