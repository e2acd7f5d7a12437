//! The proofs themselves, for light clients behind this server.

use crate::{
    parts,
    serve::{
        chain::{Chain, Head},
        params::{Keys, Number},
        passed::bytes,
        refusal::Refusal,
    },
};
use duet_light_client::Update;
use duet_light_rpc::{hex, Fault, Lie, Missing};
use duet_primitives::{BlockNumber, H256};
use serde_json::{json, Value};

/// The most keys of one request, as nodes allow.
const MAX_KEYS: usize = 64;

/// The parameters of `duet_getProofs`.
#[derive(Debug)]
pub(crate) struct ProofsAsked {
    pub(crate) keys: Keys,
    pub(crate) block: Option<Number>,
    pub(crate) under: Option<Number>,
    pub(crate) stateless: bool,
}

impl Chain {
    /// `duet_getGenesisProof`, checked. (LIGHT-1 to LIGHT-3)
    pub(crate) async fn genesis_proof(&self) -> Result<Value, Refusal> {
        let genesis = self.head().await?.trusted.genesis_hash();
        let answer = self.upstream.ask(|server| async move {
            let proof = server.genesis_proof().await?;
            proof.check(genesis)?;
            Ok(proof)
        });
        Ok(bytes(&answer.await?.value))
    }

    /// `duet_getStartProof` of a block, checked against the requested hash. (LIGHT-1 to LIGHT-3) Null is an endpoint's
    /// word.
    pub(crate) async fn start_proof(&self, block: H256) -> Result<Value, Refusal> {
        let answer = self.upstream.ask(|server| async move {
            let proof = server.start_proof(Some(block)).await?;
            if let Some(proof) = &proof {
                proof.check(block)?;
            }
            Ok(proof)
        });
        let proof = answer.await?.value;
        Ok(proof.as_ref().map_or(Value::Null, bytes))
    }

    /// `duet_getStartProof` of no block: where an endpoint says that the chain's sets begin, passed on only if it holds for the
    /// block that it names.
    pub(crate) async fn claimed_start(&self) -> Result<Value, Refusal> {
        let answer = self.upstream.ask(|server| async move {
            let proof = server.start_proof(None).await?;
            let proof = proof.ok_or(Fault::Incomplete(Missing::Genesis))?;
            proof.check(proof.block_hash()).map_err(Lie::Rule)?;
            Ok(proof)
        });
        Ok(bytes(&answer.await?.value))
    }

    /// `duet_getProofs`: every part checked, under the newest proven block.
    pub(crate) async fn proofs(&self, asked: &ProofsAsked) -> Result<Value, Refusal> {
        let head = self.head().await?;
        let newest = head.block.number();
        if asked.keys.0.len() > MAX_KEYS {
            return Err(Refusal::Params(format!(
                "at most {MAX_KEYS} keys in one request"
            )));
        }
        if asked.under.is_some_and(|under| under.0 != newest.get()) {
            let message =
                format!("only proofs under the newest proven block, {newest}, are served");
            return Err(Refusal::Params(message));
        }
        let block = asked
            .block
            .map_or(newest, |block| BlockNumber::new(block.0));
        if block > newest {
            return Err(Refusal::NotYet { number: block });
        }
        let keys = asked.keys.as_slices();
        let (trusted, keys) = (&head.trusted, keys.as_slice());
        let answer = self
            .upstream
            .ask(|server| async move { parts::fetch(&server, trusted, Some(block), keys).await });
        let proof = answer.await?.value.proof(trusted);
        let of_newest = if asked.stateless {
            self.stateless_proof(&head).await?
        } else {
            json!(proof.justification)
        };
        Ok(json!({
            "proof": of_newest,
            "header": proof.header,
            "nodes": proof.nodes,
            "path": proof.path,
        }))
    }

    /// The proof of the newest proven block for clients without keys.
    async fn stateless_proof(&self, head: &Head) -> Result<Value, Refusal> {
        let (trusted, number, hash) = (&head.trusted, head.block.number(), head.block.hash());
        let answer = self.upstream.ask(|server| async move {
            let missing = Missing::Proof(number);
            let proof = server.stateless_proof(number).await?;
            let proof = proof.ok_or(Fault::Incomplete(missing))?;
            let got = proof.justification.commitment.block_hash;
            if got != hash {
                let asked = format!("the proof of block {hash:?}");
                let got = format!("that of block {got:?}");
                return Err(Lie::OtherAnswer { asked, got }.into());
            }
            trusted.verify(Update::from(proof.clone()))?;
            Ok(proof)
        });
        Ok(bytes(&answer.await?.value))
    }
}

/// The proof of a head, if it has one: a block that is trusted without a proof has none.
pub(crate) fn justification(head: &Head) -> Option<Value> {
    head.trusted
        .best_proof()
        .map(|proof| json!(hex(&codec::Encode::encode(proof))))
}
