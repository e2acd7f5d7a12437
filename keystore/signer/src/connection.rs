//! One connection: the hello, then one request after another until one side ends it.

use crate::{service::Service, slots::Place};
use codec::Encode;
use duet_remote_signer::{
    read_frame, write_frame, Answer, Channel, FrameError, Hello, HelloError, Refusal, Request,
    MAX_ANSWER_LEN, MAX_REQUEST_LEN,
};
use std::{
    io,
    time::{Duration, Instant},
};

/// Why a connection ended.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Ended {
    /// The client closed it.
    #[error("closed by the client")]
    ByClient,
    /// The client sent no request for too long.
    #[error("no request for {0:?}")]
    Idle(Duration),
    /// The client does not read its answer.
    #[error("the client does not read the answer")]
    Unread,
    /// The client's hello was invalid.
    #[error(transparent)]
    Hello(#[from] HelloError),
    /// There are too many connections.
    #[error(transparent)]
    Full(#[from] crate::slots::Full),
    /// A frame was too long, or the connection failed.
    #[error(transparent)]
    Frame(FrameError),
    /// A request does not decode.
    #[error(transparent)]
    Request(#[from] duet_remote_signer::BadRequest),
}

impl Ended {
    /// Whether operators need not know of it.
    pub(crate) fn is_usual(&self) -> bool {
        matches!(self, Self::ByClient | Self::Idle(_))
    }
}

/// The time limits of a connection.
#[derive(Clone, Copy)]
pub(crate) struct Times {
    /// The time without a request.
    pub(crate) idle: Duration,
    /// The time for a client to take an answer.
    pub(crate) answer: Duration,
}

/// Reads the client's hello, until the channel's deadline, and answers it. A client of another version learns ours.
pub(crate) fn greet(channel: &mut dyn Channel, place: &Place<'_>) -> Result<(), Ended> {
    let theirs = read_frame(channel, Hello::LEN).map_err(ended)?;
    let checked = Hello::check(&theirs);
    if checked == Err(HelloError::OtherService) {
        return Ok(checked?);
    }
    if checked.is_ok() {
        place.greeted()?;
    }
    write_frame(channel, &Hello::OURS.encode(), Hello::LEN).map_err(ended)?;
    Ok(checked?)
}

/// Answers requests. It returns when the connection ends.
pub(crate) fn serve(channel: &mut dyn Channel, service: &Service, times: Times) -> Ended {
    loop {
        channel.until(in_time(times.idle));
        let frame = match read_frame(channel, MAX_REQUEST_LEN) {
            Ok(frame) => frame,
            Err(FrameError::Io(error)) if error.kind() == io::ErrorKind::TimedOut => {
                return Ended::Idle(times.idle);
            }
            Err(error) => return ended(error),
        };
        let (id, result, bad) = match Request::from_frame(&frame) {
            Ok(Request { id, call }) => (id, service.answer(call), None),
            Err(bad) => match bad.id {
                Some(id) => (id, Err(Refusal::Malformed), Some(bad)),
                None => return bad.into(),
            },
        };
        if let Err(refusal) = &result {
            log::warn!(
                "refused: {}",
                duet_keystore::SignerError::from(refusal.clone())
            );
        }
        let answer = Answer { id, result }.encode();
        channel.until(in_time(times.answer));
        match write_frame(channel, &answer, MAX_ANSWER_LEN) {
            Ok(()) => {}
            Err(FrameError::Io(error)) if error.kind() == io::ErrorKind::TimedOut => {
                return Ended::Unread;
            }
            Err(error) => return ended(error),
        }
        if let Some(bad) = bad {
            return bad.into();
        }
    }
}

/// Why a frame error ended the connection.
fn ended(error: FrameError) -> Ended {
    match error {
        FrameError::Io(error)
            if matches!(
                error.kind(),
                io::ErrorKind::UnexpectedEof
                    | io::ErrorKind::ConnectionReset
                    | io::ErrorKind::BrokenPipe
            ) =>
        {
            Ended::ByClient
        }
        error => Ended::Frame(error),
    }
}

/// The time from now on. If the clock cannot represent it, it is now, and the connection ends.
pub(crate) fn in_time(time: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(time).unwrap_or(now)
}
