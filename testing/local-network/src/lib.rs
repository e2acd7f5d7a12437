//! Networks of real nodes on one machine, for the demo and the end-to-end tests.
//!
//! Each node is a process of its own, the executable `duet-node`, and speaks libp2p over loopback with the
//! others. Nothing is simulated: what these nodes do, the nodes of a live chain do.
//!
//! - [`Network`]: starts nodes, and ends them when it is dropped.
//! - [`Node`]: one of them: kill, stop, start again.
//! - [`LightClient`]: the light client, running as its user would run it.
//! - [`relayer`]: relayers, and anvil, an EVM chain that they bring proofs to.
//! - [`Page`]: the page on which a browser follows them.
//! - [`Peer`]: a peer of a node that says what it is told to.
//! - [`Rpc`]: what is asked of a node over its WebSocket.
//! - [`transaction`]: signed extrinsics, followed until they are in a block.
//! - [`staking`]: how an account becomes a validator.
//! - [`upgrade`]: how a chain gets another runtime.
//! - [`bridge`]: how a chain follows another one.
//! - [`bridged`]: two networks that follow each other, and anvil, which follows one, with relayers between them.
//! - [`messages`]: what such chains tell each other.
//! - [`log`]: what processes wrote.
//! - [`wait`]: until something holds, but not for ever.
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
pub use spec::{EditGenesis, State};
