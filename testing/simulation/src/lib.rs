//! Simulates a round's votes over a gossip mesh: what they cost each node in processor time and bytes, and how
//! long the first finality proof takes, with Duet's votes and with what they replace.
//!
//! Time is virtual, costs are real: [`measure`] runs the code that nodes run, and [`Round`] plays a round with
//! those costs on a random network. A [`Matrix`] plays many rounds, and [`Report`] shows them. The same seed and
//! costs give the same result, bit for bit. `docs/simulation.md` says what is modelled and what is not.
//!
//! ```
//! use duet_simulation::*;
//!
//! let costs = SchemeCosts {
//!     vote: 130_000,
//!     in_batch: [100_000, 60_000, 45_000, 40_000],
//!     strange_vote: 200_000,
//!     bad_vote: 500_000,
//!     prepare: 400_000,
//!     aggregation: 300_000,
//!     proof: 2_000_000,
//! };
//! let model = Model::default();
//! let plan = Plan::new(&model, 50, 10, 1)?;
//! let round = Round {
//!     plan: &plan,
//!     model: &model,
//!     costs: &costs,
//!     message: 1_000,
//!     sizes: MessageSizes::new(Scheme::Dleq, 50),
//!     threshold: 34,
//! };
//! let outcome = round.run();
//! assert_eq!(outcome.nodes.len(), 45, "five send garbage");
//! assert!(outcome.first_proof < outcome.last_proof);
//! assert_eq!(outcome, round.run());
//! # Ok::<(), ModelError>(())
//! ```

mod case;
mod costs;
mod matrix;
mod mesh;
mod model;
mod plan;
mod queue;
mod random;
mod report;
mod reputation;
mod round;
mod scheme;
mod sizes;
mod stats;

pub use case::Case;
pub use costs::{measure, CostTable, Costs, SchemeCosts, BATCHES};
pub use matrix::{Matrix, MatrixError};
pub use mesh::{Edge, Link, Mesh};
pub use model::{Model, ModelError, MAX_VALIDATORS, MILLISECOND, SECOND};
pub use plan::{Plan, VoteBatch};
pub use report::{PerNode, Report, Row, Spread};
pub use reputation::{Reputation, BAD_VOTE, BANNED_THRESHOLD, GOOD_VOTE, STRIKES};
pub use round::{NodeReport, Outcome, Round};
pub use scheme::Scheme;
pub use sizes::{MessageSizes, FRAMING};
