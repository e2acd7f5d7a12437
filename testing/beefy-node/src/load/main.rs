//! `duet-beefy-load`: plays the validators of BEEFY against its gadget, and writes rows as `duet-load` shows them.
//!
//! - `node`: the node, as a process;
//! - `round`: one round of votes, played and measured.

mod node;
mod result;
mod round;

use clap::Parser;
use duet_beefy_node::{voters, votes};
use duet_load::{cores::Cores, cpu::thread_time, figures::Figure, row::Row, table::details};
use node::RunningNode;
use result::Result;
use round::{Order, Played, Stage};
use sp_consensus_beefy::{ecdsa_crypto::AuthorityId, BeefyAuthorityId, Commitment, Payload};
use std::{fs, path::PathBuf, time::Duration};

/// Plays the validators of BEEFY over real connections against a real node with its gadget, and measures the node.
#[derive(Parser)]
struct Options {
    /// Sizes of sets.
    #[arg(long, value_delimiter = ',', default_values_t = [100, 1_000], value_parser = clap::value_parser!(u32).range(4..))]
    validators: Vec<u32>,
    /// How many rounds of each kind are measured.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Over how many peers the validators vote.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..64))]
    players: u16,
    /// Keeps the node on this core alone, and the players on the other cores.
    #[arg(long, value_name = "CORE")]
    node_core: Option<u16>,
    /// Where the rows go, for `duet-load --beside`.
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
}

/// Rounds that nothing is measured of.
const WARMING: u32 = 2;
/// For how long the node is watched without votes.
const IDLE: Duration = Duration::from_secs(8);

#[tokio::main]
async fn main() -> Result<()> {
    let options = Options::parse();
    let cores = options.node_core.map(Cores::node_on).transpose()?;
    let mut lines = String::new();
    for voters in &options.validators {
        println!("starting a BEEFY node with a set of {voters} validators");
        let row = play((&options, cores), *voters).await?;
        println!("{}", details(&row));
        lines.push_str(&serde_json::to_string(&row)?);
        lines.push('\n');
    }
    if let Some(folder) = options.output.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(&options.output, lines)?;
    Ok(())
}

async fn play((options, cores): (&Options, Option<Cores>), count: u32) -> Result<Row> {
    let node = RunningNode::start(count).await?;
    if let Some(cores) = cores {
        cores.pin_node(node.id())?;
    }
    let mut stage = Stage::join(node, count, options.players.into()).await?;
    for _ in 0..WARMING {
        stage.play(Order::AtOnce).await?;
    }
    let memory_before = stage.node.memory()?;
    let before = stage.node.time()?;
    tokio::time::sleep(IDLE).await;
    let idle = stage.node.time()?.saturating_sub(before).as_secs_f64() / IDLE.as_secs_f64();
    let (mut played, mut peak) = (Vec::new(), memory_before);
    for _ in 0..options.rounds {
        for order in [Order::AtOnce, Order::LastApart] {
            played.push(stage.play(order).await?);
            peak = peak.max(stage.node.memory()?);
        }
    }
    let memory_after = stage.node.memory()?;
    let bare = bare_check(stage.needed)?;
    let work = |round: &Played| {
        let beyond = round.spent.as_secs_f64() - idle * round.wall.as_secs_f64();
        beyond.max(0.0) * 1e6 / f64::from(round.votes)
    };
    let in_order = |order| {
        played
            .iter()
            .filter(move |round: &&Played| round.order == order)
    };
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    Ok(Row {
        subject: "beefy".into(),
        version: "sc-consensus-beefy 39.0.0".into(),
        validators: count,
        scenario: "rounds".into(),
        rounds: u32::try_from(played.len())?,
        bare: Figure::of([bare]),
        work: Figure::of(played.iter().map(work)),
        ratio: Figure::of(played.iter().map(|round| work(round) / bare)),
        per_round: Figure::of(
            played
                .iter()
                .map(|round| work(round) * f64::from(round.votes) / 1e3),
        ),
        round: Figure::of(in_order(Order::AtOnce).map(|it| millis(it.round))),
        proof: Figure::of(in_order(Order::AtOnce).map(|it| millis(it.proof))),
        proof_when_idle: Figure::of(in_order(Order::LastApart).map(|it| millis(it.proof))),
        memory_before,
        memory_peak: peak,
        memory_after,
        notes: vec![
            "a round is the votes that a proof needs: the gadget refuses later ones unchecked"
                .into(),
            "the bare check is Keccak-256 and one recovery of an ECDSA key, vote by vote".into(),
            "a proof is seen when it comes back over gossip".into(),
        ],
        ..Row::default()
    })
}

/// Processor time of a check of a vote by the gadget's own function, in microseconds.
fn bare_check(count: u32) -> Result<f64> {
    let payload = Payload::from_single_entry(*b"mh", vec![7; 32]);
    let commitment = Commitment {
        payload,
        block_number: 7,
        validator_set_id: 0,
    };
    let signed: Vec<_> = (0..count)
        .map(|voter| votes::vote(&voters::pair(voter), &commitment))
        .collect();
    let message = codec::Encode::encode(&commitment);
    let began = thread_time();
    for vote in &signed {
        let id: &AuthorityId = &vote.id;
        if !BeefyAuthorityId::verify(id, &vote.signature, &message) {
            return Err("one of our own votes is invalid".into());
        }
    }
    Ok(thread_time().saturating_sub(began).as_secs_f64() * 1e6 / f64::from(count))
}
