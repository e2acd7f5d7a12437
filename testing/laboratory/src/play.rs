//! Plays a scenario on a network, step by step.

use crate::{
    disk,
    group::{spare, Group},
    invariants::{violations, Violation},
    network::{Files, Network},
    row::{Recovery, Row},
    scenario::{Scenario, Setting, Step, Version},
    time::Clocks,
    Error, Result,
};
use duet_local_network::Rpc;
use duet_process::tell;
use lost::Lost;
use rand_chacha::{rand_core::SeedableRng, ChaCha8Rng};
use std::{
    path::Path,
    time::{Duration, Instant},
};

mod chain;
mod disturb;
mod looks;
mod lost;
mod recovery;
mod rescue;
mod sleep;
mod upkeep;

/// Milliseconds of a slot, as in the runtime that the node has.
const SLOT: Duration = Duration::from_secs(2);
/// How long it may take until the first block is proven by all, and how much longer for each node.
const FIRST_PROOFS: Duration = Duration::from_secs(90);
const FIRST_PROOFS_OF_EACH: Duration = Duration::from_secs(10);
/// How much longer than its slots an ordinary step may take: nodes share processors.
const PATIENCE: Duration = Duration::from_secs(60);
/// How many slots one block may take where many authors are away.
const SLOTS_OF_A_BLOCK: u32 = 5;
/// For how long after a cut something may be proven that was on its way.
const ON_ITS_WAY: Duration = Duration::from_secs(6);
/// How many blocks a node may be behind the first one that has a proof.
const BEHIND: u32 = 3;
/// How long a node may take in the end until it has what is proven: the SDK fetches blocks slowly from peers that were away. And how
/// soon it is asked again.
const LEVEL: Duration = Duration::from_secs(120);
const BETWEEN_AUDITS: Duration = Duration::from_secs(2);

/// Plays it, and says what was seen. What a scenario expects and did not get is in the row, too.
pub async fn play(scenario: &Scenario, files: &Files, nodes: u16, seed: u64) -> Row {
    let mut row = Row::new(scenario, nodes, seed);
    let began = Instant::now();
    let ended = match Player::new(scenario, files, nodes, seed) {
        Ok(mut player) => {
            let played = player.play(scenario, &mut row).await;
            player.conclude(&mut row);
            played
        }
        Err(error) => Err(error),
    };
    row.seconds = began.elapsed().as_secs();
    if let Err(error) = ended {
        row.failures.insert(0, error.to_string());
    }
    row
}

struct Player {
    network: Network,
    random: ChaCha8Rng,
    clocks: Option<Clocks>,
    files: Files,
    lost: Lost,
    /// Connections of clients that ask for nothing.
    idle: Vec<Rpc>,
}

impl Player {
    fn new(scenario: &Scenario, files: &Files, nodes: u16, seed: u64) -> Result<Self> {
        let clocks = match scenario.setting {
            Setting::Clocks(from_truth) => Some(Clocks::new(&files.folder, from_truth)?),
            _ => None,
        };
        let version = match scenario.setting {
            Setting::Version(version) => version,
            _ => Version::This,
        };
        let prepare = |node: u16, directory: &Path| match scenario.setting {
            Setting::SmallDisk(group, size) if group.of(nodes).contains(&node) => {
                disk::make_small(directory, size).map(|()| Vec::new())
            }
            Setting::SlowDisk(group, delay) if group.of(nodes).contains(&node) => {
                Ok(disk::slowed_by(delay))
            }
            Setting::FewFiles(group, files) if group.of(nodes).contains(&node) => {
                Ok(vec!["prlimit".to_owned(), format!("--nofile={files}")])
            }
            _ => clocks
                .as_ref()
                .map_or(Ok(Vec::new()), |clocks| clocks.of(node)),
        };
        let mut network = Network::make(files, version, nodes, seed, prepare)?;
        if let Setting::Pruned(group, blocks) = scenario.setting {
            for node in group.of(nodes) {
                let kept = ["blocks", "state"].map(|what| format!("--{what}-pruning={blocks}"));
                network.node(node)?.more = kept.into();
            }
        }
        Ok(Self {
            network,
            random: ChaCha8Rng::seed_from_u64(seed),
            clocks,
            files: files.clone(),
            lost: Lost::default(),
            idle: Vec::new(),
        })
    }

    async fn play(&mut self, scenario: &Scenario, row: &mut Row) -> Result {
        self.network.start().await?;
        let of_each = FIRST_PROOFS_OF_EACH * u32::from(self.network.count());
        let all = self.network.running();
        self.proven_by(&all, 1, FIRST_PROOFS + of_each, "the first proof")
            .await?;
        row.started = self.network.recorder.now().as_secs();
        for step in scenario.steps {
            self.say(&format!("{step:?}"));
            self.step(*step, row).await?;
        }
        self.audit().await
    }

