//! One round of votes, played and measured.

use crate::{
    reading::{Counts, Reading, Spent},
    stage::{Arrivals, Stage},
    validators::BareCheck,
    Error, Result,
};
use codec::Encode;
use duet_gossip::{message::GossipMessage, notification::next_notification, GOSSIP};
use duet_local_network::{Error as NetworkError, Peer};
use duet_primitives::{BlockNumber, Commitment, SignerIndex, UncheckedJustification};
use std::{
    sync::{
        atomic::{AtomicUsize, Ordering},
        Arc, OnceLock,
    },
    time::{Duration, Instant},
};
use tokio::{
    task::JoinSet,
    time::{sleep, timeout, timeout_at},
};

/// How often the node is asked what it counted.
pub const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How long the node may take until it votes on something new.
const VOTE_LIMIT: Duration = Duration::from_secs(90);
/// How long a node may take to have a proof.
const PROOF_LIMIT: Duration = Duration::from_secs(30);
/// How long the node may take to count all votes of a round.
const COUNT_LIMIT: Duration = Duration::from_secs(20);
/// How long the node is watched after it has counted all votes of a round.
const TAIL: Duration = Duration::from_millis(300);
/// A node that counted nothing new in this many looks is done.
const QUIET_LOOKS: u32 = 3;

/// How the votes of a round are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// All at once.
    AtOnce,
    /// All but the last needed one; when these are counted, that one; then the rest.
    LastApart,
}

/// Who votes in a round, and how.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Those who vote, without the node's validator.
    pub voters: Vec<SignerIndex>,
    /// In which order.
    pub order: Order,
    /// Over how many players each vote goes.
    pub copies: usize,
    /// Whether nobody else sends, so that every vote can be followed in the node's counts.
    pub is_alone: bool,
}

/// What came of a round.
#[derive(Clone, Debug)]
pub struct Played {
    /// The block.
    pub block: BlockNumber,
    /// The check of the same votes without anything around it.
    pub bare: BareCheck,
    /// How many votes were sent, copies not counted.
    pub votes: u32,
    /// In which order.
    pub order: Order,
    /// From the first vote to the proof at the node; `None` if there was none.
    pub round: Option<Duration>,
    /// From the last needed vote to the proof at the node.
    pub proof: Option<Duration>,
    /// From the last needed vote to the proof at the second node.
    pub second: Option<Duration>,
    /// What the node did meanwhile.
    pub spent: Spent,
    /// What the second node did.
    pub second_spent: Spent,
    /// Voters whose votes the node has neither counted nor sent on, if there is no proof.
    pub missing: Vec<SignerIndex>,
    /// The proof.
    pub justification: Option<UncheckedJustification>,
}

/// The votes of a round, made before anything is measured.
struct Prepared {
    commitment: Commitment,
    votes: Vec<GossipMessage>,
    bare: BareCheck,
}

/// When votes were given to the network.
struct Sent {
    first: Instant,
    needed: Instant,
}

/// Plays a round on what the node votes for last.
///
/// # Errors
/// [`Error`] when a node ends or does not vote. A round without a proof is none: it is in the result.
pub async fn play(stage: &mut Stage, plan: &Plan) -> Result<Played> {
    // What attackers do meanwhile is of this round, too.
    let attacked_from = stage.gauge.read().await?;
    let prepared = prepare(stage, plan).await?;
    let block = prepared.commitment.block_number;
    let before = match plan.is_alone {
        true => until_quiet(stage, |_| false).await?,
        false => attacked_from,
    };
    let second_before = stage.second_gauge.read().await?;
    stage.begun.send_replace(Some(prepared.commitment.clone()));
    let needed = usize::try_from(stage.validators.threshold()).unwrap_or(usize::MAX);
    // One of the needed ones is the node's own.
    let needed = needed.saturating_sub(1);
    let sent = match plan.order {
        Order::AtOnce => send(stage, &prepared.votes, needed, plan.copies).await?,
        Order::LastApart => send_last_apart(stage, &prepared.votes, needed, &before).await?,
    };
    let at_first = proof_of(&mut stage.proofs[0], block).await?;
    let mut at_second = None;
    if let Some((_, justification)) = &at_first {
        publish(&stage.players, justification).await;
        at_second = proof_of(&mut stage.proofs[1], block)
            .await?
            .map(|(at, _)| at);
    }
    let after = counted(stage, plan, &prepared, &before).await?;
    let second_after = stage.second_gauge.read().await?;
    let since = |from: Instant, at: Instant| at.saturating_duration_since(from);
    let proven = at_first.as_ref().map(|(at, _)| *at);
    let missing = match proven {
        Some(_) => Vec::new(),
        None => stage.heard.unheard(block, &plan.voters),
    };
    Ok(Played {
        block,
        bare: prepared.bare,
        votes: u32::try_from(prepared.votes.len()).unwrap_or(u32::MAX),
        order: plan.order,
        round: proven.map(|at| since(sent.first, at)),
        proof: proven.map(|at| since(sent.needed, at)),
        second: at_second.map(|at| since(sent.needed, at)),
        spent: after.since(&before),
        second_spent: second_after.since(&second_before),
        missing,
        justification: at_first.map(|(_, justification)| justification),
    })
}

