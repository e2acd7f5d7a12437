//! The trusted state, and the proofs that change it.

use crate::{
    block::Block,
    bytes::{byte_strings, hash},
    error::{bad_argument, contradiction, malformed, of_kept, of_verifier, other_answer},
    object::Fields,
    updates::read,
};
use codec::{DecodeAll, Encode};
use duet_light_client::{
    decode, Checkpoint, Error, HandoffProof, Mode, Outcome, StartProof, Trusted, Update, Verified,
};
use duet_primitives::{Pk1Bytes, SetId, StatelessProof};
use js_sys::Array;
use wasm_bindgen::prelude::{wasm_bindgen, JsValue};

/// A light client's trusted state. Every method either succeeds or leaves it as it was.
#[wasm_bindgen]
pub struct LightClient {
    pub(crate) trusted: Trusted,
}

fn mode(name: &str) -> Result<Mode, JsValue> {
    match name {
        "full" => Ok(Mode::Full),
        "stateless" => Ok(Mode::Stateless),
        _ => Err(bad_argument("mode", "full or stateless", name)),
    }
}

#[wasm_bindgen]
impl LightClient {
    /// Begins at genesis, with a proof from anybody. (LIGHT-1 to LIGHT-3)
    ///
    /// # Errors
    /// The first broken rule.
    #[wasm_bindgen(js_name = fromGenesis)]
    pub fn from_genesis(
        genesis_hash: &[u8],
        proof: &[u8],
        mode_name: &str,
    ) -> Result<LightClient, JsValue> {
        Self::from_start(genesis_hash, genesis_hash, proof, mode_name)
    }

    /// Begins at the block with this hash, for which the user vouches, with a proof from anybody. (LIGHT-1 to LIGHT-3)
    ///
    /// # Errors
    /// The first broken rule.
    #[wasm_bindgen(js_name = fromStart)]
    pub fn from_start(
        genesis_hash: &[u8],
        block_hash: &[u8],
        proof: &[u8],
        mode_name: &str,
    ) -> Result<LightClient, JsValue> {
        let genesis_hash = hash("genesisHash", genesis_hash)?;
        let (block_hash, mode) = (hash("blockHash", block_hash)?, mode(mode_name)?);
        let proof = decode::<StartProof>(proof);
        let trusted =
            proof.and_then(|proof| Trusted::from_start(genesis_hash, block_hash, &proof, mode));
        Ok(Self {
            trusted: trusted.map_err(|error| of_verifier(&error))?,
        })
    }

    /// Begins at a checkpoint, for which the user vouches.
    ///
    /// # Errors
    /// When no client could have made it.
    #[wasm_bindgen(js_name = fromCheckpoint)]
    pub fn from_checkpoint(checkpoint: &[u8], mode_name: &str) -> Result<LightClient, JsValue> {
        let mode = mode(mode_name)?;
        let checkpoint = Checkpoint::decode_all(&mut &*checkpoint)
            .map_err(|_| malformed("checkpoint", "new-checkpoint"))?;
        let trusted = Trusted::from_checkpoint(checkpoint, mode);
        Ok(Self {
            trusted: trusted.map_err(|error| of_kept(&error))?,
        })
    }

    /// Begins where [`LightClient::state`] was called. Cost: with keys, the check of both sets.
    ///
    /// # Errors
    /// When the bytes are damaged or of another version.
    #[wasm_bindgen(js_name = fromState)]
    pub fn from_state(state: &[u8], mode_name: &str) -> Result<LightClient, JsValue> {
        let mode = mode(mode_name)?;
        let trusted = Trusted::decode(state).map_err(|error| of_kept(&error))?;
        Ok(Self {
            trusted: trusted.in_mode(mode),
        })
    }

    /// Verifies one proof; `undefined` when its block is trusted already, and otherwise the proven data:
    /// `{ block, hash, mmrRoot, set, signers, of, bitfield, nextSet?, bytes }`.
    ///
    /// # Errors
    /// The first broken rule. (LIGHT-4 to LIGHT-7, JUST-1 to JUST-5, STATELESS-1, STATELESS-2)
    pub fn verify(&mut self, form: &str, bytes: &[u8]) -> Result<JsValue, JsValue> {
        let update = read(form, bytes)?;
        let length = update.proof_len();
        match self
            .trusted
            .verify(update)
            .map_err(|error| of_verifier(&error))?
        {
            Outcome::Known => Ok(JsValue::UNDEFINED),
            Outcome::New(verified) => Ok(self.accept(*verified, length)),
        }
    }

