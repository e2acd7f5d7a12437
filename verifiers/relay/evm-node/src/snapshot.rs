//! Calls that change nothing: `eth_call` and `eth_estimateGas`.

use crate::{
    evm::{EvmError, Rules, State},
    refusal::Refusal,
};
use alloy_primitives::{Address, Bytes, TxKind, U256};
use alloy_rpc_types_eth::TransactionRequest;
use revm::{
    context::{
        result::{EVMError, ExecutionResult, HaltReason, InvalidTransaction},
        BlockEnv, TxEnv,
    },
    database::{CacheDB, DatabaseRef},
    state::AccountInfo,
    ExecuteEvm,
};

/// The most gas of a call, as in other nodes by default.
const CALL_GAS_LIMIT: u64 = 50_000_000;

/// The gas of a transfer to an account without code.
const TRANSFER_GAS: u64 = 21_000;

/// What a called contract is given with a transfer, beyond what it is seen to use.
const CALL_STIPEND: u64 = 2_300;

/// An estimate is at most this far above the least gas that is enough, as in other nodes.
const TOLERANCE_PERMILLE: u64 = 15;

/// A state of its own, and the block that calls on it see.
#[derive(Debug)]
pub(crate) struct Snapshot<'a> {
    rules: Rules,
    state: CacheDB<&'a State>,
    block: BlockEnv,
}

impl<'a> Snapshot<'a> {
    pub(crate) fn new(rules: Rules, state: CacheDB<&'a State>, block: BlockEnv) -> Self {
        Self {
            rules,
            state,
            block,
        }
    }

    pub(crate) fn account(&self, address: Address) -> AccountInfo {
        let Ok(account) = self.state.basic_ref(address);
        account.unwrap_or_default()
    }

    pub(crate) fn code(&self, address: Address) -> Bytes {
        let Ok(code) = self
            .state
            .code_by_hash_ref(self.account(address).code_hash());
        code.original_bytes()
    }

    /// What a call returns.
    ///
    /// # Errors
    /// When it fails, or cannot be paid for.
    pub(crate) fn call(&mut self, request: TransactionRequest) -> Result<Bytes, Refusal> {
        let gas = request.gas.unwrap_or(CALL_GAS_LIMIT).min(CALL_GAS_LIMIT);
        let tx = self.transaction(request)?;
        match self.attempt(&tx, gas).map_err(Refusal::NotExecutable)? {
            ExecutionResult::Success { output, .. } => Ok(output.into_data()),
            ExecutionResult::Revert { output, .. } => Err(Refusal::Reverted { data: output }),
            ExecutionResult::Halt { reason, .. } => Err(Refusal::Halted(reason)),
        }
    }

    /// How much gas is enough: found by halving the range between what the call uses and what it
    /// may use, since gas that is refunded or kept back from an inner call must be there as well.
    ///
    /// # Errors
    /// When it fails with all the gas that is allowed.
    pub(crate) fn estimate(&mut self, request: TransactionRequest) -> Result<u64, Refusal> {
        let wanted = request.gas;
        let tx = self.transaction(request)?;
        let mut high = self.allowance(&tx, wanted);
        if self.is_plain_transfer(&tx) && self.is_enough(&tx, TRANSFER_GAS.min(high))? {
            return Ok(TRANSFER_GAS);
        }
        let first = match self.attempt(&tx, high) {
            Err(error) if is_short_of_gas(&error) => {
                return Err(Refusal::GasAllowance { allowance: high })
            }
            outcome => outcome.map_err(Refusal::NotExecutable)?,
        };
        let used = first.tx_gas_used();
        let spent = first.gas().total_gas_spent().max(used);
        match first {
            ExecutionResult::Success { .. } => {}
            ExecutionResult::Revert { output, .. } => {
                return Err(Refusal::Reverted { data: output })
            }
            ExecutionResult::Halt {
                reason: HaltReason::OutOfGas(_),
                ..
            } => return Err(Refusal::GasAllowance { allowance: high }),
            ExecutionResult::Halt { reason, .. } => return Err(Refusal::Halted(reason)),
        }
        let mut low = used.saturating_sub(1);
        // An inner call gets at most 63 of 64 parts. Mostly this is enough, and near.
        let mut middle = spent.saturating_add(CALL_STIPEND).saturating_mul(64) / 63;
        if middle >= high {
            middle = low + (high - low) / 2;
        }
        while low + 1 < high && (high - low) * 1000 > high * TOLERANCE_PERMILLE {
            if self.is_enough(&tx, middle)? {
                high = middle;
            } else {
                low = middle;
            }
            middle = low + (high - low) / 2;
        }
        Ok(high)
    }

