//! How far the model goes: what may happen, and how often.

use crate::{chain::Call, state::Left};

/// Bounds, with a name.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The name.
    pub name: &'static str,
    /// How many of the four validators are Byzantine.
    pub byzantine: u8,
    /// The height of the chain.
    pub height: u32,
    /// How many blocks a validator may be behind the chain.
    pub lag: u32,
    /// Whether votes arrive before there are enough, in every number.
    pub single_votes: bool,
    /// Whether a signer answers before anything else happens.
    pub signs_at_once: bool,
    /// Whether nodes get the forged votes of Byzantine validators.
    pub forged_votes: bool,
    /// The validators that may register another key.
    pub rekeys: &'static [u8],
    /// What the first blocks do.
    pub begins: &'static [Call],
    /// Whether GRANDPA finalizes two chains: the second one has other blocks from the first block on.
    pub splits: bool,
    /// The height to which a chain is restored.
    pub restores_to: Option<u32>,
    /// How often the rest may happen.
    pub left: Left,
    /// What must happen in some state.
    pub reaches: &'static [Goal],
}

/// Something that happens in some state, so that the bounds are not too small to say anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// A validator proves a block.
    Proves,
    /// A session begins at which a planned set waits for its handoff.
    Waits,
    /// Two blocks of one number are proven.
    Differs,
}