    /// A light client that knows nothing but the genesis, or the checkpoint after a reset, gets to what is proven, by each node that runs: no handoff is missing anywhere.
    /// A node that has only just come back may have the first proof of many, so it is asked again for a while.
    async fn audit(&mut self) -> Result {
        let height = self.network.recorder.history().proven(None);
        for node in self.network.running() {
            let began = Instant::now();
            loop {
                let reached = self.network.reached_from_genesis(node).await?;
                if reached + BEHIND >= height {
                    break;
                }
                if began.elapsed() > LEVEL {
                    return Err(Error::Expectation(format!(
                        "within {} s a new light client reached only block {reached} at node {node}, although block {height} was proven before",
                        LEVEL.as_secs()
                    )));
                }
                self.network.pass(BETWEEN_AUDITS).await?;
            }
        }
        Ok(())
    }

    fn say(&self, what: &str) {
        let history = self.network.recorder.history();
        let (best, proven) = (history.best(), history.proven(None));
        let seconds = self.network.recorder.now().as_secs();
        tell(format_args!(
            "  {seconds:>4} s  best {best:>4}  proven {proven:>4}  {what}"
        ));
    }

    async fn step(&mut self, step: Step, row: &mut Row) -> Result {
        let count = self.network.count();
        match step {
            Step::Prove(blocks) => {
                let running = self.network.running();
                self.prove(&running, blocks).await
            }
            Step::OthersProve(group, blocks) => self.prove(&group.others(count), blocks).await,
            Step::Partition(group) => self.cut(group, true),
            Step::OneWay(group) => self.cut(group, false),
            Step::Weather(weather) => {
                self.network.links(|links| links.set_weather(weather));
                Ok(())
            }
            Step::Heal => {
                self.network.links(|links| links.heal());
                Ok(())
            }
            Step::Pass(seconds) => self.network.pass(Duration::from_secs(seconds)).await,
            Step::NothingProven(seconds) => self.nothing_proven(seconds).await,
            Step::Kill(group) => self.each(group, |network, node| network.node(node)?.kill()),
            Step::Start(group) => self.each(group, |network, node| network.node(node)?.start()),
            Step::Freeze(group) => self.each(group, |network, node| {
                network.frozen.insert(node);
                network.node(node)?.signal("STOP")
            }),
            Step::Thaw(group) => self.each(group, |network, node| {
                network.frozen.remove(&node);
                network.node(node)?.signal("CONT")
            }),
            Step::Storm(kills) => self.storm(kills).await,
            Step::Sessions(sessions) => self.sessions(sessions).await,
            Step::NewSession => self.new_session().await,
            Step::RegisterKeys(group) => self.register_keys(group).await,
            Step::NewKeys(group) => self.new_keys(group).await,
            Step::NewSets(sets) => self.new_sets(sets).await,
            Step::Clock(group, seconds) => self.clock(group, seconds),
            Step::FastForward(hours) => self.fast_forward(hours).await,
            Step::FillDisk(group) => self.each(group, |network, node| {
                network.may_end.insert(node);
                disk::fill(network.node(node)?.directory())
            }),
            Step::FreeDisk(group) => self.free_disk(group),
            Step::Copy(group) => self.copy(group),
            Step::Restore(group, kept) => self.restore(group, kept),
            Step::Change(group, version) => self.change(&group.of(count), version),
            Step::ChangeInTurn(version, seconds) => {
                let all = Group::All.of(count);
                for some in all.chunks(usize::from(spare(count)).max(1)) {
                    self.change(some, version)?;
                    self.recover(Duration::from_secs(seconds), row).await?;
                }
                Ok(())
            }
            Step::UpgradeRuntime => self.upgrade_runtime().await,
            Step::RunCopy(of, at) => self.run_copy(of, at),
            Step::OwnAgain(group) => self.own_again(group),
            Step::Reimport(group) => self.reimport(group),
            Step::GiveUpKeys(group) => self.give_up_keys(group).await,
            Step::IdleClients(group, clients) => self.idle_clients(group, clients).await,
            Step::ClientsLeave(group) => self.clients_leave(group).await,
            Step::Shows(group, metric) => self.shows(group, metric).await,
            Step::StandStill(group, blocks) => self.stand_still(group, blocks),
            Step::NoHandoff => self.no_handoff(),
            Step::HasPruned(group, block) => self.has_pruned(group, block).await,
            Step::ShowsHeader(reader, block) => self.shows_header(reader, block).await,
            Step::KeepEvidence => self.keep_evidence().await,
            Step::Punishable(expected) => self.punishable(expected).await,
            Step::Pardon => self.pardon().await,
            Step::Outgrow => self.outgrow().await,
            Step::Accuse => self.accuse().await,
            Step::Equivocate => self.equivocate().await,
            Step::RegisterRecoveryKeys => self.register_recovery_keys().await,
            Step::LoseKeys(group) => self.each(group, |network, node| {
                let node = network.node(node)?;
                node.kill()?;
                node.lose_keys()?;
                node.start()
            }),
            Step::CrossesByProof(reader) => self.crosses_by_proof(reader).await,
            Step::Reset => self.reset().await,
            Step::Sync(reader) => self.sync(reader).await,
            Step::SyncFromOld(reader) => self.sync_from_old(reader).await,
            Step::StopsAsTooOld(reader) => self.stops_as_too_old(reader).await,
            Step::Fooled(reader) => self.fooled(reader).await,
            Step::StopsAtOldSet(reader) => self.stops_at_old_set(reader).await,
            Step::OldKeysSign => self.old_keys_sign().await,
            Step::TruthReturns => self.truth_returns().await,
            Step::Publish(reader) => self.publish(reader).await,
            Step::StopsAtReset(reader) => self.stops_at_reset(reader).await,
            Step::SyncFromCheckpoint(reader) => self.sync_from_checkpoint(reader).await,
            Step::Recover(seconds) => {
                let bound = Duration::from_secs(seconds);
                self.recover(bound, row).await
            }
        }
    }

