//! Those who do not keep to the protocol.

mod equivocator;

pub(crate) use equivocator::Equivocator;