/// Has these validators vote on what the node votes for last, and waits until the node has counted their votes.
///
/// # Errors
/// [`Error`] when a node ends or does not vote.
pub async fn vote(stage: &mut Stage, voters: &[SignerIndex]) -> Result<()> {
    let plan = Plan {
        voters: voters.to_vec(),
        order: Order::AtOnce,
        copies: 1,
        is_alone: true,
    };
    let prepared = prepare(stage, &plan).await?;
    let before = until_quiet(stage, |_| false).await?;
    send(stage, &prepared.votes, usize::MAX, plan.copies).await?;
    counted(stage, &plan, &prepared, &before).await?;
    Ok(())
}

/// Waits for a vote of the node on something that is not proven, and makes the votes of the others.
async fn prepare(stage: &mut Stage, plan: &Plan) -> Result<Prepared> {
    let commitment = newest_vote(stage).await?;
    stage.played = commitment.block_number;
    let (validators, genesis) = (stage.validators.clone(), stage.genesis);
    let voters = plan.voters.clone();
    let made = tokio::task::spawn_blocking(move || {
        let message = validators.message(genesis, commitment.clone());
        let votes = validators.sign(&message, &voters);
        let bare = validators.check(&message, &votes)?;
        let votes = votes.into_iter().map(GossipMessage::Vote);
        Ok(Prepared {
            commitment,
            votes: votes.collect(),
            bare,
        })
    });
    made.await?
}

/// What the node votes for, as soon as it is higher than all that was played.
async fn newest_vote(stage: &mut Stage) -> Result<Commitment> {
    let played = stage.played;
    let mut newest = stage.heard.newest();
    let is_new = |newest: &Option<Commitment>| {
        let block = newest.as_ref().map(|newest| newest.block_number);
        block.is_some_and(|block| block > played)
    };
    let vote = timeout(VOTE_LIMIT, newest.wait_for(is_new)).await;
    let vote = vote.ok().and_then(std::result::Result::ok);
    let vote = vote.and_then(|newest| newest.clone());
    vote.ok_or_else(|| late("the node to vote", VOTE_LIMIT))
}

fn late(what: &str, limit: Duration) -> Error {
    Error::Network(NetworkError::TimedOut {
        what: what.to_owned(),
        limit,
        seen: "nothing".to_owned(),
    })
}

/// Reads the node when `done`, or when it counts nothing any more.
async fn until_quiet(stage: &Stage, done: impl Fn(&Counts) -> bool) -> Result<Reading> {
    let deadline = Instant::now() + COUNT_LIMIT;
    let mut reading = stage.gauge.read().await?;
    let mut quiet = 0;
    while quiet < QUIET_LOOKS && !done(&reading.counts()) && Instant::now() < deadline {
        sleep(LOOK_EVERY).await;
        let next = stage.gauge.read().await?;
        let same = next.counts().settled() == reading.counts().settled();
        quiet = if same { quiet + 1 } else { 0 };
        reading = next;
    }
    Ok(reading)
}

/// Reads the node when all votes of the round are counted.
async fn counted(
    stage: &Stage,
    plan: &Plan,
    prepared: &Prepared,
    before: &Reading,
) -> Result<Reading> {
    if !plan.is_alone {
        return stage.gauge.read().await;
    }
    let sent = prepared.votes.len().saturating_mul(plan.copies);
    let sent = u64::try_from(sent).unwrap_or(u64::MAX);
    let all = before.counts().settled().saturating_add(sent);
    until_quiet(stage, |counts| counts.settled() >= all).await?;
    // What the node still writes to its peers is of this round.
    sleep(TAIL).await;
    stage.gauge.read().await
}

/// Sends all but the last needed vote, waits until the node has counted them, and sends that one, and then the rest.
async fn send_last_apart(
    stage: &Stage,
    votes: &[GossipMessage],
    needed: usize,
    before: &Reading,
) -> Result<Sent> {
    let last = needed.saturating_sub(1).min(votes.len());
    let (early, rest) = votes.split_at(last);
    let sent = send(stage, early, usize::MAX, 1).await?;
    let all = u64::try_from(early.len()).unwrap_or(u64::MAX);
    let all = before.counts().good.saturating_add(all);
    until_quiet(stage, |counts| counts.good >= all).await?;
    // The reading itself costs the node something.
    sleep(LOOK_EVERY).await;
    let (needed, late) = rest.split_at(1.min(rest.len()));
    let last = send(stage, needed, 1, 1).await?;
    // Not in its way.
    sleep(LOOK_EVERY).await;
    send(stage, late, usize::MAX, 1).await?;
    Ok(Sent {
        first: sent.first,
        needed: last.needed,
    })
}