    /// Waits until each of these has proven so many blocks more than anybody has by now.
    async fn prove(&mut self, nodes: &[u16], blocks: u32) -> Result {
        let height = self.network.recorder.history().proven(None) + blocks;
        let limit = SLOT * SLOTS_OF_A_BLOCK * blocks + PATIENCE;
        let what = format!("nodes {nodes:?} to prove block {height}");
        self.proven_by(nodes, height, limit, &what).await
    }

    async fn proven_by(
        &mut self,
        nodes: &[u16],
        height: u32,
        limit: Duration,
        what: &str,
    ) -> Result {
        let holds = |network: &Network| {
            let history = network.recorder.history();
            nodes
                .iter()
                .all(|node| history.proven(Some(*node)) >= height)
        };
        self.network
            .until(what, limit, holds, |network| seen(network, nodes))
            .await
    }

    async fn nothing_proven(&mut self, seconds: u64) -> Result {
        self.network.pass(ON_ITS_WAY).await?;
        let before = self.network.recorder.history().proven(None);
        self.network.pass(Duration::from_secs(seconds)).await?;
        let after = self.network.recorder.history().proven(None);
        if after == before {
            return Ok(());
        }
        Err(Error::Expectation(format!(
            "nothing can be proven now, but the highest proven block went from {before} to {after}"
        )))
    }

    async fn recover(&mut self, bound: Duration, row: &mut Row) -> Result {
        let nodes = self.network.running();
        let since = self.network.recorder.now();
        let best = self.network.recorder.history().best();
        let height = best + 1;
        let all = |network: &Network| {
            let history = network.recorder.history();
            history.all_proven(&nodes, height, since)
        };
        let waited = self.network.until(
            "proofs of new blocks",
            bound,
            |network| all(network).is_some(),
            |network| seen(network, &nodes),
        );
        let waited = waited.await;
        if let Err(Error::TimedOut { .. }) = waited {
            let history = self.network.recorder.history();
            let late = |node: &&u16| history.all_proven(&[**node], height, since).is_none();
            let nodes = nodes.iter().filter(late).copied().collect();
            return Err(Error::Expectation(
                Violation::Late { bound, nodes }.to_string(),
            ));
        }
        waited?;
        let history = self.network.recorder.history();
        let first = nodes
            .iter()
            .filter_map(|node| history.all_proven(&[*node], height, since));
        let first = first.min().unwrap_or(since);
        let last = history.all_proven(&nodes, height, since).unwrap_or(since);
        row.recoveries.push(Recovery {
            bound: bound.as_secs(),
            first: (first - since).as_secs_f64(),
            all: (last - since).as_secs_f64(),
            blocks: history.best().saturating_sub(best),
        });
        Ok(())
    }

    /// What was seen altogether.
    fn conclude(&self, row: &mut Row) {
        let history = self.network.recorder.history();
        row.packets = self.network.switch.counts();
        row.see(&history);
        let wrong = violations(&history, self.network.count());
        row.failures.extend(wrong.iter().map(ToString::to_string));
    }
}

/// What the last look at nodes gave.
fn seen(network: &Network, nodes: &[u16]) -> String {
    let history = network.recorder.history();
    let of_node = |node: &u16| {
        let heads = history.heads.get(node).copied().unwrap_or_default();
        let proven = history.proven(Some(*node));
        format!(
            "node {node} best {} finalized {} proven {proven}",
            heads.best, heads.finalized
        )
    };
    let nodes: Vec<_> = nodes.iter().map(of_node).collect();
    nodes.join("; ")
}
