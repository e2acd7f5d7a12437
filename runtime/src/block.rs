//! Blocks, and what executes them.

use crate::{extrinsic::UncheckedExtrinsic, types::Header, AllPalletsWithSystem, Runtime};
use sp_runtime::generic;

/// A block, its extrinsics decoded.
pub type Block = generic::Block<Header, UncheckedExtrinsic>;

/// Executes blocks.
pub type Executive = frame_executive::Executive<
    Runtime,
    Block,
    frame_system::ChainContext<Runtime>,
    Runtime,
    AllPalletsWithSystem,
>;
