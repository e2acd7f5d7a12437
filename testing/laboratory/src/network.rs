//! The nodes, the switch between them, and a light client for each.

use crate::{
    address::Place,
    history::Recorder,
    namespace,
    node::{Node, METRICS_PORT},
    run,
    scenario::Version,
    spec,
    switch::{Links, Switch},
    validator::Validator,
    watch::{self, Watcher},
    Error, Result,
};
use duet_light_client::{Checkpoint, Mode, Trusted};
use duet_primitives::H256;
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};
use tokio::{task::JoinHandle, time::sleep};

/// With how many neighbours on either side of a ring a node keeps connections. It finds others by itself.
const NEIGHBOURS: u16 = 4;
/// How long nodes may take until the first one answers, and how much longer for each.
const START_LIMIT: Duration = Duration::from_secs(120);
const START_LIMIT_OF_EACH: Duration = Duration::from_secs(20);
/// How often memory and metrics are read.
const SAMPLE_EVERY: Duration = Duration::from_secs(3);
/// How often a condition is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Where programs and files are.
#[derive(Clone, Debug)]
pub struct Files {
    /// The executable of the node.
    pub node: PathBuf,
    /// The executable of an earlier version of it.
    pub earlier_node: Option<PathBuf>,
    /// The folder for all files.
    pub folder: PathBuf,
}

impl Files {
    /// The executable of this version.
    ///
    /// # Errors
    /// [`Error::Expectation`] when there is none.
    pub(crate) fn executable(&self, version: Version) -> Result<&Path> {
        let missing = || Error::Expectation("there is no earlier version of the node".to_owned());
        match version {
            Version::This => Ok(&self.node),
            Version::Earlier => self.earlier_node.as_deref().ok_or_else(missing),
        }
    }
}

/// The network. Dropping it kills its nodes.
pub(crate) struct Network {
    pub(crate) nodes: Vec<Node>,
    pub(crate) switch: Switch,
    pub(crate) recorder: Recorder,
    /// Those that stand still.
    pub(crate) frozen: BTreeSet<u16>,
    /// Those that may end by themselves: their disks are full.
    pub(crate) may_end: BTreeSet<u16>,
    /// Of the chain; zeros until a node has said it.
    genesis: H256,
    /// Where light clients begin; at the genesis if nowhere else.
    begin: Option<Trusted>,
    watchers: Vec<JoinHandle<()>>,
    sampled: Instant,
}

impl Network {
    /// Makes devices, chain and directories. `prepare` is called with each node's directory before anything is in it.
    pub(crate) fn make(
        files: &Files,
        version: Version,
        count: u16,
        seed: u64,
        prepare: impl Fn(u16, &Path) -> Result<Vec<String>>,
    ) -> Result<Self> {
        let switch = Switch::start(namespace::make(count)?, seed)?;
        let validators = || (0..count).map(Validator::new).collect::<Result<Vec<_>>>();
        let executable = files.executable(version)?;
        let chain = spec::write(executable, &validators()?, &files.folder)?;
        let mut nodes = Vec::new();
        for (number, validator) in (0..count).zip(validators()?) {
            let directory = files.folder.join(format!("node{number}"));
            std::fs::create_dir_all(&directory).map_err(Error::io("making a directory"))?;
            let before = prepare(number, &directory)?;
            let mut node = Node::new((number, validator), executable, &chain, &directory)?;
            node.before = before;
            nodes.push(node);
        }
        let addresses: Vec<_> = nodes.iter().map(Node::peer_address).collect();
        for (number, node) in (0..count).zip(&mut nodes) {
            let peers = neighbours(number, count).into_iter();
            let peers = peers.filter_map(|peer| addresses.get(usize::from(peer)).cloned());
            node.set_peers(peers.collect());
        }
        Ok(Self {
            nodes,
            switch,
            recorder: Recorder::begin(),
            frozen: BTreeSet::new(),
            may_end: BTreeSet::new(),
            genesis: H256::zero(),
            begin: None,
            watchers: Vec::new(),
            sampled: Instant::now(),
        })
    }

    /// Starts all nodes, and the light clients when the first one answers.
    pub(crate) async fn start(&mut self) -> Result {
        for node in &mut self.nodes {
            node.start()?;
        }
        let url = self.nodes.first().map(Node::url).unwrap_or_default();
        let limit = START_LIMIT + START_LIMIT_OF_EACH * u32::from(self.count());
        let began = Instant::now();
        let genesis = loop {
            if let Some(genesis) = watch::genesis(&url).await {
                break genesis;
            }
            self.tend()?;
            if began.elapsed() > limit {
                return Err(Error::TimedOut {
                    what: "the first node to answer".to_owned(),
                    limit,
                    seen: "no answer".to_owned(),
                });
            }
            sleep(LOOK_EVERY).await;
        };
        self.genesis = genesis;
        self.watch();
        Ok(())
    }

    /// New light clients, one for each node, take the place of those that there are.
    pub(crate) fn watch(&mut self) {
        for watcher in self.watchers.drain(..) {
            watcher.abort();
        }
        let nodes = (0..).zip(self.nodes.iter().map(Node::url));
        let watchers = nodes.map(|node| {
            let (begin, recorder) = (self.begin.clone(), self.recorder.clone());
            tokio::spawn(Watcher::new(node, self.genesis, begin, recorder).follow())
        });
        self.watchers = watchers.collect();
    }

