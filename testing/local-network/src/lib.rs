//! Networks of real nodes on one machine, for the demo and the end-to-end tests.
//!
//! Each node is a process of the executable `duet-node`, and speaks libp2p with the others over loopback. Nothing is
//! simulated: these nodes behave as those of a live chain.
//!
//! - [`Network`]: starts nodes, and ends them when it is dropped.
//! - [`Node`]: a single node: kill, stop, start again.
//! - [`LightClient`]: the light client, run as a user runs it.
//! - [`relayer`]: relayers, and anvil, an EVM chain as their target.
//! - [`Page`]: the page on which a browser follows the network.
//! - [`Peer`]: a peer of a node, controlled by the test.
//! - [`Rpc`]: queries to a node over its WebSocket.
//! - [`transaction`]: signed extrinsics, tracked until they are in a block.
//! - [`staking`]: makes an account a validator.
//! - [`recovery`]: recovery keys, and how they bring light clients across a reset.
//! - [`upgrade`]: upgrades a chain's runtime.
//! - [`bridge`]: makes a chain follow another one.
//! - [`bridged`]: two networks that follow each other, anvil, which follows one of them, and relayers between them.
//! - [`messages`]: messages between such chains.
//! - [`log`]: logs of processes.
//! - [`wait`]: waits with a time limit.
//!
//! ```no_run
//! use duet_local_network::Network;
//!
//! # async fn example() -> duet_local_network::Result<()> {
//! let network = Network::builder().validators(4).start().await?;
//! let rpc = network.node(0).rpc().await?;
//! let mut proofs = rpc.justifications().await?;
//! println!("{:?}", proofs.next().await?.commitment);
//! # Ok(())
//! # }
//! ```

pub mod bridge;
pub mod bridged;
mod error;
mod executables;
mod interrupt;
mod light_client;
pub mod log;
pub mod messages;
mod network;
mod node;
mod page;
mod peer;
mod ports;
mod program;
pub mod recovery;
pub mod relayer;
mod rpc;
mod spec;
pub mod staking;
pub mod transaction;
pub mod upgrade;
pub mod wait;

pub use error::{Error, Result};
pub use executables::Executables;
pub use interrupt::Interrupt;
pub use light_client::LightClient;
pub use network::{Builder, Network, MAX_VALIDATORS};
pub use node::{Node, DEVELOPMENT_ACCOUNTS};
pub use page::Page;
pub use peer::Peer;
pub use ports::free_port;
pub use rpc::{DuetKeyAnswer, Proofs, Rpc};
pub use spec::{EditGenesis, EditPatch, State};
