//! The age of the newest trusted block. (LIGHT-9, STATE-1, STATE-2)

use super::{builder::Builder, state::hexes};
use crate::format::{hexed, File};
use duet_light_client::{testing::TestBlocks, Dated};
use serde_json::{json, Value};

const NEWEST: u32 = 41;
/// The block's time in milliseconds.
const TIME: u64 = 1_700_000_000_000;
/// Three weeks, in seconds.
const PERIOD: u64 = 1_814_400;
/// 2⁶⁴ − 1 milliseconds, in whole seconds; one more overflows 64 bits as milliseconds.
const LONGEST: u64 = u64::MAX / 1000;

pub(super) fn file() -> File {
    let mut builder = Builder::new(
        "age",
        "The time and the trusting period in the state of the newest trusted block, and its age.",
    );
    let world = stating(Some(TIME), Some(PERIOD));
    builder.share("header", &world.headers[NEWEST as usize]);
    periods(&mut builder);
    clocks(&mut builder);
    extremes(&mut builder);
    without_time(&mut builder);
    refused_headers(&mut builder, &world);
    refused_nodes(&mut builder, &world);
    builder.file()
}

/// Blocks in whose state these values are under the two keys, among others.
fn blocks(values: [Option<Vec<u8>>; 2]) -> TestBlocks {
    let keys = Dated::keys();
    let mut entries = vec![];
    for (key, value) in keys.into_iter().zip(values) {
        let neighbours = (0..4_u8).map(|fill| [&key[..16], &[fill << 6; 16]].concat());
        entries.extend(neighbours.map(|key| (key, b"the value of a neighbour".to_vec())));
        entries.extend(value.map(|value| (key.to_vec(), value)));
    }
    TestBlocks::new(0, NEWEST, entries)
}

/// Blocks whose state has these numbers.
fn stating(time: Option<u64>, period: Option<u64>) -> TestBlocks {
    let bytes = |number: u64| number.to_le_bytes().to_vec();
    blocks([time.map(bytes), period.map(bytes)])
}

fn input(world: &TestBlocks, now: u64, given: Option<u64>) -> Value {
    let mut input = json!({
        "block_number": NEWEST,
        "block_hash": hexed(world.hash()),
        "header": hexed(&world.headers[NEWEST as usize]),
        "nodes": hexes(world.nodes(&Dated::keys())),
        "now": now.to_string(),
    });
    if let Some(given) = given {
        input["given"] = json!(given.to_string());
    }
    input
}

fn at(age: u64) -> u64 {
    TIME + age * 1000
}

/// Of two periods the shorter one counts, and 0 in the state is none.
fn periods(builder: &mut Builder) {
    let (less, more) = (Some(PERIOD - 10), Some(PERIOD + 10));
    for (id, stated, given, last) in [
        ("the state's period", Some(PERIOD), None, PERIOD),
        ("a shorter given period", Some(PERIOD), less, PERIOD - 10),
        ("a longer given period", Some(PERIOD), more, PERIOD),
        ("two equal periods", Some(PERIOD), Some(PERIOD), PERIOD),
        ("only a given period", None, Some(PERIOD), PERIOD),
        ("a given period beside 0", Some(0), Some(PERIOD), PERIOD),
        ("a period of one second", Some(1), None, 1),
    ] {
        let world = stating(Some(TIME), stated);
        let exactly = input(&world, at(last), given);
        builder.holds(&format!("{id}, exactly that old"), "age", exactly);
        let over = input(&world, at(last) + 1, given);
        let id = format!("{id}, a millisecond older");
        builder.breaks("LIGHT-9", &id, "age", over);
    }
    for (id, stated) in [("no period", None), ("a period of 0", Some(0))] {
        let world = stating(Some(TIME), stated);
        for (age, seconds) in [("young", 6), ("a century old", 100 * 365 * 86_400)] {
            let input = input(&world, at(seconds), None);
            builder.holds(&format!("{id}, {age}"), "age", input);
        }
    }
}

/// The age is in whole seconds, and 0 when the clock is behind.
fn clocks(builder: &mut Builder) {
    let world = stating(Some(TIME), Some(PERIOD));
    for (id, now) in [
        ("a young block", at(6)),
        ("a clock at the block's time", TIME),
        ("a clock 999 ms later", TIME + 999),
        ("a clock 1 999 ms later", TIME + 1999),
        ("a clock 1 ms behind", TIME - 1),
        ("a clock that is behind by more than the period", at(0) / 2),
        ("a clock at 0", 0),
    ] {
        builder.holds(id, "age", input(&world, now, None));
    }
}