    /// From now on light clients begin at this checkpoint, those that there are and those to come.
    ///
    /// # Errors
    /// [`Error::Expectation`] when it is none.
    pub(crate) fn begin_at(&mut self, checkpoint: Checkpoint) -> Result {
        let begin = Trusted::from_checkpoint(checkpoint, Mode::Full);
        let begin = begin.map_err(|error| Error::Expectation(format!("no checkpoint: {error}")))?;
        self.begin = Some(begin);
        self.watch();
        Ok(())
    }

    /// How far a light client gets at a node that knows nothing but where to begin: the genesis, or the checkpoint after a reset.
    pub(crate) async fn reached_from_genesis(&mut self, node: u16) -> Result<u32> {
        let url = self.node(node)?.url();
        let begin = self.begin.clone();
        let watcher = Watcher::new((node, url), self.genesis, begin, Recorder::begin());
        let reached = watcher.catch_up_once().await;
        reached.map_err(|fault| {
            let why = format!("a new light client cannot sync from node {node}: {fault}");
            Error::Expectation(why)
        })
    }

    /// How many nodes there are, those that do not run included.
    pub(crate) fn count(&self) -> u16 {
        u16::try_from(self.nodes.len()).unwrap_or(u16::MAX)
    }

    /// The numbers of the nodes that run.
    pub(crate) fn running(&self) -> Vec<u16> {
        let nodes = (0..).zip(&self.nodes);
        let running = nodes.filter(|(_, node)| node.process().is_some());
        let numbers = running.map(|(number, _)| number);
        numbers.filter(|it| !self.frozen.contains(it)).collect()
    }

    /// One node.
    pub(crate) fn node(&mut self, number: u16) -> Result<&mut Node> {
        let missing = || Error::Expectation(format!("there is no node {number}"));
        self.nodes.get_mut(usize::from(number)).ok_or_else(missing)
    }

    /// Changes links between nodes.
    pub(crate) fn links(&self, change: impl FnOnce(&mut Links)) {
        self.switch.change(change);
    }

    /// Looks whether all nodes still run, and reads memory and metrics now and then.
    pub(crate) fn tend(&mut self) -> Result {
        for (number, node) in (0..).zip(&mut self.nodes) {
            match node.check() {
                Err(Error::NodeEnded { .. }) if self.may_end.contains(&number) => {}
                checked => checked?,
            }
        }
        if self.sampled.elapsed() < SAMPLE_EVERY {
            return Ok(());
        }
        self.sampled = Instant::now();
        for number in self.running() {
            let process = self.node(number)?.process();
            let Some(process) = process else { continue };
            let recorder = self.recorder.clone();
            let metrics = (Place::Node(number).address(), METRICS_PORT).into();
            tokio::spawn(async move { watch::sample(&recorder, number, process, metrics).await });
        }
        Ok(())
    }

    /// Looks again and again until `holds` is true.
    ///
    /// # Errors
    /// [`Error::TimedOut`] after `limit` with what `seen` says, and those of [`Network::tend`].
    pub(crate) async fn until(
        &mut self,
        what: &str,
        limit: Duration,
        mut holds: impl FnMut(&Self) -> bool,
        seen: impl Fn(&Self) -> String,
    ) -> Result {
        let began = Instant::now();
        while !holds(self) {
            self.tend()?;
            if began.elapsed() > limit {
                return Err(Error::TimedOut {
                    what: what.to_owned(),
                    limit,
                    seen: seen(self),
                });
            }
            sleep(LOOK_EVERY).await;
        }
        Ok(())
    }

    /// Lets time pass.
    pub(crate) async fn pass(&mut self, time: Duration) -> Result {
        let began = Instant::now();
        while began.elapsed() < time {
            self.tend()?;
            sleep(LOOK_EVERY.min(time)).await;
        }
        Ok(())
    }
}

/// Those to which a node keeps connections: its neighbours on a ring.
fn neighbours(number: u16, count: u16) -> BTreeSet<u16> {
    let steps = 1..=NEIGHBOURS;
    let both = steps.flat_map(|step| [number + step, number + count - step % count]);
    let peers = both.map(|peer| peer % count.max(1));
    peers.filter(|peer| *peer != number).collect()
}

/// Copies a folder with all that is in it.
pub(crate) fn copy(from: &Path, to: &Path) -> Result {
    run::line(&format!("cp --archive {} {}", from.display(), to.display())).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_a_small_network_all_are_neighbours_and_in_a_large_one_some_are() {
        assert_eq!(neighbours(2, 7), [0, 1, 3, 4, 5, 6].into());
        assert_eq!(neighbours(0, 30), [1, 2, 3, 4, 26, 27, 28, 29].into());
        assert_eq!(neighbours(0, 1), [].into());
    }

    #[test]
    fn neighbours_are_neighbours_of_each_other() {
        for count in [4, 7, 9, 30] {
            for node in 0..count {
                for peer in neighbours(node, count) {
                    assert!(neighbours(peer, count).contains(&node), "{node} {peer}");
                }
            }
        }
    }
}
