//! STATE-5 to STATE-8.

use super::world::{code, insert, refusal, runtime, World};
use crate::{
    Call, CallError, CodeError, Limits, Lookup, Next, Progress, ProvenState, Runtime,
    StateTooLarge, Unsupported, CODE_KEY, CODE_PROBE, MAX_NEEDS,
};
use codec::Encode;
use std::{format, string::ToString, vec, vec::Vec};

fn some(bytes: &[u8]) -> Vec<u8> {
    Some(bytes).encode()
}

/// STATE-5.
#[test]
fn a_runtime_has_the_version_and_the_hash_of_its_code() {
    let runtime = runtime();
    let version = ("test", "test", 1_u32, 7_u32, 0_u32, 0_u8, 1_u32, 1_u8);
    assert_eq!(runtime.version(), version.encode());
    assert_eq!(runtime.code_hash(), sp_crypto_hashing::blake2_256(&code()));
}

/// STATE-5. The proof that nothing is under the key after the code's has the hash of the code, and not the code.
#[test]
fn the_hash_of_the_code_is_proven_without_the_code() {
    let world = World::usual();
    let state = world.proven(&[CODE_PROBE.to_vec()]);
    assert_eq!(state.value(CODE_PROBE), Lookup::Absent);
    assert_eq!(
        state.value_hash(CODE_KEY),
        Lookup::Found(runtime().code_hash())
    );
    assert_eq!(state.value(CODE_KEY), Lookup::Unknown);
    assert!(state.bytes() < 400, "{}", state.bytes());
    let state = world.proven(&[CODE_KEY.to_vec()]);
    assert_eq!(state.value(CODE_KEY), Lookup::Found(&*code()));
}

/// STATE-5.
#[test]
fn what_is_no_runtime_is_refused() {
    let compile = |code: &[u8]| Runtime::compile(code, None).map(drop);
    let no_heap_base = wat::parse_str("(module (memory (export \"memory\") 1))").expect("a module");
    let cut = &code()[..200];
    let not_zstd = [&[82, 188, 83, 118, 70, 219, 142, 5][..], &[1; 40]].concat();
    for bytes in [&[][..], cut, &no_heap_base, &not_zstd] {
        let error = compile(bytes).expect_err("no runtime");
        assert!(matches!(error, CodeError::NotARuntime(_)), "{error}");
    }
}

/// STATE-5.
#[test]
fn a_heap_that_is_too_large_is_refused() {
    let compile = |pages: &[u8]| Runtime::compile(&code(), Some(pages)).map(drop);
    assert_eq!(compile(&100_u64.encode()), Ok(()));
    for pages in [&16_385_u64.encode()[..], &u64::MAX.encode(), &[1; 4], &[]] {
        let error = compile(pages).expect_err("no such heap");
        assert!(
            matches!(error, CodeError::HeapPages { max: 16_384, .. }),
            "{error}"
        );
    }
}

/// STATE-6.
#[test]
fn a_call_reads_entries_and_proves_that_others_are_not_there() {
    let world = World::usual();
    for (key, value) in &world.entries {
        let done = world.call("get", key).expect("an outcome");
        assert_eq!(done.output, some(value));
        assert_eq!(done.rounds, 2);
        assert!(done.read.contains(key));
    }
    for key in [&b"account:"[..], b"account:a1", b"z", b":code\0"] {
        let done = world.call("get", key).expect("an outcome");
        assert_eq!(done.output, [0]);
    }
}

/// STATE-6. What a run guesses is asked for together.
#[test]
fn several_missing_entries_are_asked_for_at_once() {
    let world = World::usual();
    let done = world
        .call("second", b"account:aaccount:h")
        .expect("an outcome");
    assert_eq!(done.output, some(&[7; 63]));
    assert_eq!(done.rounds, 2);
}

/// STATE-6. An outcome with a missing entry is no outcome, also when the call would not have looked at it.
#[test]
fn a_run_without_all_entries_has_no_outcome() {
    let world = World::usual();
    let mut call = Call::new("second", b"account:iaccount:h").expect("a name");
    let state = world.proven(&[b"account:h".to_vec()]);
    let progress = call.run(&runtime(), &state, &Limits::default());
    assert_eq!(progress, Ok(Progress::Needs(vec![b"account:i".to_vec()])));
}

