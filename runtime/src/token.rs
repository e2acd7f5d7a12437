//! How amounts are shown. `build.rs` reads this file too: both go into the hash of the metadata.

/// The token's symbol.
pub const TOKEN_SYMBOL: &str = "DUET";
/// Decimal places of the token.
pub const TOKEN_DECIMALS: u8 = 12;