fn extremes(builder: &mut Builder) {
    const MAX: u64 = u64::MAX;
    let over = LONGEST + 1;
    for (id, time, stated, given, now) in [
        ("all numbers 0", 0, Some(0), None, 0),
        ("time 0", 0, Some(PERIOD), None, 6000),
        ("the latest time", MAX, Some(PERIOD), None, TIME),
        ("the latest time and clock", MAX, Some(1), None, MAX),
        ("a period above 2⁶⁴ ms", TIME, Some(over), None, at(6)),
        ("a given period above 2⁶⁴ ms", TIME, None, Some(over), at(6)),
    ] {
        let world = stating(Some(time), stated);
        builder.holds(id, "age", input(&world, now, given));
    }
    let mut by_latest_clock = |id: &str, time, [stated, given]: [Option<u64>; 2], holds| {
        let id = format!("the greatest age, {id}");
        let input = input(&stating(Some(time), stated), MAX, given);
        if holds {
            builder.holds(&id, "age", input);
        } else {
            builder.breaks("LIGHT-9", &id, "age", input);
        }
    };
    by_latest_clock("no period", 0, [None, None], true);
    by_latest_clock("the longest period", 0, [Some(MAX), None], true);
    by_latest_clock("the longest given period", 0, [None, Some(MAX)], true);
    by_latest_clock("both the longest", 0, [Some(MAX); 2], true);
    by_latest_clock("a short period", 0, [Some(1), Some(MAX)], false);
    by_latest_clock("a short given period", 0, [Some(MAX), Some(1)], false);
    // In whole seconds, so that the period ends exactly then.
    let (time, less) = (MAX % 1000, LONGEST - 1);
    by_latest_clock("exactly the period", time, [Some(LONGEST), None], true);
    by_latest_clock("a second more", time, [Some(less), None], false);
    by_latest_clock("a second more than given", time, [None, Some(less)], false);
}

/// A block whose time is not proven is too old, with a period and without.
fn without_time(builder: &mut Builder) {
    for (id, stated, given) in [
        ("no time", Some(PERIOD), None),
        ("no time and no period", None, None),
        ("no time and a period of 0", Some(0), None),
        ("no time and a given period", None, Some(PERIOD)),
    ] {
        let input = input(&stating(None, stated), TIME, given);
        builder.breaks("LIGHT-9", id, "age", input);
    }
    for len in [0, 1, 4, 7, 9, 16, 40] {
        let time = TIME.to_le_bytes().into_iter().chain([0; 32]).take(len);
        let period = PERIOD.to_le_bytes().to_vec();
        let unreadable = blocks([
            Some(TIME.to_le_bytes().to_vec()),
            Some(time.clone().collect()),
        ]);
        let id = format!("a period of {len} bytes");
        builder.breaks("LIGHT-9", &id, "age", input(&unreadable, TIME, None));
        for (id, period) in [("", Some(period)), (" and no period", None)] {
            let world = blocks([Some(time.clone().collect()), period]);
            let id = format!("a time of {len} bytes{id}");
            builder.breaks("LIGHT-9", &id, "age", input(&world, TIME, None));
        }
    }
}

fn refused_headers(builder: &mut Builder, world: &TestBlocks) {
    let younger = stating(Some(at(PERIOD)), Some(PERIOD));
    let header = |world: &TestBlocks, number: u32| json!(hexed(&world.headers[number as usize]));
    let mut refused = |id: &str, age: u64, change: &dyn Fn(&mut Value)| {
        let mut input = input(world, at(age), None);
        change(&mut input);
        builder.breaks("STATE-1", id, "age", input);
    };
    refused("the header of the block before", 6, &|input| {
        input["header"] = header(world, NEWEST - 1);
    });
    refused("another header of an old block", PERIOD + 1, &|input| {
        input["header"] = header(world, NEWEST - 1);
    });
    refused(
        "header and nodes of a younger block",
        PERIOD + 1,
        &|input| {
            input["header"] = header(&younger, NEWEST);
            input["nodes"] = json!(hexes(younger.nodes(&Dated::keys())));
        },
    );
    refused("another block hash", 6, &|input| {
        input["block_hash"] = json!(hexed(younger.hash()));
    });
    refused("another block number", 6, &|input| {
        input["block_number"] = json!(NEWEST + 1);
    });
}

fn refused_nodes(builder: &mut Builder, world: &TestBlocks) {
    let [time, period] = Dated::keys();
    let nodes = world.nodes(&Dated::keys());
    let mut refused = |id: &str, age: u64, nodes: &[Vec<u8>]| {
        let mut input = input(world, at(age), None);
        input["nodes"] = json!(hexes(nodes));
        builder.breaks("STATE-2", id, "age", input);
    };
    for at in 0..nodes.len() {
        let mut fewer = nodes.clone();
        fewer.remove(at);
        refused(&format!("without node {at}"), 6, &fewer);
        let mut changed = nodes.clone();
        *changed[at].last_mut().expect("a node") ^= 1;
        refused(&format!("node {at} with another last byte"), 6, &changed);
    }
    refused("without node 0 of an old block", PERIOD + 1, &nodes[1..]);
    refused("only the nodes of the time", 6, &world.nodes(&[time]));
    refused("only the nodes of the period", 6, &world.nodes(&[period]));
    refused("no nodes", 6, &[]);
    let younger = stating(Some(at(PERIOD)), Some(PERIOD));
    let younger = younger.nodes(&Dated::keys());
    refused("nodes of a state with a later time", PERIOD + 1, &younger);
    let longer = stating(Some(TIME), None).nodes(&Dated::keys());
    refused("nodes of a state without a period", PERIOD + 1, &longer);
    let neighbour = [&time[..16], &[0; 16]].concat();
    let three = world.nodes(&[time, period, &neighbour]);
    assert!(three.len() > nodes.len(), "the neighbour has its own node");
    refused("the nodes of one more key", 6, &three);
    for (id, extra) in [
        ("a node of no use", b"of no use".to_vec()),
        ("a node twice", nodes[0].clone()),
    ] {
        let more: Vec<_> = nodes.iter().cloned().chain([extra]).collect();
        refused(id, 6, &more);
    }
}