/// STATE-6.
#[test]
fn nodes_of_another_state_prove_nothing() {
    let world = World::usual();
    let other = World::new([
        (b"account:a".to_vec(), vec![1]),
        (b"bond".to_vec(), vec![2]),
    ]);
    let keys = [b"account:a".to_vec()];
    let mut state = world.unknown();
    insert(&mut state, &other.prove(&keys));
    assert!(!state.covers(&keys[0]));
    let mut nodes = world.prove(&keys);
    for node in &mut nodes {
        *node.last_mut().expect("no node is empty") ^= 1;
    }
    insert(&mut state, &nodes);
    assert!(!state.covers(&keys[0]));
    insert(&mut state, &world.prove(&keys));
    assert!(state.covers(&keys[0]));
}

/// STATE-6. Beside a sorted list: every key, and keys around each, with all nodes, or as few as can be.
#[test]
fn the_next_key_is_that_of_a_sorted_list() {
    let world = World::usual();
    let all: Vec<_> = world.entries.keys().cloned().collect();
    let whole = world.proven(&all);
    let mut probes = vec![vec![], vec![0], vec![255; 3]];
    for key in &all {
        probes.extend([
            key.clone(),
            [&key[..], &[0]].concat(),
            [&key[..], &[255]].concat(),
        ]);
        probes.extend([key[..1].to_vec(), key[..key.len() - 1].to_vec()]);
        let mut before = key.clone();
        *before.last_mut().expect("a key") -= 1;
        probes.push(before);
    }
    for probe in probes {
        let expected = all.iter().find(|key| **key > probe);
        let found = match whole.next_key(&probe) {
            Next::Found(key) => Some(key),
            Next::Absent => None,
            Next::Unknown(_) => panic!("every node is there"),
        };
        assert_eq!(found.as_ref(), expected, "after {probe:?}");
        let done = world.call("next", &probe).expect("an outcome");
        assert_eq!(done.output, expected.encode(), "after {probe:?}");
        assert!(done.rounds <= 6, "{} rounds after {probe:?}", done.rounds);
    }
}

/// STATE-6.
#[test]
fn a_trie_of_nothing_has_no_key() {
    let world = World::new([]);
    assert_eq!(world.call("next", b"").expect("an outcome").output, [0]);
    assert_eq!(world.call("get", b"a").expect("an outcome").output, [0]);
}

/// STATE-6.
#[test]
fn a_call_sees_its_own_changes() {
    let world = World::usual();
    let output = |method, key: &[u8]| world.call(method, key).expect("an outcome").output;
    assert_eq!(output("next_of_written", b"azz"), some(b"account:a"));
    assert_eq!(output("next_of_written", b"aaa"), some(b"aaa"));
    assert_eq!(output("next_of_written", b"accoun"), some(b"accoun"));
    assert_eq!(output("append", b"zz"), some(b"\x04zz"));
    assert_eq!(output("next_of_cleared", b"account:"), some(b"accounts"));
    assert_eq!(output("next_of_cleared", b"bonds:"), [0]);
}

/// STATE-6. As the SDK counts: of the state, and not what the call wrote itself.
#[test]
fn entries_are_removed_by_prefix() {
    let world = World::usual();
    for (prefix, count) in [
        ("account:", 9_u32),
        ("account", 10),
        ("bonds:2", 2),
        ("z", 0),
    ] {
        let output = world
            .call("clear", prefix.as_bytes())
            .expect("an outcome")
            .output;
        assert_eq!(output, (0_u8, count).encode(), "{prefix}");
    }
}

/// STATE-6. What was read last time is all that is needed this time.
#[test]
fn the_keys_that_a_call_read_are_enough_for_it() {
    let world = World::usual();
    for (method, parameters) in [
        ("get", &b"account:h"[..]),
        ("second", b"account:aaccount:z"),
        ("next", b"account:c"),
        ("next", b"b"),
        ("next_of_cleared", b"account:"),
        ("clear", b"bonds"),
    ] {
        let done = world.call(method, parameters).expect("an outcome");
        assert!(done.rounds > 1);
        let read: Vec<_> = done.read.iter().cloned().collect();
        let mut call = Call::new(method, parameters).expect("a name");
        let again = call.run(&runtime(), &world.proven(&read), &Limits::default());
        let expected = crate::Done { rounds: 1, ..done };
        assert_eq!(again, Ok(Progress::Done(expected)), "{method}");
    }
}