/// Sends votes, divided among the players; each over so many of them. Notes when the `needed`-th was given to the
/// network, or the last one, if there are fewer.
async fn send(
    stage: &Stage,
    votes: &[GossipMessage],
    needed: usize,
    copies: usize,
) -> Result<Sent> {
    let players = stage.players.len().max(1);
    let needed = needed.min(votes.len()).max(1);
    let (given, needed_at) = (Arc::new(AtomicUsize::new(0)), Arc::new(OnceLock::new()));
    let mut tasks = JoinSet::new();
    let first = Instant::now();
    for (place, player) in stage.players.iter().enumerate() {
        let parcels = parcels(votes, stage.bundled, |index| {
            let copy = copy_of(index, place, players);
            (copy < copies).then_some(copy == 0)
        });
        let (player, given, needed_at) = (player.clone(), given.clone(), needed_at.clone());
        tasks.spawn(async move {
            for Parcel {
                notification,
                firsts,
            } in parcels
            {
                player.deliver(notification).await?;
                if given.fetch_add(firsts, Ordering::Relaxed) + firsts >= needed {
                    let _ = needed_at.set(Instant::now());
                }
            }
            Result::Ok(())
        });
    }
    while let Some(sent) = tasks.join_next().await {
        sent??;
    }
    let needed = needed_at.get().copied().unwrap_or_else(Instant::now);
    Ok(Sent { first, needed })
}

/// A notification of a player.
struct Parcel {
    notification: Vec<u8>,
    /// How many of its votes no other player sends before.
    firsts: usize,
}

/// The notifications with a player's share of these votes, with so many votes each. `share` tells by the number of a
/// vote whether it is in the share, and then whether it is sent for the first time.
fn parcels(
    votes: &[GossipMessage],
    bundled: usize,
    share: impl Fn(usize) -> Option<bool>,
) -> Vec<Parcel> {
    let mine = votes.iter().enumerate();
    let mine: Vec<_> = mine
        .filter_map(|(index, vote)| Some((share(index)?, vote.clone())))
        .collect();
    let parcel = |together: &[(bool, GossipMessage)]| {
        let (firsts, messages): (Vec<_>, Vec<_>) = together.iter().cloned().unzip();
        // All of them: they are on one commitment, and few enough.
        let (notification, _) = next_notification(&messages, GOSSIP.newest)?;
        Some(Parcel {
            notification,
            firsts: firsts.into_iter().filter(|is_first| *is_first).count(),
        })
    };
    mine.chunks(bundled.max(1)).filter_map(parcel).collect()
}

/// Which copy of vote number `index` the player at `place` sends; all of them have a number, few are sent.
fn copy_of(index: usize, place: usize, players: usize) -> usize {
    (place + players - index % players) % players
}

/// The proof of a block at a node, and when it came; `None` when it does not.
async fn proof_of(
    arrivals: &mut Arrivals,
    block: BlockNumber,
) -> Result<Option<(Instant, UncheckedJustification)>> {
    let deadline = tokio::time::Instant::now() + PROOF_LIMIT;
    loop {
        match timeout_at(deadline, arrivals.next()).await {
            Err(_) => return Ok(None),
            Ok(arrival) => {
                let (at, proof) = arrival?;
                if proof.commitment.block_number == block {
                    return Ok(Some((at, proof)));
                }
            }
        }
    }
}

/// As the first validator of the schedule does (ROUND-6), which is one of those that are played.
async fn publish(players: &[Arc<Peer>], proof: &UncheckedJustification) {
    let message = GossipMessage::Justification(proof.clone()).encode();
    if let Some(player) = players.first() {
        // One that is not listened to any more shows by what the second node does not get.
        let _ = player.deliver(message).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_vote_has_one_first_player_and_copies_go_to_others() {
        for index in 0..20 {
            let places: Vec<_> = (0..7).map(|place| copy_of(index, place, 7)).collect();
            let mut sorted = places.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..7).collect::<Vec<_>>());
        }
        let first = |index| (0..7).find(|place| copy_of(index, *place, 7) == 0);
        assert_eq!(
            [0, 1, 6, 7].map(first),
            [Some(0), Some(1), Some(6), Some(0)]
        );
    }
}
