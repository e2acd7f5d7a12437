//! How a signer treats clients that break the protocol.

mod support;

use codec::{DecodeAll, Encode};
use duet_keystore::Signer;
use duet_remote_signer::{
    read_frame, write_frame, Address, Answer, Call, Hello, HelloError, Refusal, Reply, Request,
    MAX_ANSWER_LEN, MAX_REQUEST_LEN,
};
use std::{
    io::{Read, Write},
    os::unix::net::UnixStream,
    time::{Duration, Instant},
};
use support::{Site, Transport, PATIENT};

fn site() -> Site {
    Site::new(Transport::Unix)
}

/// A connection before the hello.
fn connect(site: &Site) -> UnixStream {
    let Address::Unix(path) = &site.address else {
        panic!("no socket");
    };
    let socket = UnixStream::connect(path).unwrap();
    socket.set_read_timeout(Some(PATIENT)).unwrap();
    socket
}

/// A connection after both hellos.
fn greeted(site: &Site) -> UnixStream {
    let mut socket = connect(site);
    write_frame(&mut socket, &Hello::OURS.encode(), Hello::LEN).unwrap();
    Hello::check(&read_frame(&mut socket, Hello::LEN).unwrap()).unwrap();
    socket
}

fn ask(socket: &mut UnixStream, request: &[u8]) -> Answer {
    write_frame(socket, request, MAX_REQUEST_LEN).unwrap();
    let frame = read_frame(socket, MAX_ANSWER_LEN).unwrap();
    Answer::decode_all(&mut &*frame).unwrap()
}

/// Asserts that the signer closed the connection without another message.
fn assert_closed(socket: &mut UnixStream) {
    let mut rest = Vec::new();
    // Unread input turns the end into a reset.
    if let Err(error) = socket.read_to_end(&mut rest) {
        assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
    }
    assert!(rest.is_empty(), "{rest:?}");
}

#[test]
fn answers_have_the_number_of_their_request_and_come_in_order() {
    let mut site = site();
    let _running = site.start();
    let mut socket = greeted(&site);
    for id in [7, 0, u64::MAX, 7] {
        let call = Call::Keys;
        let answer = ask(&mut socket, &Request { id, call }.encode());
        assert_eq!(answer.id, id);
        assert!(matches!(answer.result, Ok(Reply::Keys(_))));
    }
}

#[test]
fn a_client_of_another_version_is_told_ours_and_let_go() {
    let mut site = site();
    let _running = site.start();
    let mut socket = connect(&site);
    let hello = Hello::with_version(2).encode();
    write_frame(&mut socket, &hello, Hello::LEN).unwrap();
    let theirs = read_frame(&mut socket, Hello::LEN).unwrap();
    assert_eq!(theirs, Hello::OURS.encode());
    assert_closed(&mut socket);
}

#[test]
fn who_does_not_say_hello_gets_no_answer() {
    let mut site = site();
    let _running = site.start();
    for first in [
        &b"GET / HTTP/1.1\r\n\r\n"[..],
        &[10, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
        &[9, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        &[0, 0, 0, 0],
    ] {
        let mut socket = connect(&site);
        socket.write_all(first).unwrap();
        assert_closed(&mut socket);
    }
    let error = Hello::check(&[1; 10]).unwrap_err();
    assert_eq!(error, HelloError::OtherService);
    site.client().keys().unwrap();
}

#[test]
fn a_request_that_does_not_decode_is_refused_and_ends_the_connection() {
    let mut site = site();
    let _running = site.start();
    let good = Request {
        id: 5,
        call: Call::Keys,
    };
    let good = good.encode();
    let longer = [&good[..], &[0]].concat();
    let unknown = (5_u64, 4_u8).encode();
    let cut = (5_u64, 1_u8).encode();
    // An owner that claims four gigabytes.
    let greedy = (5_u64, 2_u8, [0_u8; 48], [3_u8, 0xff, 0xff, 0xff, 0xff]).encode();
    for bad in [longer, unknown, cut, greedy] {
        let mut socket = greeted(&site);
        let answer = ask(&mut socket, &bad);
        let result = Err(Refusal::Malformed);
        assert_eq!(answer, Answer { id: 5, result });
        assert_closed(&mut socket);
    }
    // Too short for a request number.
    let mut socket = greeted(&site);
    write_frame(&mut socket, &[1, 2, 3], MAX_REQUEST_LEN).unwrap();
    assert_closed(&mut socket);
}

#[test]
fn a_frame_that_claims_to_be_too_long_ends_the_connection_at_once() {
    let mut site = site();
    let _running = site.start();
    for claimed in [MAX_REQUEST_LEN + 1, u32::MAX] {
        let mut socket = greeted(&site);
        socket.write_all(&claimed.to_le_bytes()).unwrap();
        assert_closed(&mut socket);
    }
}

#[test]
fn who_says_nothing_is_let_go() {
    let mut site = site();
    site.limits.greeting = Duration::from_millis(50);
    site.limits.idle = Duration::from_millis(200);
    let _running = site.start();
    let began = Instant::now();
    assert_closed(&mut connect(&site));
    let before_hello = began.elapsed();
    assert!(before_hello >= Duration::from_millis(50));
    let began = Instant::now();
    let mut socket = greeted(&site);
    // In the middle of a frame, the timeout is the same.
    socket.write_all(&[9, 0]).unwrap();
    assert_closed(&mut socket);
    assert!(began.elapsed() >= Duration::from_millis(200));
}

#[test]
fn a_client_that_the_signer_found_idle_connects_anew() {
    let mut site = site();
    site.limits.idle = Duration::from_millis(50);
    let _running = site.start();
    let client = site.client();
    client.keys().unwrap();
    std::thread::sleep(Duration::from_millis(200));
    client.keys().unwrap();
}

#[test]
fn one_client_more_than_there_may_be_is_let_in_when_another_leaves() {
    let mut site = site();
    site.limits.connections = 2;
    let _running = site.start();
    let mut first = greeted(&site);
    let _second = greeted(&site);
    let mut third = connect(&site);
    write_frame(&mut third, &Hello::OURS.encode(), Hello::LEN).unwrap();
    assert_closed(&mut third);
    let keys = Request {
        id: 1,
        call: Call::Keys,
    };
    assert!(ask(&mut first, &keys.encode()).result.is_ok());
    drop(first);
    // Until the signer has noticed, this is refused and tried again.
    site.client().keys().unwrap();
}

#[test]
fn strangers_who_say_nothing_do_not_keep_a_client_out() {
    let mut site = site();
    site.limits.connections = 2;
    site.limits.greeting = PATIENT * 2;
    let _running = site.start();
    let mut silent: Vec<_> = (0..4).map(|_| connect(&site)).collect();
    site.client().keys().unwrap();
    assert_closed(&mut silent[0]);
}

#[test]
fn stopping_ends_all_connections_and_removes_the_socket() {
    let mut site = site();
    let running = site.start();
    let (mut silent, mut idle) = (connect(&site), greeted(&site));
    let Address::Unix(path) = site.address.clone() else {
        panic!("no socket");
    };
    assert!(path.exists());
    running.stop();
    assert_closed(&mut silent);
    assert_closed(&mut idle);
    assert!(!path.exists());
}
