//! A reset is crossed by a recovery proof: announced, waited for, and crossed or given up. (RECOVER-5, RECOVER-7,
//! RECOVER-8)

mod cross;
pub(crate) mod shown;
mod statement;
pub(crate) mod wanted;
