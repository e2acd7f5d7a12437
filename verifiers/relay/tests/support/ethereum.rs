//! A node of an EVM chain: anvil, or geth in its place. A process, asked by JSON-RPC.

use super::{until, LONG};
use alloy::{
    consensus::Transaction as _,
    network::Ethereum,
    primitives::{Address, U256},
    providers::{Provider, RootProvider},
    rpc::types::Transaction,
};
use serde_json::{json, Value};
use std::{collections::BTreeMap, path::Path, process::Stdio, time::Duration};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, BufReader},
    process::{Child, Command},
    time::timeout,
};

/// What `npm ci` in `contracts/` installs.
const ANVIL: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../contracts/node_modules/.bin/anvil"
);

/// Transactions by sender and nonce.
type BySender = BTreeMap<Address, BTreeMap<String, Transaction>>;

/// A chain with the rules of Prague. It is killed when it is dropped.
pub struct EthereumNode {
    /// Where it listens.
    pub url: String,
    provider: RootProvider<Ethereum>,
    _process: Child,
    /// geth's.
    _data: Option<TempDir>,
}

impl EthereumNode {
    /// anvil, with a block for each transaction.
    pub async fn anvil() -> Self {
        let mut process = Command::new(ANVIL)
            .args(["--host", "127.0.0.1", "--port", "0"])
            .args(["--hardfork", "prague", "--base-fee", "1000000000"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("`npm ci` in contracts/ installs anvil");
        let output = process.stdout.take().expect("it is connected");
        let address = address_in(output, "Listening on ").await;
        Self::at(address, process, None)
    }

    /// This geth, as its developers' network, with a block in each such time, which is in whole seconds.
    pub async fn geth(program: &Path, block: Duration) -> Self {
        let data = tempfile::tempdir().expect("a folder");
        let mut process = Command::new(program)
            .args(["--dev", "--dev.period", &block.as_secs().to_string()])
            .args(["--http", "--http.port", "0", "--http.api", "eth,txpool"])
            .args(["--port", "0", "--authrpc.port", "0", "--ipcdisable"])
            .arg("--datadir")
            .arg(data.path())
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("the program starts");
        let output = process.stderr.take().expect("it is connected");
        let address = address_in(output, "HTTP server started").await;
        Self::at(address, process, Some(data))
    }

    fn at(address: String, process: Child, data: Option<TempDir>) -> Self {
        // Refused where a provider of cryptography is installed already, which then serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let url = format!("http://{address}");
        Self {
            provider: RootProvider::new_http(url.parse().expect("a URL")),
            url,
            _process: process,
            _data: data,
        }
    }

    /// What it answers to a request.
    async fn ask(&self, method: &'static str, params: Value) -> Value {
        let answer = self.provider.raw_request(method.into(), params).await;
        answer.unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// Makes a block of what the pool has for it. What offers less than its base fee is dropped.
    pub async fn mine(&self) {
        self.ask("evm_mine", json!([])).await;
    }

    /// Lets seconds pass, and makes a block after them.
    pub async fn pass(&self, seconds: u64) {
        self.ask("evm_increaseTime", json!([seconds])).await;
        self.mine().await;
    }

    /// Makes blocks by hand from now on.
    pub async fn by_hand(&self) {
        self.ask("evm_setAutomine", json!([false])).await;
    }

    /// Makes a block of what waits, and one for each transaction from now on.
    pub async fn on_each_transaction(&self) {
        self.ask("evm_setAutomine", json!([true])).await;
    }

    /// Sets the base fee of the next block, in wei.
    pub async fn set_base_fee(&self, base_fee: u128) {
        let base_fee = U256::from(base_fee);
        self.ask("anvil_setNextBlockBaseFeePerGas", json!([base_fee]))
            .await;
    }

    pub async fn set_balance(&self, account: Address, balance: u128) {
        let balance = U256::from(balance);
        self.ask("anvil_setBalance", json!([account, balance]))
            .await;
    }

    /// Gives an account as much on geth, from that of its developers, and waits for the block.
    pub async fn pay(&self, account: Address, value: u128) {
        let accounts = self.ask("eth_accounts", json!([])).await;
        let transfer = json!({ "from": accounts[0], "to": account, "value": U256::from(value) });
        self.ask("eth_sendTransaction", json!([transfer])).await;
        until("a payment", async || self.balance(account).await == value).await;
    }

    /// Sets how much gas a block has room for.
    pub async fn set_gas_limit(&self, limit: u64) {
        let limit = U256::from(limit);
        self.ask("evm_setBlockGasLimit", json!([limit])).await;
    }

    /// Forgets what waits.
    pub async fn lose_pool(&self) {
        self.ask("anvil_dropAllTransactions", json!([])).await;
    }

    /// Puts an empty block in the place of the latest.
    pub async fn reorganise(&self) {
        self.ask("anvil_reorg", json!([1, []])).await;
    }

    /// Its state now, to go back to.
    pub async fn snapshot(&self) -> Value {
        self.ask("evm_snapshot", json!([])).await
    }

    pub async fn go_back(&self, snapshot: &Value) {
        self.ask("evm_revert", json!([snapshot])).await;
    }

    /// In wei.
    pub async fn balance(&self, account: Address) -> u128 {
        let balance = self.provider.get_balance(account).await;
        balance.expect("it answers").to()
    }

    /// The transactions that wait for a block.
    pub async fn pool(&self) -> Vec<Transaction> {
        let mut content = self.ask("txpool_content", json!([])).await;
        let by_sender = serde_json::from_value::<BySender>(content["pending"].take());
        let by_nonce = by_sender.expect("transactions").into_values();
        by_nonce.flat_map(BTreeMap::into_values).collect()
    }

    /// Waits until there are so many of them.
    pub async fn until_waiting(&self, count: usize) {
        let holds = async || self.pool().await.len() == count;
        until("transactions in the pool", holds).await;
    }

    /// Waits until another one has taken the place of the only one. It has to offer a tenth more of both fees, as nodes ask for;
    /// anvil is content with less.
    pub async fn until_replaced(&self, old: &Transaction) {
        let hash = |one: &Transaction| *one.inner.tx_hash();
        let is_gone = async || self.pool().await.iter().all(|one| hash(one) != hash(old));
        until("a replacement", is_gone).await;
        let pool = self.pool().await;
        let [new] = &pool[..] else { panic!("{pool:?}") };
        for fee in [
            Transaction::max_fee_per_gas,
            Transaction::priority_fee_or_price,
        ] {
            assert!(fee(new) * 10 >= fee(old) * 11, "{old:?}, {new:?}");
        }
    }

    /// How many of them offer enough for the next block.
    pub async fn ready(&self) -> usize {
        let pending = self
            .ask("eth_getBlockByNumber", json!(["pending", false]))
            .await;
        pending["transactions"].as_array().expect("hashes").len()
    }
}

/// The address in the first line of a program's output that has this text, behind it or in its field `endpoint`.
async fn address_in(output: impl AsyncRead + Send + Unpin + 'static, text: &str) -> String {
    let mut lines = BufReader::new(output).lines();
    let listening = async {
        loop {
            let line = lines.next_line().await.expect("it is text");
            let line = line.expect("the program does not end");
            let Some((_, behind)) = line.split_once(text) else {
                continue;
            };
            let field = behind.split_once("endpoint=").map(|(_, field)| field);
            let words = field.unwrap_or(behind).split_whitespace();
            break words.map(str::to_owned).next().expect("an address");
        }
    };
    let address = timeout(LONG, listening).await.expect("it starts");
    // Nobody reads the rest, and at a full pipe it would stop.
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    address
}