/// STATE-7.
#[test]
fn what_no_entry_proves_is_refused_by_name() {
    let world = World::usual();
    for (method, unsupported) in [
        ("root", Unsupported::StorageRoot),
        ("child", Unsupported::ChildTrie),
        ("time", Unsupported::Offchain),
    ] {
        let expected = Err(CallError::Unsupported(unsupported));
        assert_eq!(world.call(method, b"a"), expected, "{method}");
    }
    let text = refusal(world.call("unknown", b""));
    assert!(text.contains("ext_of_another_host_version_1"), "{text}");
}

#[test]
fn a_call_that_stops_says_why() {
    let world = World::usual();
    let panicked = |words: &[u8]| match world.call("panic", words) {
        Err(CallError::Panicked(words)) => words,
        other => panic!("{other:?}"),
    };
    assert_eq!(panicked(b"not enough balance"), "not enough balance");
    assert_eq!(panicked(b"a\x1b[2J\n"), "a\\u{1b}[2J\\n");
    let long = panicked(&[b'x'; 5_000]);
    assert_eq!(long, format!("{}…", "x".repeat(300)));
    for method in ["trap", "outside"] {
        let error = world.call(method, b"").expect_err("no outcome");
        assert!(matches!(error, CallError::Trapped(_)), "{error}");
    }
}

#[test]
fn a_function_that_is_not_there_is_named() {
    let method = "Core_execute_block".to_string();
    let expected = CallError::NoFunction { method };
    assert_eq!(
        World::usual().call("Core_execute_block", b""),
        Err(expected)
    );
    for name in ["", "a b", "a\n", "é", &"a".repeat(129)] {
        let error = Call::new(name, b"").expect_err("no name");
        assert!(matches!(error, CallError::Name { .. }), "{error}");
    }
}

/// STATE-8.
#[test]
fn a_call_that_takes_too_much_is_stopped() {
    let world = World::usual();
    let limits = Limits {
        rounds: 2,
        entries: 1_000,
        written: 10_000,
        output: 100,
    };
    let call = |method, parameters: &[u8]| world.call_within(method, parameters, &limits);
    assert_eq!(
        call("look_for_ever", b"bond"),
        Err(CallError::Entries(1_000))
    );
    assert_eq!(
        call("write_for_ever", &[b'a'; 200]),
        Err(CallError::Written(10_000))
    );
    assert!(call("echo", &[1; 100]).is_ok());
    let expected = CallError::Output { max: 100, got: 101 };
    assert_eq!(call("echo", &[1; 101]), Err(expected));
    let once = Limits {
        rounds: 1,
        ..limits
    };
    let call = world.call_within("get", b"bonds:1", &once);
    assert_eq!(call, Err(CallError::Rounds(1)));
}

/// STATE-8.
#[test]
fn a_call_goes_through_many_entries_in_few_rounds() {
    let entries = (0..200_u8).map(|index| (vec![b'k', index], vec![index; 40]));
    let world = World::new(entries);
    let done = world.call("clear", b"k").expect("an outcome");
    assert_eq!(done.output, (0_u8, 200_u32).encode());
    assert!(done.rounds < 10, "{}", done.rounds);
    let mut call = Call::new("clear", b"k").expect("a name");
    let state = world.unknown();
    let progress = call.run(&runtime(), &state, &Limits::default());
    let Ok(Progress::Needs(keys)) = progress else {
        panic!("{progress:?}");
    };
    assert!(keys.len() <= MAX_NEEDS);
}

/// STATE-8.
#[test]
fn a_state_takes_no_more_nodes_than_it_may() {
    let mut state = ProvenState::new([0; 32], 100);
    let nodes = [vec![1; 60], vec![1; 60], vec![2; 40], vec![3; 1]];
    let all = nodes.iter().map(Vec::as_slice);
    assert_eq!(state.insert(all), Err(StateTooLarge { max: 100 }));
    assert_eq!(state.bytes(), 100);
}
