//! The rules of a fork, and revm set up with them.

use crate::config::Fork;
use alloy_consensus::transaction::Recovered;
use alloy_consensus::{Header, Transaction, TxEnvelope, Typed2718};
use alloy_primitives::U256;
use revm::{
    context::{
        result::{EVMError, InvalidTransaction},
        BlockEnv, CfgEnv, Context, TxEnv,
    },
    database::{CacheDB, EmptyDB},
    handler::{Handler, MainnetContext, MainnetEvm, MainnetHandler},
    primitives::{eip7825, hardfork::SpecId},
    Database, MainBuilder, MainContext,
};
use std::convert::Infallible;

/// The gas of a block, and so the most that a transaction may ask for before Osaka.
pub(crate) const BLOCK_GAS_LIMIT: u64 = 60_000_000;

/// Errors of revm on a state in memory, which is always readable.
pub(crate) type EvmError = EVMError<Infallible, InvalidTransaction>;

/// The accounts in memory.
pub(crate) type State = CacheDB<EmptyDB>;

/// What is the same for every block of a chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub(crate) fork: Fork,
    pub(crate) chain_id: u64,
}

impl Rules {
    fn spec(self) -> SpecId {
        match self.fork {
            Fork::Prague => SpecId::PRAGUE,
            Fork::Osaka => SpecId::OSAKA,
        }
    }

    /// The most gas that one transaction may ask for (EIP-7825).
    pub(crate) fn transaction_gas_limit(self) -> u64 {
        match self.fork {
            Fork::Prague => BLOCK_GAS_LIMIT,
            Fork::Osaka => eip7825::TX_GAS_LIMIT_CAP,
        }
    }

    fn configuration(self) -> CfgEnv {
        CfgEnv::new()
            .with_chain_id(self.chain_id)
            .with_spec_and_mainnet_gas_params(self.spec())
    }

    /// An EVM for the transactions of a block.
    pub(crate) fn evm<DB: Database>(
        self,
        block: BlockEnv,
        db: DB,
    ) -> MainnetEvm<MainnetContext<DB>> {
        Context::mainnet()
            .with_db(db)
            .with_block(block)
            .with_cfg(self.configuration())
            .build_mainnet()
    }

    /// An EVM for calls that are not transactions: a contract may be their sender, and they may
    /// take more gas than a transaction.
    pub(crate) fn call_evm<DB: Database>(
        self,
        block: BlockEnv,
        db: DB,
    ) -> MainnetEvm<MainnetContext<DB>> {
        let mut configuration = self.configuration();
        configuration.disable_eip3607 = true;
        configuration.tx_gas_limit_cap = Some(BLOCK_GAS_LIMIT);
        Context::mainnet()
            .with_db(db)
            .with_block(block)
            .with_cfg(configuration)
            .build_mainnet()
    }

    /// Checks what holds for a transaction whatever the state and the base fee are: its chain, its
    /// limits, and that its gas covers what is paid before it runs.
    pub(crate) fn check(self, tx: TxEnv) -> Result<(), EvmError> {
        let block = BlockEnv {
            gas_limit: BLOCK_GAS_LIMIT,
            ..BlockEnv::default()
        };
        let mut evm = self.evm(block, EmptyDB::default());
        evm.ctx.tx = tx;
        let handler = MainnetHandler::<_, EvmError, _>::default();
        handler.validate_env(&mut evm)?;
        handler.validate_initial_tx_gas(&mut evm)?;
        Ok(())
    }
}

/// What the EVM sees of a block.
pub(crate) fn block_env(header: &Header) -> BlockEnv {
    BlockEnv {
        number: U256::from(header.number),
        beneficiary: header.beneficiary,
        timestamp: U256::from(header.timestamp),
        gas_limit: header.gas_limit,
        basefee: header.base_fee_per_gas.unwrap_or_default(),
        prevrandao: Some(header.mix_hash),
        ..BlockEnv::default()
    }
}

/// What the EVM sees of a transaction.
pub(crate) fn tx_env(tx: &Recovered<TxEnvelope>) -> TxEnv {
    TxEnv {
        tx_type: tx.ty(),
        caller: tx.signer(),
        gas_limit: tx.gas_limit(),
        gas_price: tx.max_fee_per_gas(),
        kind: tx.kind(),
        value: tx.value(),
        data: tx.input().clone(),
        nonce: tx.nonce(),
        chain_id: tx.chain_id(),
        access_list: tx.access_list().cloned().unwrap_or_default(),
        gas_priority_fee: tx.max_priority_fee_per_gas(),
        ..TxEnv::default()
    }
}
