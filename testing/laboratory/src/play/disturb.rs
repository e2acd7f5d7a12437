//! What is done to links, nodes, clocks and disks.

use super::{Player, PATIENCE, SLOT, SLOTS_OF_A_BLOCK};
use crate::{
    address::Place,
    disk,
    group::{spare, Group},
    network::Network,
    rescue, Error, Result,
};
use duet_local_network::Rpc;
use rand_chacha::rand_core::RngCore;
use std::{ops::RangeInclusive, time::Duration};
use tokio::task::JoinSet;

/// In what steps clocks go ahead, and how many blocks are made between two of them.
const HOURS_AT_ONCE: u32 = 2;
const BLOCKS_BETWEEN: u32 = 5;
const SECONDS_OF_AN_HOUR: i64 = 3_600;
/// How many clients get in where more want to: a node takes a hundred, and those of the laboratory are among them.
const CLIENTS_OF_A_NODE: RangeInclusive<usize> = 90..=100;
/// How long a node of the storm is away at most.
const AWAY: Duration = Duration::from_secs(6);

impl Player {
    pub(super) fn each(
        &mut self,
        group: Group,
        mut act: impl FnMut(&mut Network, u16) -> Result,
    ) -> Result {
        let mut nodes = group.of(self.network.count()).into_iter();
        nodes.try_for_each(|node| act(&mut self.network, node))
    }

    pub(super) fn cut(&self, group: Group, both_ways: bool) -> Result {
        let places = |nodes: Vec<u16>| nodes.into_iter().map(Place::Node).collect::<Vec<_>>();
        let count = self.network.count();
        let (these, others) = (places(group.of(count)), places(group.others(count)));
        self.network.links(|links| {
            links.cut(&these, &others);
            if both_ways {
                links.cut(&others, &these);
            }
        });
        Ok(())
    }

    pub(super) async fn storm(&mut self, kills: u32) -> Result {
        let count = self.network.count();
        let at_once = u32::from(spare(count)).max(1);
        let mut left = kills;
        while left > 0 {
            let mut victims = Vec::new();
            for _ in 0..at_once.min(left) {
                let drawn = self.random.next_u32() % u32::from(count);
                victims.push(u16::try_from(drawn).unwrap_or(0));
            }
            left -= at_once.min(left);
            for victim in &victims {
                self.network.node(*victim)?.kill()?;
            }
            let share = f64::from(self.random.next_u32()) / f64::from(u32::MAX);
            self.network.pass(AWAY.mul_f64(share)).await?;
            for victim in &victims {
                self.network.node(*victim)?.start()?;
            }
            self.network.pass(AWAY).await?;
        }
        Ok(())
    }

    pub(super) fn clock(&self, group: Group, seconds: i64) -> Result {
        let Some(clocks) = &self.clocks else {
            let why = "this scenario has no clocks that can be set";
            return Err(Error::Expectation(why.to_owned()));
        };
        let mut nodes = group.of(self.network.count()).into_iter();
        nodes.try_for_each(|node| clocks.set(node, seconds))
    }

    pub(super) async fn fast_forward(&mut self, hours: u32) -> Result {
        for ahead in (1..=hours).filter(|ahead| ahead % HOURS_AT_ONCE == 0) {
            self.clock(Group::All, i64::from(ahead) * SECONDS_OF_AN_HOUR)?;
            let best = self.network.recorder.history().best() + BLOCKS_BETWEEN;
            let limit = SLOT * SLOTS_OF_A_BLOCK * BLOCKS_BETWEEN + PATIENCE;
            self.made(best, limit).await?;
        }
        Ok(())
    }

    pub(super) async fn idle_clients(&mut self, group: Group, clients: u16) -> Result {
        for node in group.of(self.network.count()) {
            let url = self.network.node(node)?.url();
            let mut knocking = JoinSet::new();
            for _ in 0..clients {
                let url = url.clone();
                knocking.spawn(async move { Rpc::connect(&url).await });
            }
            let entered = knocking.join_all().await.into_iter().flatten();
            let before = self.idle.len();
            self.idle.extend(entered);
            let entered = self.idle.len() - before;
            self.say(&format!("{entered} of {clients} clients got in"));
            if !CLIENTS_OF_A_NODE.contains(&entered) {
                return Err(Error::Expectation(format!(
                    "node {node} takes about {} clients, but {entered} of {clients} got in",
                    CLIENTS_OF_A_NODE.end()
                )));
            }
        }
        Ok(())
    }

    pub(super) async fn clients_leave(&mut self, group: Group) -> Result {
        self.idle.clear();
        for node in group.of(self.network.count()) {
            rescue::connect(&self.network.node(node)?.url()).await?;
        }
        Ok(())
    }

    pub(super) fn free_disk(&mut self, group: Group) -> Result {
        self.each(group, |network, node| {
            disk::free(network.node(node)?.directory())?;
            network.may_end.remove(&node);
            let node = network.node(node)?;
            match node.process() {
                Some(_) => Ok(()),
                None => node.start(),
            }
        })
    }
}
