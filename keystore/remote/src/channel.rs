//! Connections with a deadline for reads and writes.

use rustls::{ClientConnection, ServerConnection, StreamOwned};
use std::{
    io::{self, Read, Write},
    net::TcpStream,
    os::unix::net::UnixStream,
    time::{Duration, Instant},
};

/// A connection. Reads and writes fail with `TimedOut` after the deadline, however slowly the other side sends.
pub trait Channel: Read + Write + Send {
    /// Sets the deadline for reads and writes from now on.
    fn until(&mut self, deadline: Instant);
}

/// A socket with a deadline.
pub struct Timed<S> {
    socket: S,
    deadline: Instant,
}

impl<S> Timed<S> {
    /// A socket with a deadline.
    pub fn new(socket: S, deadline: Instant) -> Self {
        Self { socket, deadline }
    }

    /// The socket.
    pub fn socket(&self) -> &S {
        &self.socket
    }

    /// The remaining time.
    fn left(&self) -> io::Result<Duration> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        // Sockets take zero for no limit.
        if left.is_zero() {
            Err(io::ErrorKind::TimedOut.into())
        } else {
            Ok(left)
        }
    }
}

/// The socket operations that a [`Timed`] needs.
pub trait Socket: Read + Write + Send {
    /// Sets the time limit of a read.
    fn limit_read(&self, to: Duration) -> io::Result<()>;
    /// Sets the time limit of a write.
    fn limit_write(&self, to: Duration) -> io::Result<()>;
}

macro_rules! socket {
    ($($name:ty),*) => {$(
        impl Socket for $name {
            fn limit_read(&self, to: Duration) -> io::Result<()> {
                self.set_read_timeout(Some(to))
            }
            fn limit_write(&self, to: Duration) -> io::Result<()> {
                self.set_write_timeout(Some(to))
            }
        }
    )*};
}
socket!(TcpStream, UnixStream);

/// A socket returns `WouldBlock` after its limit, and `Interrupted` after a signal.
fn until_it_is_done(mut once: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match once() {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                return Err(io::ErrorKind::TimedOut.into());
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

impl<S: Socket> Read for Timed<S> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        until_it_is_done(|| {
            self.socket.limit_read(self.left()?)?;
            self.socket.read(to)
        })
    }
}

impl<S: Socket> Write for Timed<S> {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        until_it_is_done(|| {
            self.socket.limit_write(self.left()?)?;
            self.socket.write(from)
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.socket.flush()
    }
}

impl<S: Socket> Channel for Timed<S> {
    fn until(&mut self, deadline: Instant) {
        self.deadline = deadline;
    }
}

impl<S: Socket> Channel for StreamOwned<ClientConnection, Timed<S>> {
    fn until(&mut self, deadline: Instant) {
        self.sock.deadline = deadline;
    }
}

impl<S: Socket> Channel for StreamOwned<ServerConnection, Timed<S>> {
    fn until(&mut self, deadline: Instant) {
        self.sock.deadline = deadline;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    fn pair(deadline: Duration) -> (Timed<UnixStream>, UnixStream) {
        let (ours, theirs) = UnixStream::pair().unwrap();
        (Timed::new(ours, Instant::now() + deadline), theirs)
    }

    #[test]
    fn a_read_ends_at_the_deadline_though_bytes_come_all_the_time() {
        let (mut ours, mut theirs) = pair(Duration::from_millis(200));
        // One byte every 20 ms: each read is short, but all of them together are not.
        let sender = thread::spawn(move || {
            while theirs.write_all(&[1]).is_ok() {
                thread::sleep(Duration::from_millis(20));
            }
        });
        let began = Instant::now();
        let error = ours.read_exact(&mut [0; 1000]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(began.elapsed() >= Duration::from_millis(200));
        drop(ours);
        sender.join().unwrap();
    }

    #[test]
    fn a_write_that_nobody_reads_ends_at_the_deadline() {
        let (mut ours, _theirs) = pair(Duration::from_millis(50));
        let error = ours.write_all(&vec![0; 4 << 20]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[test]
    fn after_the_deadline_nothing_is_read_though_it_is_there() {
        let (mut ours, mut theirs) = pair(Duration::ZERO);
        theirs.write_all(&[1]).unwrap();
        let error = ours.read(&mut [0]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        ours.until(Instant::now() + Duration::from_secs(5));
        assert_eq!(ours.read(&mut [0]).unwrap(), 1);
    }
}
