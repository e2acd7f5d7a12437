//! Why a request is answered with an error, in the codes and words of other nodes.

use crate::evm::EvmError;
use alloy_eips::eip2718::Eip2718Error;
use alloy_primitives::{Bytes, U256};
use jsonrpsee::types::{
    error::{CALL_EXECUTION_FAILED_CODE, INTERNAL_ERROR_CODE, INVALID_PARAMS_CODE},
    ErrorObjectOwned,
};
use revm::context::result::{EVMError, HaltReason, InvalidTransaction};
use thiserror::Error;

/// The code for a call that reverted.
const REVERTED_CODE: i32 = 3;

/// Why a request is refused.
#[derive(Debug, Error)]
pub(crate) enum Refusal {
    /// The node was told to refuse everything.
    #[error("the node is overloaded")]
    Overloaded,
    /// An answer could not be written.
    #[error("{0}")]
    Unwritable(#[from] serde_json::Error),

    /// A parameter that is well formed and yet wrong.
    #[error("{0}")]
    InvalidParameter(&'static str),
    /// A block that does not exist.
    #[error("header not found")]
    UnknownBlock,
    /// State of a block before the latest.
    #[error("the state of block {block} is not kept: only that of the latest, {latest}")]
    StateNotKept { block: u64, latest: u64 },
    /// A filter that matches too much.
    #[error("query returned more than {limit} results")]
    TooManyLogs { limit: usize },

    /// Bytes that are no transaction.
    #[error("{0}")]
    Encoding(Eip2718Error),
    /// A transaction with more bytes than taken.
    #[error("oversized data: transaction size {got}, limit {limit}")]
    Oversized { got: usize, limit: usize },
    /// A signature from which no sender is recovered.
    #[error("invalid sender")]
    InvalidSender,
    /// A type of transaction that this node does not take.
    #[error("transaction type not supported")]
    UnsupportedType,
    /// A signature for all chains.
    #[error("only replay-protected (EIP-155) transactions allowed over RPC")]
    Unprotected,
    /// A signature for another chain.
    #[error("invalid chain id for signer: have {got} want {expected}")]
    WrongChain { got: u64, expected: u64 },
    /// A sender that is a contract.
    #[error("sender not an eoa")]
    SenderIsContract,
    /// A nonce that is used up.
    #[error("nonce too low: next nonce {next}, tx nonce {got}")]
    NonceTooLow { next: u64, got: u64 },
    /// A sender that cannot pay for this transaction and those it has in the pool.
    #[error("insufficient funds for gas * price + value: balance {balance}, cost {cost}, cost of queued transactions {queued}")]
    InsufficientFunds {
        balance: U256,
        cost: U256,
        queued: U256,
    },
    /// The same transaction again.
    #[error("already known")]
    AlreadyKnown,
    /// A replacement that pays too little more.
    #[error("replacement transaction underpriced")]
    Underpriced,
    /// Too many transactions.
    #[error("txpool is full: {limit} transactions")]
    PoolFull { limit: usize },
    /// Too many transactions of this sender.
    #[error("account limit exceeded: {limit} transactions of one sender")]
    SenderFull { limit: usize },

    /// What revm does not execute.
    #[error("{}", words(.0))]
    NotExecutable(EvmError),
    /// A call that reverted.
    #[error("execution reverted{}", reason(.data))]
    Reverted { data: Bytes },
    /// A call that failed otherwise.
    #[error("{}", halted(.0))]
    Halted(HaltReason),
    /// No allowed amount of gas is enough.
    #[error("gas required exceeds allowance ({allowance})")]
    GasAllowance { allowance: u64 },
}

impl From<Refusal> for ErrorObjectOwned {
    fn from(refusal: Refusal) -> Self {
        let message = refusal.to_string();
        match refusal {
            Refusal::Reverted { data } => Self::owned(REVERTED_CODE, message, Some(data)),
            Refusal::Overloaded | Refusal::Unwritable(_) => {
                Self::owned(INTERNAL_ERROR_CODE, message, None::<()>)
            }
            Refusal::InvalidParameter(_) => Self::owned(INVALID_PARAMS_CODE, message, None::<()>),
            _ => Self::owned(CALL_EXECUTION_FAILED_CODE, message, None::<()>),
        }
    }
}

/// The words of other nodes, since clients look for them; revm's own where nobody does.
fn words(error: &EvmError) -> String {
    let EVMError::Transaction(error) = error else {
        return error.to_string();
    };
    match error {
        InvalidTransaction::GasPriceLessThanBasefee => {
            "max fee per gas less than block base fee".into()
        }
        InvalidTransaction::PriorityFeeGreaterThanMaxFee => {
            "max priority fee per gas higher than max fee per gas".into()
        }
        InvalidTransaction::CallerGasLimitMoreThanBlock => "exceeds block gas limit".into(),
        InvalidTransaction::CallGasCostMoreThanGasLimit {
            initial_gas,
            gas_limit,
        } => format!("intrinsic gas too low: gas {gas_limit}, minimum needed {initial_gas}"),
        InvalidTransaction::GasFloorMoreThanGasLimit {
            gas_floor,
            gas_limit,
        } => format!(
            "insufficient gas for floor data gas cost: gas {gas_limit}, minimum needed {gas_floor}"
        ),
        InvalidTransaction::LackOfFundForMaxFee { fee, balance } => {
            format!("insufficient funds for gas * price + value: balance {balance}, cost {fee}")
        }
        InvalidTransaction::CreateInitCodeSizeLimit => "max initcode size exceeded".into(),
        other => other.to_string(),
    }
}

fn halted(halt: &HaltReason) -> String {
    match halt {
        HaltReason::OutOfGas(_) => "out of gas".into(),
        other => format!("execution halted: {other:?}"),
    }
}

/// The text of `Error(string)`, as it follows "execution reverted"; nothing for other data.
fn reason(data: &[u8]) -> String {
    /// The first four bytes of the hash of `Error(string)`.
    const SELECTOR: [u8; 4] = [0x08, 0xc3, 0x79, 0xa0];
    let text = || {
        let arguments = data.strip_prefix(&SELECTOR)?;
        let number = |word: &[u8]| usize::try_from(U256::try_from_be_slice(word)?).ok();
        let tail = arguments.get(number(arguments.get(..32)?)?..)?;
        let length = number(tail.get(..32)?)?;
        std::str::from_utf8(tail.get(32..)?.get(..length)?).ok()
    };
    text().map(|text| format!(": {text}")).unwrap_or_default()
}
