//! How a client handles signers that are dead, slow, misbehaving or another service.

use codec::{DecodeAll, Encode};
use duet_keystore::{Signer, SignerError};
use duet_primitives::{
    testing::TestSet, DualKeyBytes, Pk1Bytes, RoundMessage, SignerIndex, VoteSignature, H256,
};
use duet_remote_signer::{
    read_frame, write_frame, Address, Answer, Call, Hello, HelloError, KeyList, Refusal,
    RemoteError, RemoteSigner, Reply, Request, MAX_ANSWER_LEN, MAX_CONNECTIONS, MAX_REQUEST_LEN,
};
use socket2::{Domain, SockAddr, Socket, Type};
use std::{
    io::{ErrorKind, Read, Write},
    os::unix::net::{UnixListener, UnixStream},
    path::PathBuf,
    sync::mpsc,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// For tests that wait until the deadline passes.
const SHORT: Duration = Duration::from_millis(300);
/// For tests in which the deadline does not pass.
const PATIENT: Duration = Duration::from_secs(60);

struct Place {
    _dir: TempDir,
    path: PathBuf,
}

impl Place {
    fn new() -> Self {
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("s");
        Self { _dir: dir, path }
    }

    fn listen(&self) -> UnixListener {
        UnixListener::bind(&self.path).unwrap()
    }

    fn client(&self, deadline: Duration) -> RemoteSigner {
        RemoteSigner::new(Address::Unix(self.path.clone()), None)
            .unwrap()
            .with_deadline(deadline)
    }

    /// A signer that does something with each connection, in order, and then ends.
    fn serve(&self, acts: Vec<fn(UnixStream)>) -> JoinHandle<()> {
        let listener = self.listen();
        thread::spawn(move || {
            for act in acts {
                act(listener.accept().unwrap().0);
            }
        })
    }
}

fn greet(socket: &mut UnixStream) {
    // A client that never asks fails the test, and does not hang it.
    socket.set_read_timeout(Some(PATIENT)).unwrap();
    Hello::check(&read_frame(socket, Hello::LEN).unwrap()).unwrap();
    write_frame(socket, &Hello::OURS.encode(), Hello::LEN).unwrap();
}

fn request(socket: &mut UnixStream) -> Request {
    Request::from_frame(&read_frame(socket, MAX_REQUEST_LEN).unwrap()).unwrap()
}

fn answer(socket: &mut UnixStream, id: u64, result: Result<Reply, Refusal>) {
    let answer = Answer { id, result }.encode();
    write_frame(socket, &answer, MAX_ANSWER_LEN).unwrap();
}

fn keys(byte: u8) -> Result<Reply, Refusal> {
    Ok(Reply::Keys(
        KeyList::new(vec![DualKeyBytes([byte; 144])]).unwrap(),
    ))
}

/// Waits until the client has closed its side.
fn until_it_leaves(mut socket: UnixStream) {
    let _ = socket.read_to_end(&mut Vec::new());
}

fn remote(error: SignerError) -> RemoteError {
    let SignerError::Unavailable(error) = error else {
        panic!("an error of another kind: {error}");
    };
    *error.downcast().unwrap()
}

/// The error of listing the keys, and that it takes little longer than the deadline.
fn failure(client: &RemoteSigner, deadline: Duration) -> RemoteError {
    let began = Instant::now();
    let error = remote(client.keys().unwrap_err());
    let took = began.elapsed();
    assert!(took < deadline + Duration::from_secs(5), "{took:?}");
    error
}

fn is_no_answer(error: &RemoteError) -> bool {
    matches!(error, RemoteError::NoAnswer { within } if *within == SHORT)
}

#[test]
fn a_signer_that_is_not_there_is_tried_until_the_deadline() {
    let place = Place::new();
    // Long enough for a second attempt on a busy machine.
    let deadline = Duration::from_secs(1);
    for there in [false, true] {
        if there {
            // A socket without a listener.
            drop(place.listen());
        }
        let error = failure(&place.client(deadline), deadline);
        let RemoteError::Connect { to, attempts, .. } = &error else {
            panic!("an error of another kind: {error}");
        };
        assert_eq!(to.to_string(), format!("unix:{}", place.path.display()));
        assert!((2..=6).contains(attempts), "with growing pauses: {error}");
    }
}

#[test]
fn a_signer_that_accepts_and_never_answers_is_left_at_the_deadline() {
    let place = Place::new();
    let silent: fn(UnixStream) = until_it_leaves;
    let greets: fn(UnixStream) = |mut socket| {
        greet(&mut socket);
        until_it_leaves(socket);
    };
    let served = place.serve(vec![silent, greets]);
    let client = place.client(SHORT);
    for _ in 0..2 {
        let began = Instant::now();
        let error = failure(&client, SHORT);
        assert!(is_no_answer(&error), "{error}");
        assert!(began.elapsed() >= SHORT);
    }
    served.join().unwrap();
}

/// A hung process accepts nothing. The system queues its connections until the queue is full, after which a plain
/// `connect` would wait for ever.
#[test]
fn a_signer_that_hangs_for_long_does_not_block_the_client() {
    let place = Place::new();
    let _hangs = place.listen();
    let mut waiting = Vec::new();
    loop {
        let socket = Socket::new(Domain::UNIX, Type::STREAM, None).unwrap();
        socket.set_nonblocking(true).unwrap();
        match socket.connect(&SockAddr::unix(&place.path).unwrap()) {
            Ok(()) => waiting.push(socket),
            Err(error) if error.kind() == ErrorKind::WouldBlock => break,
            Err(error) => panic!("{error}"),
        }
    }
    let error = failure(&place.client(SHORT), SHORT);
    assert!(matches!(error, RemoteError::Connect { .. }), "{error}");
}

#[test]
fn a_late_answer_is_not_taken_for_that_of_the_next_request() {
    let place = Place::new();
    let (asked, was_asked) = mpsc::channel();
    let listener = place.listen();
    let served = thread::spawn(move || {
        let mut first = listener.accept().unwrap().0;
        greet(&mut first);
        let late = request(&mut first);
        // The client has given up before the next one.
        let mut second = listener.accept().unwrap().0;
        greet(&mut second);
        let next = request(&mut second);
        let frame = Answer {
            id: late.id,
            result: keys(1),
        };
        let _ = write_frame(&mut first, &frame.encode(), MAX_ANSWER_LEN);
        answer(&mut second, next.id, keys(2));
        asked.send((late.id, next.id)).unwrap();
    });
    let client = place.client(SHORT);
    assert!(is_no_answer(&failure(&client, SHORT)));
    let client = client.with_deadline(PATIENT);
    assert_eq!(client.keys().unwrap(), [DualKeyBytes([2; 144])]);
    let (late, next) = was_asked.recv().unwrap();
    assert_ne!(late, next);
    served.join().unwrap();
}

#[test]
fn an_answer_to_another_request_is_refused_and_the_connection_left() {
    let place = Place::new();
    let wrong: fn(UnixStream) = |mut socket| {
        greet(&mut socket);
        let id = request(&mut socket).id;
        answer(&mut socket, id + 1, keys(1));
        until_it_leaves(socket);
    };
    let right: fn(UnixStream) = |mut socket| {
        greet(&mut socket);
        let id = request(&mut socket).id;
        answer(&mut socket, id, keys(2));
    };
    let served = place.serve(vec![wrong, right]);
    let client = place.client(PATIENT);
    let error = failure(&client, Duration::ZERO);
    assert!(
        matches!(error, RemoteError::OtherRequest { expected, got } if got == expected + 1),
        "{error}"
    );
    assert_eq!(client.keys().unwrap(), [DualKeyBytes([2; 144])]);
    served.join().unwrap();
}

#[test]
fn an_answer_of_another_kind_is_refused() {
    let place = Place::new();
    let act: fn(UnixStream) = |mut socket| {
        greet(&mut socket);
        for _ in 0..3 {
            let id = request(&mut socket).id;
            answer(&mut socket, id, Ok(Reply::Vote(VoteSignature([1; 112]))));
        }
        let id = request(&mut socket).id;
        answer(&mut socket, id, keys(1));
    };
    let served = place.serve(vec![act]);
    let client = place.client(PATIENT);
    let key = Pk1Bytes([3; 48]);
    let set = TestSet::new(0, 0..2);
    let message = RoundMessage::new(H256::zero(), set.commitment(1, &set.set));
    let signer = SignerIndex::new(1);
    let signed = client.sign_vote(&key, signer, &message).unwrap();
    assert_eq!(signed.commitment, *message.commitment());
    assert_eq!(signed.signer, signer);
    for error in [
        client.keys().unwrap_err(),
        client.prove_possession(&key, b"owner").unwrap_err(),
        client.sign_vote(&key, signer, &message).unwrap_err(),
    ] {
        let error = remote(error);
        assert!(matches!(error, RemoteError::OtherReply), "{error}");
    }
    served.join().unwrap();
}

#[test]
fn an_answer_of_another_kind_is_no_key() {
    let place = Place::new();
    let act: fn(UnixStream) = |mut socket| {
        greet(&mut socket);
        let id = request(&mut socket).id;
        answer(&mut socket, id, keys(1));
    };
    let served = place.serve(vec![act]);
    let error = remote(place.client(PATIENT).generate().unwrap_err());
    assert!(matches!(error, RemoteError::OtherReply), "{error}");
    served.join().unwrap();
}

#[test]
fn garbage_is_refused() {
    let place = Place::new();
    let no_hello: fn(UnixStream) = |mut socket| {
        socket
            .write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            .unwrap();
        until_it_leaves(socket);
    };
    let other_hello: fn(UnixStream) = |mut socket| {
        write_frame(&mut socket, &[7; 10], Hello::LEN).unwrap();
        until_it_leaves(socket);
    };
    let version: fn(UnixStream) = |mut socket| {
        let hello = Hello::with_version(2).encode();
        write_frame(&mut socket, &hello, Hello::LEN).unwrap();
        until_it_leaves(socket);
    };
    let no_answer: fn(UnixStream) = |mut socket| {
        greet(&mut socket);
        write_frame(&mut socket, &[0xff; 40], MAX_ANSWER_LEN).unwrap();
        until_it_leaves(socket);
    };
    let huge: fn(UnixStream) = |mut socket| {
        greet(&mut socket);
        socket.write_all(&u32::MAX.to_le_bytes()).unwrap();
        until_it_leaves(socket);
    };
    let served = place.serve(vec![no_hello, other_hello, version, no_answer, huge]);
    let client = place.client(PATIENT);
    let next = || failure(&client, Duration::ZERO);
    let error = next();
    assert!(matches!(error, RemoteError::Frame(_)), "{error}");
    let error = next();
    assert!(
        matches!(error, RemoteError::Hello(HelloError::OtherService)),
        "{error}"
    );
    let error = next();
    assert!(
        matches!(
            error,
            RemoteError::Hello(HelloError::Version {
                expected: 1,
                got: 2
            })
        ),
        "{error}"
    );
    let error = next();
    assert!(matches!(error, RemoteError::Malformed(_)), "{error}");
    let error = next();
    assert!(matches!(error, RemoteError::Frame(_)), "{error}");
    served.join().unwrap();
}

#[test]
fn a_signer_that_closes_in_the_middle_of_a_frame_is_an_error_at_once() {
    let place = Place::new();
    let act: fn(UnixStream) = |mut socket| {
        greet(&mut socket);
        request(&mut socket);
        socket.write_all(&[100, 0, 0, 0, 1, 2, 3]).unwrap();
    };
    let served = place.serve(vec![act]);
    let error = failure(&place.client(PATIENT), Duration::ZERO);
    assert!(matches!(error, RemoteError::Closed(_)), "{error}");
    served.join().unwrap();
}

#[test]
fn a_signer_that_sends_a_byte_now_and_then_is_left_at_the_deadline() {
    let place = Place::new();
    let act: fn(UnixStream) = |mut socket| {
        greet(&mut socket);
        request(&mut socket);
        let _ = socket.write_all(&1000_u32.to_le_bytes());
        while socket.write_all(&[1]).is_ok() {
            thread::sleep(Duration::from_millis(10));
        }
    };
    let served = place.serve(vec![act]);
    let error = failure(&place.client(SHORT), SHORT);
    assert!(is_no_answer(&error), "{error}");
    served.join().unwrap();
}

/// A machine that lost its power closes no connection.
#[test]
fn after_a_connection_gave_no_answer_the_others_are_not_used_either() {
    let place = Place::new();
    let listener = place.listen();
    let served = thread::spawn(move || {
        let accept = || {
            let mut socket = listener.accept().unwrap().0;
            greet(&mut socket);
            let id = request(&mut socket).id;
            (socket, id)
        };
        // Both are asked before one is answered, so that the client has two connections.
        let mut open = [accept(), accept()];
        for (socket, id) in &mut open {
            answer(socket, *id, keys(1));
        }
        let (mut fresh, id) = accept();
        answer(&mut fresh, id, keys(2));
        drop(open);
    });
    let client = place.client(PATIENT);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| client.keys().unwrap());
        }
    });
    let client = client.with_deadline(SHORT);
    assert!(is_no_answer(&failure(&client, SHORT)));
    let client = client.with_deadline(PATIENT);
    assert_eq!(client.keys().unwrap(), [DualKeyBytes([2; 144])]);
    served.join().unwrap();
}

