//! A chain that took Duet up later is followed from its genesis alone, where GRANDPA's proofs lead to a block with sets.
//! (WARP-1 to WARP-4)

use crate::support::{from, sync, Lie, Program, Server, Warp, MODES};
use codec::Encode;
use duet_light_client::testing::TestChain;
use duet_light_warp::testing::{warp_proof, Block, Digest, TestGrandpa};
use serde_json::json;

/// The newest block that GRANDPA's proofs lead to: the first one of set 2.
const REACHED: u32 = 20;

/// A chain whose voters change twice before that block.
fn chain() -> (TestChain, TestGrandpa) {
    let mut grandpa = TestGrandpa::default();
    let chain = TestChain::without_genesis_set(grandpa.genesis.hash, 4, 5);
    grandpa.blocks[2] = Block::of(chain.start_proof(2).header);
    (chain, grandpa)
}

fn served(grandpa: &TestGrandpa, after: fn(&TestGrandpa, u32) -> Option<Vec<u8>>) -> Warp {
    Warp {
        genesis: grandpa.genesis_proof().encode(),
        after,
        grandpa: grandpa.clone(),
    }
}

/// As a node serves it that has room for two blocks in an answer.
fn in_parts(grandpa: &TestGrandpa, after: u32) -> Option<Vec<u8>> {
    let later = |(block, _): &(&Block, Vec<u8>)| block.number > after;
    let all = grandpa.blocks.iter().zip(grandpa.fragments());
    let mut rest: Vec<_> = all.filter(later).map(|(_, fragment)| fragment).collect();
    let is_finished = rest.len() <= 2;
    rest.truncate(2);
    Some(warp_proof(&rest, is_finished))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_genesis_alone_is_enough_where_grandpa_leads_to_a_block_with_sets() {
    let (chain, grandpa) = chain();
    let server = Server::start_with_warp(&chain, Lie::LaterStart, served(&grandpa, in_parts)).await;
    for mode in MODES {
        let finished = sync(&chain, &[&server.url], mode).await.expect_code(0);
        let warped = finished.named("warped").remove(0);
        let hash = format!("{:?}", grandpa.blocks[2].hash);
        let expected = json!([REACHED, hash, 2, server.url]);
        assert_eq!(
            json!([
                warped["block"],
                warped["hash"],
                warped["changes"],
                warped["url"]
            ]),
            expected
        );
        assert_eq!(finished.named("began")[0]["block"], REACHED);
        assert_eq!(finished.named("synced")[0]["block"], 38);
    }
    assert_eq!(server.calls("duet_getWarpProof"), 4, "two answers a run");
    // The line for people.
    let line = format!("sync {}", from(&chain, &[&server.url]));
    let finished = Program::run(&line).await;
    let finished = finished.expect_code(0);
    let line = "followed GRANDPA from genesis to block 20  2 changes of its voters  0x";
    assert!(finished.stderr.contains(line), "{}", finished.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_knows_no_way_says_where_the_chain_began_and_the_next_is_asked() {
    let (chain, mut grandpa) = chain();
    let none = served(&grandpa, |_, _| None);
    let lacks = Server::start_with_warp(&chain, Lie::LaterStart, none).await;
    let alone = sync(&chain, &[&lacks.url], "").await.expect_code(6);
    assert_eq!(alone.left(), json!(["later_start", "LIGHT-1"]));

    let knows = Server::start_with_warp(&chain, Lie::LaterStart, served(&grandpa, in_parts)).await;
    let both = sync(&chain, &[&lacks.url, &knows.url], "")
        .await
        .expect_code(0);
    assert_eq!(both.named("began")[0]["url"], knows.url.as_str());

    // It leads to a block that this server has no sets of, or not away from the genesis, or nobody votes there, or nobody can follow
    // whoever votes next: it is not to blame.
    grandpa.blocks[2] = grandpa.block(21, 0, Digest::Nothing);
    let old = Server::start_with_warp(&chain, Lie::LaterStart, served(&grandpa, in_parts)).await;
    let nowhere = served(&grandpa, |_, _| Some(warp_proof(&[], true)));
    let nowhere = Server::start_with_warp(&chain, Lie::LaterStart, nowhere).await;
    grandpa.blocks[0] = grandpa.block(5, 0, Digest::Later);
    let change = Server::start_with_warp(&chain, Lie::LaterStart, served(&grandpa, in_parts)).await;
    for server in [&old, &nowhere, &change] {
        let alone = sync(&chain, &[&server.url], "").await.expect_code(6);
        assert_eq!(alone.left(), json!(["later_start", "LIGHT-1"]));
    }
    let voterless = TestGrandpa::with_state(None);
    let other = TestChain::without_genesis_set(voterless.genesis.hash, 4, 5);
    let server =
        Server::start_with_warp(&other, Lie::LaterStart, served(&voterless, in_parts)).await;
    let alone = sync(&other, &[&server.url], "").await.expect_code(6);
    assert_eq!(alone.left(), json!(["later_start", "LIGHT-1"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_lie_about_the_way_is_refused_by_its_own_rule() {
    let (chain, grandpa) = chain();
    let honest = Server::start_with_warp(&chain, Lie::LaterStart, served(&grandpa, in_parts)).await;
    let mut lies = vec![
        (
            "WARP-2",
            served(&grandpa, |grandpa, _| {
                let fragments = grandpa.fragments();
                Some(warp_proof(
                    &[fragments[0].clone(), fragments[0].clone()],
                    true,
                ))
            }),
        ),
        (
            "WARP-3",
            served(&grandpa, |grandpa, _| {
                Some(warp_proof(&grandpa.fragments()[1..], true))
            }),
        ),
        (
            "WARP-4",
            served(&grandpa, |grandpa, _| {
                let mut forged = grandpa.clone();
                forged.blocks[0] = forged.block(5, 1, Digest::Nothing);
                Some(warp_proof(&forged.fragments(), true))
            }),
        ),
        ("ENC-6", served(&grandpa, |_, _| Some(vec![4, 1]))),
        (
            "RPC-1",
            served(&grandpa, |_, _| Some(warp_proof(&[], false))),
        ),
    ];
    let mut other = served(&grandpa, in_parts);
    other.genesis = TestGrandpa::with_voters(Vec::new())
        .genesis_proof()
        .encode();
    lies.push(("WARP-1", other));
    for (rule, warp) in lies {
        let liar = Server::start_with_warp(&chain, Lie::LaterStart, warp).await;
        let alone = sync(&chain, &[&liar.url], "").await.expect_code(3);
        assert_eq!(alone.left(), json!(["lied", rule]));
        let both = sync(&chain, &[&liar.url, &honest.url], "")
            .await
            .expect_code(0);
        assert_eq!(both.named("began")[0]["url"], honest.url.as_str());
    }
}
