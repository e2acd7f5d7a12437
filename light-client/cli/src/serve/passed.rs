//! Unchecked answers of an endpoint: their text is escaped and cut, and errors are attributed to the endpoint.

use crate::serve::{chain::Chain, params::Transaction, refusal::Refusal, upstream::Answer};
use duet_light_rpc::{fit, hex, shown, Fault, Lie};
use duet_primitives::H256;
use jsonrpsee::{
    core::params::ArrayParams,
    types::{ErrorCode, ErrorObjectOwned},
};
use serde_json::{json, Value};
use sp_crypto_hashing::blake2_256;

impl Chain {
    /// Passes a request through.
    pub(crate) async fn pass(&self, method: &str, values: Vec<Value>) -> Result<Value, Refusal> {
        let answer = self.pass_as_it_is(method, &values).await?;
        Ok(fit(answer.value))
    }

    /// The same, with the answer as it came.
    async fn pass_as_it_is(
        &self,
        method: &str,
        values: &[Value],
    ) -> Result<Answer<Value>, Refusal> {
        let answer = self.upstream.ask(|server| async move {
            let mut params = ArrayParams::new();
            for value in values {
                // What was JSON once is JSON again.
                let _ = params.insert(value);
            }
            match server.call::<Value>(method, params).await? {
                Err(error) if error.code() == ErrorCode::MethodNotFound.code() => {
                    // Another one may have it, and this one is of use for the rest.
                    Err(Fault::Unreachable(format!("no method {method}")))
                }
                answer => Ok(answer),
            }
        });
        let Answer { value, endpoint } = answer.await?;
        match value {
            Ok(value) => Ok(Answer { value, endpoint }),
            Err(error) => Err(self.refused_by(endpoint, error)),
        }
    }

    pub(crate) fn refused_by(&self, endpoint: usize, error: ErrorObjectOwned) -> Refusal {
        let url = self.upstream.url(endpoint).to_owned();
        Refusal::Endpoint { url, error }
    }

    /// Submits a transaction. The endpoint must answer with the transaction's hash.
    pub(crate) async fn submit(&self, transaction: &Transaction) -> Result<Value, Refusal> {
        let values = [json!(transaction)];
        let Answer { value, endpoint } = self
            .pass_as_it_is("author_submitExtrinsic", &values)
            .await?;
        let hash = json!(transaction_hash(transaction));
        if value == hash {
            return Ok(hash);
        }
        let asked = format!(
            "the hash of a transaction, {}",
            hash.as_str().unwrap_or_default()
        );
        let got = shown(&value.to_string());
        Err(self.lied(endpoint, Lie::OtherAnswer { asked, got }))
    }

    /// `transaction_v1_broadcast`: submits a transaction, which the endpoint's pool then announces. The id of the
    /// broadcast, or null where no endpoint takes it. Whether the transaction is valid is told by nobody.
    pub(crate) async fn broadcast(&self, transaction: &Transaction) -> Result<Value, Refusal> {
        match self.submit(transaction).await {
            Ok(_) | Err(Refusal::Endpoint { .. }) => Ok(json!(format!(
                "broadcast-{:?}",
                transaction_hash(transaction)
            ))),
            Err(Refusal::Unanswered(_)) => Ok(Value::Null),
            Err(refusal) => Err(refusal),
        }
    }

    /// Takes note of a lie.
    pub(crate) fn lied(&self, endpoint: usize, lie: Lie) -> Refusal {
        let fault = Fault::from(lie);
        self.upstream.report(endpoint, &fault);
        Refusal::Unanswered(vec![(self.upstream.url(endpoint).to_owned(), fault)])
    }
}

/// BLAKE2b-256 of its bytes.
pub(crate) fn transaction_hash(transaction: &Transaction) -> H256 {
    H256(blake2_256(&transaction.0 .0))
}

/// Bytes that are given out.
pub(crate) fn bytes(value: &impl codec::Encode) -> Value {
    json!(hex(&value.encode()))
}
