use super::*;
use crate as pallet_message_board;
use bp_messages::{
    source_chain::SendMessageArtifacts, target_chain::DispatchMessageData, LegacyLaneId,
    MessageKey, MessageNonce,
};
use frame_support::{
    assert_noop, assert_ok, construct_runtime, derive_impl,
    storage::unhashed,
    traits::{ConstU32, ConstU64},
};
use sp_runtime::{BoundedVec, DispatchError};

/// How long a message may be, and how many may wait.
const LENGTH: u32 = 8;
const WAITING: MessageNonce = 2;

const LANE: LegacyLaneId = LegacyLaneId([0, 0, 0, 1]);

construct_runtime!(
    pub enum Test {
        System: frame_system,
        Board: pallet_message_board,
    }
);

#[derive_impl(frame_system::config_preludes::TestDefaultConfig)]
impl frame_system::Config for Test {
    type Block = frame_system::mocking::MockBlock<Self>;
}

frame_support::parameter_types! {
    pub const Lane: LegacyLaneId = LANE;
}

impl Config for Test {
    type LaneId = LegacyLaneId;
    type Bridge = Queue;
    type Lane = Lane;
    type MaxLength = ConstU32<LENGTH>;
    type MaxWaiting = ConstU64<WAITING>;
}

/// Messages that wait, in the state. It is closed while `closed` is set there.
pub struct Queue;

impl Queue {
    fn messages() -> Vec<Vec<u8>> {
        unhashed::get_or_default(b"queue")
    }
}

impl MessagesBridge<Vec<u8>, LegacyLaneId> for Queue {
    type Error = ();
    type SendMessageArgs = Vec<u8>;

    fn validate_message(lane: LegacyLaneId, message: &Vec<u8>) -> Result<Vec<u8>, ()> {
        let is_open = lane == LANE && !unhashed::exists(b"closed");
        is_open.then(|| message.clone()).ok_or(())
    }

    fn send_message(message: Vec<u8>) -> SendMessageArtifacts {
        let mut messages = Self::messages();
        messages.push(message);
        unhashed::put(b"queue", &messages);
        SendMessageArtifacts {
            nonce: messages.len() as u64,
            enqueued_messages: messages.len() as u64,
        }
    }
}

fn test(body: impl FnOnce()) {
    sp_io::TestExternalities::default().execute_with(|| {
        System::set_block_number(1);
        body();
    });
}

fn post(message: &[u8]) -> frame_support::dispatch::DispatchResult {
    let message = BoundedVec::try_from(message.to_vec()).expect("it is short enough");
    Board::post(RuntimeOrigin::signed(1), message)
}

#[test]
fn messages_are_posted_until_as_many_wait_as_may() {
    test(|| {
        assert_ok!(post(b"one"));
        System::assert_last_event(Event::Posted { who: 1, nonce: 1 }.into());
        assert_ok!(post(b""));
        assert_noop!(post(b"three"), Error::<Test>::Full);
        assert_eq!(Queue::messages(), [b"one".to_vec(), Vec::new()]);
    });
}

#[test]
fn a_closed_lane_takes_nothing() {
    test(|| {
        unhashed::put(b"closed", &());
        assert_noop!(post(b"one"), Error::<Test>::Closed);
    });
}

#[test]
fn nobody_posts_without_an_account() {
    test(|| {
        for origin in [RuntimeOrigin::none(), RuntimeOrigin::root()] {
            assert_noop!(
                Board::post(origin, BoundedVec::new()),
                DispatchError::BadOrigin
            );
        }
        assert!(Queue::messages().is_empty());
    });
}

fn arriving(payload: Result<Vec<u8>, codec::Error>) -> DispatchMessage<Vec<u8>, LegacyLaneId> {
    DispatchMessage {
        key: MessageKey {
            lane_id: LANE,
            nonce: 7,
        },
        data: DispatchMessageData { payload },
    }
}

#[test]
fn what_arrives_is_shown() {
    test(|| {
        let longest = vec![3; LENGTH as usize];
        let _ = Board::dispatch(arriving(Ok(longest.clone())));
        let expected = Event::Received {
            nonce: 7,
            message: longest,
        };
        System::assert_last_event(expected.into());
    });
}

#[test]
fn what_is_no_message_is_skipped() {
    for payload in [Ok(vec![3; LENGTH as usize + 1]), Err("no bytes".into())] {
        test(|| {
            let _ = Board::dispatch(arriving(payload));
            System::assert_last_event(Event::Unreadable { nonce: 7 }.into());
        });
    }
}

#[test]
fn other_lanes_are_not_served() {
    assert!(Board::is_active(LANE));
    assert!(!Board::is_active(LegacyLaneId([0, 0, 0, 2])));
}

#[test]
fn longer_messages_weigh_more() {
    let [short, long] = [0, LENGTH as usize].map(Board::post_weight);
    assert!(long.ref_time() > short.ref_time());
    let mut message = arriving(Ok(Vec::new()));
    assert!(Board::dispatch_weight(&mut message).ref_time() > 0);
}