    /// Verifies a list of handoff proofs, those of the newest set first, as `duet_getSetProofs` or, without keys,
    /// `duet_getStatelessSetProofs` gives it: `{ verified: [...], error? }`. Results before an error hold.
    ///
    /// The equations are checked together. (JUST-6)
    ///
    /// # Errors
    /// ENC-6 when the bytes are not such a list.
    #[wasm_bindgen(js_name = verifyHandoffs)]
    pub fn verify_handoffs(&mut self, bytes: &[u8]) -> Result<JsValue, JsValue> {
        let updates = match self.trusted.mode() {
            Mode::Full => list::<HandoffProof>(bytes),
            Mode::Stateless => list::<StatelessProof>(bytes),
        };
        let updates = updates.map_err(|error| of_verifier(&error))?;
        let (array, mut rest) = (Array::new(), updates.as_slice());
        let mut error = None;
        while !rest.is_empty() && error.is_none() {
            let in_order = self.in_order(rest);
            if in_order.is_empty() {
                error = Some(self.out_of_order(rest));
            } else {
                error = self.accept_all(in_order, &array);
                rest = rest.get(in_order.len()..).unwrap_or_default();
            }
        }
        Ok(result(&array, error))
    }

    /// Verifies proofs that follow each other, oldest first: `{ verified: [...], error? }`. Results before an error
    /// hold. The equations are checked together. (JUST-6)
    ///
    /// # Errors
    /// ENC-6 when one of them is not a proof of this form; then none is verified.
    #[wasm_bindgen(js_name = verifyAll)]
    pub fn verify_all(&mut self, form: &str, proofs: &Array) -> Result<JsValue, JsValue> {
        let proofs = byte_strings("proofs", proofs)?;
        let updates: Result<Vec<_>, _> = proofs.iter().map(|bytes| read(form, bytes)).collect();
        let array = Array::new();
        let error = self.accept_all(&updates?, &array);
        Ok(result(&array, error))
    }

    /// Adds the keys of a trusted set, from anybody. (LIGHT-3)
    ///
    /// # Errors
    /// LIGHT-3 when they are not its keys, or not needed.
    #[wasm_bindgen(js_name = addKeys)]
    pub fn add_keys(&mut self, set: u64, keys: &[u8]) -> Result<(), JsValue> {
        let keys = decode::<Vec<Pk1Bytes>>(keys);
        let trusted = keys.and_then(|keys| self.trusted.with_keys(SetId::new(set), &keys));
        self.trusted = trusted.map_err(|error| of_verifier(&error))?;
        Ok(())
    }

    /// The set whose keys are missing, the signing one first; none without keys.
    #[wasm_bindgen(js_name = missingKeys)]
    pub fn missing_keys(&self) -> Option<u64> {
        self.trusted.missing_keys().map(SetId::get)
    }

    /// The trusted state:
    /// `{ genesisHash, mode, block, hash, mmrRoot?, set, validators, threshold, latestSet, latestLength, nextSet?,
    /// time?, trustingPeriod? }`. The time is that of the newest block of which it is known.
    pub fn status(&self) -> JsValue {
        let (trusted, signing) = (&self.trusted, self.trusted.signing());
        let latest = trusted.latest_set();
        let mut fields = Fields::new()
            .with_bytes("genesisHash", trusted.genesis_hash().as_bytes())
            .with(
                "mode",
                if trusted.mode() == Mode::Full {
                    "full"
                } else {
                    "stateless"
                },
            )
            .with("block", trusted.best_number().get())
            .with_bytes("hash", trusted.best_hash().as_bytes())
            .with("set", signing.id.get())
            .with("validators", signing.len)
            .with("threshold", signing.threshold())
            .with("latestSet", latest.id.get())
            .with("latestLength", latest.len);
        if let Some(proof) = trusted.best_proof() {
            fields = fields.with_bytes("mmrRoot", proof.commitment.mmr_root.as_bytes());
        }
        if let Some(next) = trusted.next() {
            fields = fields.with("nextSet", next.id.get());
        }
        if let Some(dated) = trusted.dated() {
            fields = fields.with("time", dated.time as f64);
            if let Some(period) = dated.trusting_period {
                fields = fields.with("trustingPeriod", period as f64);
            }
        }
        fields.into()
    }

    /// The newest block, to verify headers, state and older blocks under.
    pub fn best(&self) -> Block {
        self.trusted.best_block().into()
    }

