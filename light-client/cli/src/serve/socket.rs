//! A connection that is read as its flow allows, and ends when nothing comes for long or nothing is taken.

use crate::serve::flow::Flow;
use std::{
    future::Future,
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{sleep, Instant, Sleep},
};

/// How long a client may send nothing, or read nothing. A WebSocket client answers a ping every 30 seconds, and a
/// request ends within 60.
pub(crate) const IDLE: Duration = Duration::from_secs(120);

/// The connection, and the seat that it takes.
pub(crate) struct Socket<T, S> {
    inner: T,
    _seat: S,
    flow: Arc<Flow>,
    idle: Pin<Box<Sleep>>,
    /// Runs while the head of the next request is not complete, however many bytes of it come.
    head: Pin<Box<Sleep>>,
    heads: u64,
    /// Runs while something that was written waits for the client.
    stuck: Option<Pin<Box<Sleep>>>,
    /// Nothing can be written any more.
    broken: bool,
    longest_idle: Duration,
}

impl<T, S> Socket<T, S> {
    pub(crate) fn new(inner: T, seat: S, flow: Arc<Flow>, longest_idle: Duration) -> Self {
        Self {
            inner,
            _seat: seat,
            flow,
            idle: Box::pin(sleep(longest_idle)),
            head: Box::pin(sleep(longest_idle)),
            heads: 0,
            stuck: None,
            broken: false,
            longest_idle,
        }
    }

    /// Whether the next request's head takes too long.
    fn poll_head(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let Some(heads) = self.flow.heads() else {
            return Poll::Pending;
        };
        if heads != self.heads {
            self.heads = heads;
            if let Some(end) = Instant::now().checked_add(self.longest_idle) {
                self.head.as_mut().reset(end);
            }
        }
        self.head.as_mut().poll(context)
    }
}

impl<T: AsyncRead + Unpin, S: Unpin> AsyncRead for Socket<T, S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.broken {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        if this.poll_head(context).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        if this.flow.poll_room(context).is_ready() {
            if let Poll::Ready(read) = Pin::new(&mut this.inner).poll_read(context, buffer) {
                if let Some(end) = Instant::now().checked_add(this.longest_idle) {
                    this.idle.as_mut().reset(end);
                }
                return Poll::Ready(read);
            }
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
        let this = &mut *self;
        let mut result = Pin::new(&mut this.inner).poll_write(context, bytes);
        if result.is_pending() {
            let longest = this.longest_idle;
            let stuck = this.stuck.get_or_insert_with(|| Box::pin(sleep(longest)));
            let ended = stuck.as_mut().poll(context);
            result = ended.map(|()| Err(io::ErrorKind::TimedOut.into()));
        } else {
            this.stuck = None;
        }
        match result {
            Poll::Ready(Ok(written)) => this.flow.release(written),
            Poll::Ready(Err(_)) => this.broken = true,
            Poll::Pending => {}
        }
        this.flow.wake();
        result
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

    #[tokio::test]
    async fn a_connection_on_which_nothing_comes_ends() {
        let (ours, mut theirs) = duplex(4);
        let mut socket = Socket::new(ours, (), Arc::default(), NO_TIME);
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

    #[tokio::test]
    async fn a_head_that_comes_byte_by_byte_ends_the_connection_and_a_complete_one_does_not() {
        let (ours, mut theirs) = duplex(64);
        let flow = Arc::<Flow>::default();
        let mut socket = Socket::new(ours, (), Arc::clone(&flow), 50 * NO_TIME);
        let start = Instant::now();
        let mut next = async || {
            sleep(5 * NO_TIME).await;
            theirs.write_all(b"a").await.expect("room for it");
            socket.read_u8().await
        };
        // Longer than the limit, with a complete head in between.
        for _ in 0..6 {
            next().await.expect("it may take so long");
        }
        flow.count_head();
        for _ in 0..6 {
            next().await.expect("it may take so long");
        }
        let mut ended = None;
        for _ in 0..40 {
            if let Err(error) = next().await {
                ended = Some(error);
                break;
            }
        }
        let error = ended.expect("it took too long");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(start.elapsed() >= 80 * NO_TIME);
    }

    #[tokio::test]
    async fn a_connection_of_which_nothing_is_taken_ends() {
        let (ours, mut theirs) = duplex(4);
        let mut socket = Socket::new(ours, (), Arc::default(), NO_TIME);
        socket.write_all(b"answ").await.expect("room for it");
        let start = Instant::now();
        let error = socket.write_all(b"er").await.expect_err("nobody takes it");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(start.elapsed() >= NO_TIME);
        theirs.write_all(b"ask").await.expect("room for it");
        let error = socket.read_u8().await.expect_err("it is over");
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