/// The key may have been made although the answer was lost: a retry would make another one.
#[test]
fn a_request_for_a_key_is_not_sent_twice() {
    let place = Place::new();
    let listener = place.listen();
    let served = thread::spawn(move || {
        let mut first = listener.accept().unwrap().0;
        greet(&mut first);
        let id = request(&mut first).id;
        answer(&mut first, id, keys(1));
        let mut second = listener.accept().unwrap().0;
        greet(&mut second);
        assert_eq!(request(&mut second).call, Call::Generate);
        drop((first, second));
        listener.set_nonblocking(true).unwrap();
        listener
    });
    let client = place.client(PATIENT);
    client.keys().unwrap();
    let error = remote(client.generate().unwrap_err());
    assert!(matches!(error, RemoteError::Closed(_)), "{error}");
    let listener = served.join().unwrap();
    assert!(listener.accept().is_err(), "nobody has come again");
}

/// The one caller too many is served on a connection of another, and none is made for it.
#[test]
fn callers_wait_for_a_connection() {
    let place = Place::new();
    let listener = place.listen();
    let (full, all_taken) = mpsc::channel::<()>();
    let client = place.client(PATIENT);
    thread::scope(|scope| {
        let served = scope.spawn(|| {
            let asked = |_| {
                let mut socket = listener.accept().unwrap().0;
                greet(&mut socket);
                let id = request(&mut socket).id;
                (socket, id)
            };
            let mut asking: Vec<_> = (0..MAX_CONNECTIONS).map(asked).collect();
            full.send(()).unwrap();
            let (mut socket, id) = asking.pop().unwrap();
            answer(&mut socket, id, keys(1));
            let id = request(&mut socket).id;
            answer(&mut socket, id, keys(2));
            for (mut socket, id) in asking {
                answer(&mut socket, id, keys(1));
            }
        });
        for _ in 0..MAX_CONNECTIONS {
            scope.spawn(|| assert_eq!(client.keys().unwrap(), [DualKeyBytes([1; 144])]));
        }
        all_taken.recv().unwrap();
        assert_eq!(client.keys().unwrap(), [DualKeyBytes([2; 144])]);
        served.join().unwrap();
    });
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err(), "no more than there may be");
}

#[test]
fn no_caller_waits_for_a_connection_beyond_the_deadline() {
    let place = Place::new();
    let _nobody_accepts = place.listen();
    let client = place.client(SHORT);
    thread::scope(|scope| {
        for _ in 0..=MAX_CONNECTIONS {
            scope.spawn(|| {
                // The one caller too many has a seat no later than the others leave theirs.
                let error = failure(&client, SHORT);
                let busy = matches!(error, RemoteError::Busy { within } if within == SHORT);
                assert!(busy || is_no_answer(&error), "{error}");
            });
        }
    });
}

#[test]
fn an_answer_can_be_as_long_as_the_longest_list_of_keys() {
    let most =
        (0..256_u32).map(|i| DualKeyBytes(std::array::from_fn(|at| i.to_be_bytes()[at % 4])));
    let result = Ok(Reply::Keys(KeyList::new(most.collect()).unwrap()));
    let answer = Answer { id: 0, result };
    let bytes = answer.encode();
    assert!(bytes.len() <= MAX_ANSWER_LEN as usize);
    assert_eq!(Answer::decode_all(&mut &*bytes), Ok(answer));
}