    /// The most gas that the call may use: what the chain allows, what the request asks for, and
    /// what the sender can pay.
    fn allowance(&self, tx: &TxEnv, wanted: Option<u64>) -> u64 {
        let limit = self.rules.transaction_gas_limit();
        let wanted = wanted.filter(|gas| *gas >= TRANSFER_GAS).unwrap_or(limit);
        let balance = self.account(tx.caller).balance.saturating_sub(tx.value);
        let payable = balance.checked_div(U256::from(tx.gas_price));
        let payable = payable.map_or(u64::MAX, |gas| gas.saturating_to());
        limit.min(wanted).min(payable)
    }

    fn is_plain_transfer(&self, tx: &TxEnv) -> bool {
        let TxKind::Call(to) = tx.kind else {
            return false;
        };
        tx.data.is_empty() && tx.access_list.is_empty() && self.code(to).is_empty()
    }

    /// Whether the call succeeds with this gas.
    fn is_enough(&mut self, tx: &TxEnv, gas: u64) -> Result<bool, Refusal> {
        match self.attempt(tx, gas) {
            Ok(result) => Ok(result.is_success()),
            Err(error) if is_short_of_gas(&error) => Ok(false),
            Err(error) => Err(Refusal::NotExecutable(error)),
        }
    }

    fn attempt(&mut self, tx: &TxEnv, gas: u64) -> Result<ExecutionResult, EvmError> {
        let mut block = self.block.clone();
        if tx.gas_price == 0 {
            // Whoever offers no price only wants the answer.
            block.basefee = 0;
        }
        let mut evm = self.rules.call_evm(block, &mut self.state);
        let tx = TxEnv {
            gas_limit: gas,
            ..tx.clone()
        };
        Ok(evm.transact(tx)?.result)
    }

    /// The transaction that a request describes, without its gas.
    fn transaction(&self, request: TransactionRequest) -> Result<TxEnv, Refusal> {
        let has_dynamic_fee =
            request.max_fee_per_gas.is_some() || request.max_priority_fee_per_gas.is_some();
        if has_dynamic_fee && request.gas_price.is_some() {
            return Err(Refusal::InvalidParameter(
                "both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified",
            ));
        }
        if request.blob_versioned_hashes.is_some() || request.authorization_list.is_some() {
            return Err(Refusal::UnsupportedType);
        }
        let caller = request.from.unwrap_or_default();
        let access_list = request.access_list.unwrap_or_default();
        let tip = request.max_priority_fee_per_gas.unwrap_or_default();
        let input = request.input.unique_input();
        let input = input.map_err(|_| {
            Refusal::InvalidParameter("both \"data\" and \"input\" are set and not equal")
        })?;
        Ok(TxEnv {
            tx_type: match (has_dynamic_fee, access_list.is_empty()) {
                (true, _) => 2,
                (false, false) => 1,
                (false, true) => 0,
            },
            caller,
            gas_price: request
                .max_fee_per_gas
                .or(request.gas_price)
                .unwrap_or_default(),
            kind: request.to.unwrap_or_default(),
            value: request.value.unwrap_or_default(),
            data: input.cloned().unwrap_or_default(),
            nonce: self.account(caller).nonce,
            chain_id: Some(request.chain_id.unwrap_or(self.rules.chain_id)),
            access_list,
            gas_priority_fee: has_dynamic_fee.then_some(tip),
            ..TxEnv::default()
        })
    }
}

/// Whether more gas would help a transaction that is not executed.
fn is_short_of_gas(error: &EvmError) -> bool {
    matches!(
        error,
        EVMError::Transaction(
            InvalidTransaction::CallGasCostMoreThanGasLimit { .. }
                | InvalidTransaction::GasFloorMoreThanGasLimit { .. }
        )
    )
}
