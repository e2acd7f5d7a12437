//! The blocks, the state after the latest of them, and the pool.

use crate::{
    admission,
    block::{Block, Mined},
    config::Config,
    evm::{block_env, Rules, State, BLOCK_GAS_LIMIT},
    fill::{self, fill},
    pool::Pool,
    refusal::Refusal,
    snapshot::Snapshot,
};
use alloy_consensus::{constants::EMPTY_ROOT_HASH, Header};
use alloy_eips::{eip7685::EMPTY_REQUESTS_HASH, BlockId, BlockNumberOrTag, RpcBlockHash};
use alloy_primitives::{address, keccak256, Address, B256, U256};
use revm::{
    database::{CacheDB, DatabaseRef},
    state::AccountInfo,
};
use std::{
    collections::HashMap,
    time::{SystemTime, UNIX_EPOCH},
};

/// Who gets the tips.
const BENEFICIARY: Address = address!("00000000000000000000000000000000c0ffee00");

/// Which of the two states that exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// After the latest block.
    Latest,
    /// After a block that would be made now.
    Pending,
}

/// A chain. Never empty: it begins with its genesis block.
#[derive(Debug)]
pub(crate) struct Chain {
    rules: Rules,
    base_fee: u64,
    state: State,
    blocks: Vec<Block>,
    by_hash: HashMap<B256, usize>,
    /// Block and index of each transaction.
    transactions: HashMap<B256, (usize, usize)>,
    pool: Pool,
}

impl Chain {
    /// A chain with a genesis block and the accounts that are funded in it.
    pub(crate) fn new(config: &Config) -> Self {
        let mut chain = Self {
            rules: Rules {
                fork: config.fork,
                chain_id: config.chain_id,
            },
            base_fee: config.base_fee,
            state: State::default(),
            blocks: Vec::new(),
            by_hash: HashMap::new(),
            transactions: HashMap::new(),
            pool: Pool::default(),
        };
        for (address, balance) in &config.funded {
            chain.set_balance(*address, *balance);
        }
        let genesis = chain.header_after(None);
        chain.append(Block::seal(genesis, Vec::new()));
        chain
    }

    pub(crate) fn rules(&self) -> Rules {
        self.rules
    }

    pub(crate) fn pool(&self) -> &Pool {
        &self.pool
    }

    /// The base fee of the next block.
    pub(crate) fn base_fee(&self) -> u64 {
        self.base_fee
    }

    pub(crate) fn set_base_fee(&mut self, base_fee: u64) {
        self.base_fee = base_fee;
    }

    /// The latest block.
    pub(crate) fn head(&self) -> &Block {
        self.blocks
            .last()
            .expect("`new` has made the genesis block")
    }

    pub(crate) fn block(&self, number: u64) -> Option<&Block> {
        self.blocks.get(usize::try_from(number).ok()?)
    }

    pub(crate) fn block_by_hash(&self, hash: &B256) -> Option<&Block> {
        self.blocks.get(*self.by_hash.get(hash)?)
    }

    /// The block and the index in it of a mined transaction.
    pub(crate) fn find(&self, hash: &B256) -> Option<(&Block, usize)> {
        let (block, index) = *self.transactions.get(hash)?;
        Some((self.blocks.get(block)?, index))
    }

    /// The number that is meant; none for the pending block. A block is final at once here.
    pub(crate) fn number(&self, block: BlockNumberOrTag) -> Option<u64> {
        match block {
            BlockNumberOrTag::Number(number) => Some(number),
            BlockNumberOrTag::Earliest => Some(0),
            BlockNumberOrTag::Latest | BlockNumberOrTag::Safe | BlockNumberOrTag::Finalized => {
                Some(self.head().header.number)
            }
            BlockNumberOrTag::Pending => None,
        }
    }