    /// The first bytes of a proof of the newest block, which encode the signed commitment; none without a proof.
    /// Another copy that begins with them proves nothing new.
    #[wasm_bindgen(js_name = bestCommitment)]
    pub fn best_commitment(&self) -> Option<Vec<u8>> {
        let proof = self.trusted.best_proof();
        proof.map(|proof| proof.commitment.encode())
    }

    /// The checkpoint from which another client gets here, in SCALE.
    pub fn checkpoint(&self) -> Vec<u8> {
        self.trusted.checkpoint().encode()
    }

    /// The checkpoint after a reset, from a header, in SCALE. It is unproven. (LIGHT-8)
    ///
    /// # Errors
    /// When the header names no reset that leads on from here.
    #[wasm_bindgen(js_name = resetClaim)]
    pub fn reset_claim(&self, header: &[u8]) -> Result<Vec<u8>, JsValue> {
        let claim = self.trusted.reset_claim(header);
        let claim = claim.map_err(|error| of_verifier(&error))?;
        Ok(claim.checkpoint().encode())
    }

    /// The state as bytes, to be kept.
    pub fn state(&self) -> Vec<u8> {
        self.trusted.encode()
    }
}

fn result(verified: &Array, error: Option<JsValue>) -> JsValue {
    let fields = Fields::new().with("verified", verified.clone());
    match error {
        Some(error) => fields.with("error", error).into(),
        None => fields.into(),
    }
}

fn list<T>(bytes: &[u8]) -> Result<Vec<Update>, Error>
where
    Vec<T>: duet_light_client::Received,
    T: Into<Update>,
{
    let list: Vec<T> = decode(bytes)?;
    Ok(list.into_iter().map(Into::into).collect())
}

impl LightClient {
    fn accept(&mut self, verified: Verified, length: usize) -> JsValue {
        let commitment = verified.justification.commitment();
        let mut fields = Fields::new()
            .with("block", commitment.block_number.get())
            .with_bytes("hash", commitment.block_hash.as_bytes())
            .with_bytes("mmrRoot", commitment.mmr_root.as_bytes())
            .with("set", commitment.validator_set_id.get())
            .with("signers", verified.signers())
            .with("of", verified.set_len)
            .with_bytes("bitfield", verified.justification.signers().as_bytes())
            .with("bytes", u32::try_from(length).unwrap_or(u32::MAX));
        if let Some(next) = verified.next_set() {
            fields = fields.with("nextSet", next.get());
        }
        self.trusted = verified.trusted;
        fields.into()
    }

    /// Verifies proofs one after the other, as many together as hold, and adds their results; the first error.
    fn accept_all(&mut self, mut rest: &[Update], array: &Array) -> Option<JsValue> {
        while !rest.is_empty() {
            let verified = self.trusted.verify_prefix(rest);
            let count = verified.len();
            for (one, update) in verified.into_iter().zip(rest) {
                array.push(&self.accept(one, update.proof_len()));
            }
            // What did not hold with the others is verified alone, which says why.
            let (update, after) = rest.get(count..).and_then(<[Update]>::split_first)?;
            match self.trusted.verify(update.clone()) {
                Ok(Outcome::New(one)) => {
                    array.push(&self.accept(*one, update.proof_len()));
                }
                Ok(Outcome::Known) | Err(Error::OldBlock { .. }) => {
                    return Some(contradiction("a block is not after the previous block"));
                }
                Err(error) => return Some(of_verifier(&error)),
            }
            rest = after;
        }
        None
    }

    /// The leading proofs that hand off from one set to the next, the newest trusted one first.
    fn in_order<'a>(&self, updates: &'a [Update]) -> &'a [Update] {
        let mut expected = Some(self.trusted.latest_set().id);
        let follows = |update: &&Update| {
            let commitment = update.commitment();
            let follows = commitment.is_handoff() && expected == Some(commitment.validator_set_id);
            expected = expected.and_then(SetId::checked_next);
            follows
        };
        let count = updates.iter().take_while(follows).count();
        updates.get(..count).unwrap_or(updates)
    }

    fn out_of_order(&self, rest: &[Update]) -> JsValue {
        let expected = self.trusted.latest_set().id;
        let got = rest.first().map_or_else(String::new, |update| {
            let commitment = update.commitment();
            let without = if commitment.is_handoff() {
                ""
            } else {
                " that names no next set"
            };
            format!("one of set {}{without}", commitment.validator_set_id)
        });
        other_answer(format!("the handoff proof of set {expected}"), got)
    }
}
