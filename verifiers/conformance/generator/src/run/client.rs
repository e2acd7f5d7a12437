//! Scenarios of a light client: from a start, proof by proof, to state and older blocks.

use crate::{
    format::hexed,
    input::Input,
    verdict::{expected, Broken},
};
use codec::DecodeAll;
use duet_light_client::{
    decode, BlockProof, Checkpoint, FinalBlock, HandoffProof, Mode, Outcome, StartProof, Trusted,
    Update,
};
use duet_primitives::{Pk1Bytes, SetId, StatelessProof, UncheckedJustification};
use serde_json::{json, Value};

/// What a scenario has reached: the state after the steps that held, and what they were.
struct Reached {
    trusted: Option<Trusted>,
    outcomes: Vec<&'static str>,
}

impl Reached {
    fn fields(&self) -> Value {
        let trusted = self.trusted.as_ref().map(|trusted| {
            json!({
                "block_number": trusted.best_number().get(),
                "block_hash": hexed(trusted.best_hash()),
                "signing": trusted.signing().id.get().to_string(),
                "next": trusted.next().map(|next| next.id.get().to_string()),
            })
        });
        json!({ "outcomes": self.outcomes, "trusted": trusted })
    }

    fn trusted(&self) -> &Trusted {
        self.trusted.as_ref().expect("a start that held")
    }
}

fn mode(input: Input<'_>) -> Mode {
    match input.text("mode") {
        "full" => Mode::Full,
        "stateless" => Mode::Stateless,
        other => panic!("no mode {other}"),
    }
}

/// LIGHT-1 to LIGHT-3, or the form of a checkpoint.
fn start(input: Input<'_>) -> Result<Trusted, Broken> {
    let from = input.at("start");
    if from.has("checkpoint") {
        let checkpoint = Checkpoint::decode_all(&mut &from.bytes("checkpoint")[..]);
        let checkpoint = checkpoint.map_err(|_| Broken::malformed())?;
        return Ok(Trusted::from_checkpoint(checkpoint, mode(input))?);
    }
    let genesis = from.hash("genesis_hash");
    if from.has("start_hash") {
        let proof: StartProof = decode(&from.bytes("start_proof"))?;
        let start = from.hash("start_hash");
        return Ok(Trusted::from_start(genesis, start, &proof, mode(input))?);
    }
    let proof: StartProof = decode(&from.bytes("genesis_proof"))?;
    Ok(Trusted::from_genesis(genesis, &proof, mode(input))?)
}

fn update(step: Input<'_>) -> Result<Update, Broken> {
    let bytes = step.bytes("bytes");
    Ok(match step.text("form") {
        "justification" => decode::<UncheckedJustification>(&bytes)?.into(),
        "handoff" => decode::<HandoffProof>(&bytes)?.into(),
        "stateless" => decode::<StatelessProof>(&bytes)?.into(),
        other => panic!("no form {other}"),
    })
}

/// One step: its outcome, and the state after it.
fn step(trusted: &Trusted, step: Input<'_>) -> Result<(&'static str, Trusted), Broken> {
    if step.text("form") == "keys" {
        let keys: Vec<Pk1Bytes> = decode(&step.bytes("bytes"))?;
        let set = SetId::new(step.u64("set"));
        return Ok(("keys", trusted.with_keys(set, &keys)?));
    }
    match trusted.verify(update(step)?)? {
        Outcome::New(verified) => Ok(("new", verified.trusted)),
        Outcome::Known => Ok(("known", trusted.clone())),
    }
}

/// Start and steps, up to the first that is refused.
fn reach(input: Input<'_>) -> (Reached, Result<(), Broken>) {
    let mut reached = Reached {
        trusted: None,
        outcomes: vec![],
    };
    let mut go = || -> Result<(), Broken> {
        let mut trusted = start(input)?;
        reached.trusted = Some(trusted.clone());
        for one in input.list("steps") {
            let outcome;
            (outcome, trusted) = step(&trusted, one)?;
            reached.outcomes.push(outcome);
            reached.trusted = Some(trusted.clone());
        }
        Ok(())
    };
    let verdict = go();
    (reached, verdict)
}

fn with(mut answer: Value, more: Value) -> Value {
    if let (Value::Object(answer), Value::Object(more)) = (&mut answer, more) {
        answer.extend(more);
    }
    answer
}

/// LIGHT-1 to LIGHT-7.
pub(crate) fn follow(input: Input<'_>) -> Value {
    let (reached, verdict) = reach(input);
    let verdict = expected(verdict.map(|()| json!({})));
    with(verdict, reached.fields())
}

/// JUST-6: how many proofs hold, and why the next one does not.
pub(crate) fn follow_together(input: Input<'_>) -> Value {
    let (reached, verdict) = reach(input);
    verdict.expect("a start that holds");
    let steps = input.list("together").into_iter();
    let updates: Vec<_> = steps
        .map(|step| update(step).expect("an encoding"))
        .collect();
    let verified = reached.trusted().verify_prefix(&updates);
    let last = verified.last().map(|last| &last.trusted);
    let trusted = last.unwrap_or(reached.trusted()).clone();
    let verdict = match updates.get(verified.len()) {
        None => Ok(()),
        Some(next) => trusted.verify(next.clone()).map(|_| ()),
    };
    let reached = Reached {
        trusted: Some(trusted),
        outcomes: vec!["new"; verified.len()],
    };
    let verdict = expected(verdict.map_err(Broken::from).map(|()| json!({})));
    with(verdict, reached.fields())
}

/// STATE-1 to STATE-4.
pub(crate) fn read(input: Input<'_>) -> Value {
    let (reached, verdict) = reach(input);
    verdict.expect("proofs that hold");
    expected(read_under(reached.trusted().best_block(), input))
}

fn read_under(newest: FinalBlock, input: Input<'_>) -> Result<Value, Broken> {
    let block = if input.has("older") {
        block_proof(input.at("older")).check(&newest)?
    } else {
        newest
    };
    let mut outputs = json!({
        "block_number": block.number().get(),
        "block_hash": hexed(block.hash()),
    });
    if !input.has("header") {
        return Ok(outputs);
    }
    let header = block.header(&input.bytes("header"))?;
    let parent = header.parent().map(|parent| hexed(parent.hash()));
    outputs["parent_hash"] = json!(parent);
    outputs["state_root"] = json!(hexed(header.state_root()));
    outputs["extrinsics_root"] = json!(hexed(header.extrinsics_root()));
    if input.has("keys") {
        let keys = input.byte_list("keys");
        let keys: Vec<_> = keys.iter().map(Vec::as_slice).collect();
        let entries = header.read(&keys, &input.byte_list("nodes"))?;
        let values = entries.iter().map(|entry| entry.value().map(hexed));
        outputs["values"] = json!(values.collect::<Vec<_>>());
    }
    if input.has("extrinsics") {
        let extrinsics = input.byte_list("extrinsics");
        let body = header.body(&extrinsics)?;
        if input.has("transaction") {
            let found = body.find(input.hash("transaction"));
            outputs["index"] = json!(found.map(|found| found.index()));
        }
    }
    Ok(outputs)
}

fn block_proof(input: Input<'_>) -> BlockProof {
    let hashes = input.byte_list("hashes").into_iter();
    BlockProof {
        leaf: input.decoded("leaf"),
        leaf_index: input.u64("leaf_index"),
        leaf_count: input.u64("leaf_count"),
        hashes: hashes
            .map(|hash| duet_primitives::H256::from_slice(&hash))
            .collect(),
    }
}