    /// Which state is meant.
    ///
    /// # Errors
    /// When the block does not exist, or is not the latest.
    pub(crate) fn at(&self, id: BlockId) -> Result<At, Refusal> {
        let number = match id {
            BlockId::Number(number) => self.number(number),
            BlockId::Hash(RpcBlockHash { block_hash, .. }) => {
                let block = self.block_by_hash(&block_hash);
                Some(block.ok_or(Refusal::UnknownBlock)?.header.number)
            }
        };
        let latest = self.head().header.number;
        match number {
            None => Ok(At::Pending),
            Some(number) if number == latest => Ok(At::Latest),
            Some(block) if block < latest => Err(Refusal::StateNotKept { block, latest }),
            Some(_) => Err(Refusal::UnknownBlock),
        }
    }

    /// A copy of a state to run calls on.
    pub(crate) fn snapshot(&self, at: At) -> Snapshot<'_> {
        let mut state = CacheDB::new(&self.state);
        let header = match at {
            At::Latest => self.head().header.inner.clone(),
            At::Pending => self.header_after(Some(self.head())),
        };
        let block = block_env(&header);
        if at == At::Pending {
            fill(self.rules, &block, &mut state, &self.pool);
        }
        Snapshot::new(self.rules, state, block)
    }

    /// An account after the latest block.
    pub(crate) fn account(&self, address: Address) -> AccountInfo {
        let Ok(account) = self.state.basic_ref(address);
        account.unwrap_or_default()
    }

    pub(crate) fn set_balance(&mut self, address: Address, balance: U256) {
        let account = self.account(address).with_balance(balance);
        self.state.insert_account_info(address, account);
    }

    /// Takes a signed transaction into the pool.
    ///
    /// # Errors
    /// When it is no transaction, or breaks a rule of the chain or of the pool.
    pub(crate) fn submit(&mut self, raw: &[u8]) -> Result<B256, Refusal> {
        let tx = admission::decode(raw)?;
        let hash = *tx.tx_hash();
        if self.transactions.contains_key(&hash) {
            return Err(Refusal::AlreadyKnown);
        }
        let account = self.account(tx.signer());
        admission::check(self.rules, &account, &self.pool, &tx)?;
        self.pool.insert(tx)?;
        Ok(hash)
    }

    /// Makes one block with what the pool has for it.
    pub(crate) fn mine(&mut self) {
        let header = self.header_after(Some(self.head()));
        let filled = fill(self.rules, &block_env(&header), &mut self.state, &self.pool);
        let executed = filled.executed.iter().map(|executed| &executed.tx);
        for tx in executed.chain(&filled.invalid) {
            self.pool.remove(tx);
        }
        self.append(Block::seal(header, filled.executed));
    }

    /// Makes blocks until nothing in the pool could go into another.
    pub(crate) fn mine_ready(&mut self) {
        loop {
            let block = block_env(&self.header_after(Some(self.head())));
            if !fill::is_ready(&block, &mut self.state, &self.pool) {
                break;
            }
            self.mine();
        }
    }

    fn header_after(&self, parent: Option<&Block>) -> Header {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map(|now| now.as_secs()).unwrap_or_default();
        let parent = parent.map(|parent| &parent.header);
        let parent_hash = parent.map(|parent| parent.hash).unwrap_or_default();
        Header {
            parent_hash,
            beneficiary: BENEFICIARY,
            number: parent.map(|parent| parent.number + 1).unwrap_or_default(),
            gas_limit: BLOCK_GAS_LIMIT,
            // Two blocks may be made within a second, and time must increase.
            timestamp: parent.map_or(now, |parent| now.max(parent.timestamp + 1)),
            mix_hash: keccak256(parent_hash),
            base_fee_per_gas: Some(self.base_fee),
            withdrawals_root: Some(EMPTY_ROOT_HASH),
            blob_gas_used: Some(0),
            excess_blob_gas: Some(0),
            parent_beacon_block_root: Some(B256::ZERO),
            requests_hash: Some(EMPTY_REQUESTS_HASH),
            ..Header::default()
        }
    }

    fn append(&mut self, block: Block) {
        let (hash, place) = (block.header.hash, self.blocks.len());
        let number = U256::from(block.header.number);
        self.state.cache.block_hashes.insert(number, hash);
        self.by_hash.insert(hash, place);
        for (index, Mined { tx, .. }) in block.transactions.iter().enumerate() {
            self.transactions.insert(*tx.tx_hash(), (place, index));
        }
        self.blocks.push(block);
    }
}
