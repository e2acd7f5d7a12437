//! Targets of gossip: what peers send, ask and answer.

use crate::target::Target;

mod definition;
mod message;
mod model;
mod node;
mod peer;
mod request;
mod response;
mod script;
mod validation;

/// The targets of gossip.
pub(crate) const TARGETS: [Target; 4] = [
    message::MESSAGE,
    response::RESPONSE,
    request::REQUEST,
    validation::VALIDATION,
];
