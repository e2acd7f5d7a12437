//! A connection that reads no more while what it wrote is not taken, and ends when nothing comes for long.

use std::{
    future::Future,
    io,
    pin::Pin,
    task::{Context, Poll, Waker},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{sleep, Instant, Sleep},
};

/// How long nothing may come. A WebSocket client answers a ping every 30 seconds, and a request ends within 60.
pub(crate) const IDLE: Duration = Duration::from_secs(120);

/// The connection, and the seat that it takes.
pub(crate) struct Socket<T, S> {
    inner: T,
    _seat: S,
    /// Something that was written waits for the client.
    blocked: bool,
    reader: Option<Waker>,
    idle: Pin<Box<Sleep>>,
    longest_idle: Duration,
}

impl<T, S> Socket<T, S> {
    pub(crate) fn new(inner: T, seat: S, longest_idle: Duration) -> Self {
        Self {
            inner,
            _seat: seat,
            blocked: false,
            reader: None,
            idle: Box::pin(sleep(longest_idle)),
            longest_idle,
        }
    }

    /// Notes whether the client takes what is written.
    fn wrote<R>(&mut self, result: Poll<R>) -> Poll<R> {
        self.blocked = result.is_pending();
        if !self.blocked {
            if let Some(reader) = self.reader.take() {
                reader.wake();
            }
        }
        result
    }
}

impl<T: AsyncRead + Unpin, S: Unpin> AsyncRead for Socket<T, S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.blocked {
            this.reader = Some(context.waker().clone());
        } else if let Poll::Ready(read) = Pin::new(&mut this.inner).poll_read(context, buffer) {
            if let Some(end) = Instant::now().checked_add(this.longest_idle) {
                this.idle.as_mut().reset(end);
            }
            return Poll::Ready(read);
        }
        let idle = this.idle.as_mut().poll(context);
        idle.map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<T: AsyncWrite + Unpin, S: Unpin> AsyncWrite for Socket<T, S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.wrote(result)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{duplex, AsyncReadExt, AsyncWriteExt};

    const NO_TIME: Duration = Duration::from_millis(20);

    fn read(socket: &mut Socket<tokio::io::DuplexStream, ()>) -> Option<u8> {
        let mut byte = [0];
        let mut buffer = ReadBuf::new(&mut byte);
        let mut context = Context::from_waker(Waker::noop());
        match Pin::new(socket).poll_read(&mut context, &mut buffer) {
            Poll::Ready(Ok(())) => buffer.filled().first().copied(),
            Poll::Ready(Err(error)) => panic!("{error}"),
            Poll::Pending => None,
        }
    }

    fn write(socket: &mut Socket<tokio::io::DuplexStream, ()>, bytes: &[u8]) -> Option<usize> {
        let mut context = Context::from_waker(Waker::noop());
        match Pin::new(socket).poll_write(&mut context, bytes) {
            Poll::Ready(written) => Some(written.expect("it is open")),
            Poll::Pending => None,
        }
    }

    #[tokio::test]
    async fn nothing_is_read_while_what_was_written_is_not_taken() {
        let (ours, mut theirs) = duplex(4);
        let mut socket = Socket::new(ours, (), IDLE);
        theirs.write_all(b"ask").await.expect("room for it");
        assert_eq!(read(&mut socket), Some(b'a'));
        assert_eq!(
            write(&mut socket, b"answer"),
            Some(4),
            "as much as there is room for"
        );
        assert_eq!(read(&mut socket), Some(b's'), "nothing waits yet");
        assert_eq!(write(&mut socket, b"er"), None);
        assert_eq!(read(&mut socket), None, "an answer waits");
        let mut answer = [0; 4];
        theirs.read_exact(&mut answer).await.expect("the answer");
        assert_eq!(write(&mut socket, b"er"), Some(2));
        assert_eq!(read(&mut socket), Some(b'k'));
    }

    #[tokio::test]
    async fn a_connection_on_which_nothing_comes_ends() {
        let (ours, mut theirs) = duplex(4);
        let mut socket = Socket::new(ours, (), NO_TIME);
        let mut one = [0];
        theirs.write_all(b"a").await.expect("room for it");
        socket.read_exact(&mut one).await.expect("it came");
        let start = Instant::now();
        let error = socket
            .read_exact(&mut one)
            .await
            .expect_err("nothing comes");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(start.elapsed() >= NO_TIME);
    }
}
