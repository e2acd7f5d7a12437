//! One connection to a signer: the hello, then one request at a time.

use crate::{
    channel::Channel,
    error::RemoteError,
    frame::{read_frame, write_frame, MAX_ANSWER_LEN, MAX_REQUEST_LEN},
    hello::Hello,
    message::{Answer, Call, Reply, Request},
    refusal::Refusal,
};
use codec::{DecodeAll, Encode};
use std::time::{Duration, Instant};

/// The deadline of a request.
#[derive(Clone, Copy)]
pub(crate) struct Limit {
    /// Its end.
    pub(crate) deadline: Instant,
    /// The whole duration, for the error.
    pub(crate) within: Duration,
}

/// A connection after both hellos.
pub(crate) struct Connection {
    channel: Box<dyn Channel>,
}

impl Connection {
    /// Exchanges hellos.
    pub(crate) fn greet(mut channel: Box<dyn Channel>, limit: Limit) -> Result<Self, RemoteError> {
        let failed = |error| RemoteError::of_frame(error, limit.within);
        channel.until(limit.deadline);
        write_frame(&mut channel, &Hello::OURS.encode(), Hello::LEN).map_err(failed)?;
        let theirs = read_frame(&mut channel, Hello::LEN).map_err(failed)?;
        Hello::check(&theirs)?;
        Ok(Self { channel })
    }

    /// Sends a request, and waits for the answer. Any failure closes the connection, so that a late answer reaches no
    /// later request.
    pub(crate) fn ask(
        mut self,
        id: u64,
        call: Call,
        limit: Limit,
    ) -> Result<(Self, Result<Reply, Refusal>), RemoteError> {
        let failed = |error| RemoteError::of_frame(error, limit.within);
        self.channel.until(limit.deadline);
        let request = Request { id, call }.encode();
        write_frame(&mut self.channel, &request, MAX_REQUEST_LEN).map_err(failed)?;
        let frame = read_frame(&mut self.channel, MAX_ANSWER_LEN).map_err(failed)?;
        let answer = Answer::decode_all(&mut &*frame).map_err(RemoteError::Malformed)?;
        if answer.id != id {
            let (expected, got) = (id, answer.id);
            return Err(RemoteError::OtherRequest { expected, got });
        }
        Ok((self, answer.result))
    }
}
