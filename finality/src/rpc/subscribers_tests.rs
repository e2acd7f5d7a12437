use super::*;
use crate::{
    block_import,
    rpc::{Duet, DuetRpcServer},
    testing::{reader::TestReader, TestChain, TestClient},
    DuetBlockImport, VoterLinks,
};
use duet_keystore::{Signer, SignerError};
use duet_primitives::{
    testing::TestSet, BlockNumber, DualKeyBytes, Pk1Bytes, PossessionProof, RoundMessage,
    SignerIndex, UncheckedJustification, UncheckedVote, H256,
};
use futures::future::BoxFuture;
use jsonrpsee::{core::EmptyServerParams, MethodsError, RpcModule, Subscription};
use sp_core::{traits::SpawnNamed, Bytes};
use std::future::Future;

/// A signer without keys.
struct NoKeys;

impl Signer for NoKeys {
    fn keys(&self) -> Result<Vec<DualKeyBytes>, SignerError> {
        Ok(Vec::new())
    }

    fn sign_vote(
        &self,
        key: &Pk1Bytes,
        _: SignerIndex,
        _: &RoundMessage,
    ) -> Result<UncheckedVote, SignerError> {
        Err(SignerError::NoKey(*key))
    }

    fn prove_possession(&self, key: &Pk1Bytes, _: &[u8]) -> Result<PossessionProof, SignerError> {
        Err(SignerError::NoKey(*key))
    }
}

/// Runs tasks in the thread of the test.
#[derive(Clone)]
struct Here;

impl SpawnNamed for Here {
    fn spawn_blocking(
        &self,
        _: &'static str,
        _: Option<&'static str>,
        task: BoxFuture<'static, ()>,
    ) {
        tokio::spawn(task);
    }

    fn spawn(&self, _: &'static str, _: Option<&'static str>, task: BoxFuture<'static, ()>) {
        tokio::spawn(task);
    }
}

struct Setup {
    module: RpcModule<Duet>,
    links: VoterLinks,
    metrics: RpcMetrics,
    template: UncheckedJustification,
}

fn setup() -> Setup {
    let chain = TestChain::default();
    let (_, links, rpc): (DuetBlockImport<_, TestClient, ()>, _, _) =
        block_import((), chain.client.clone(), chain.backend.clone(), None);
    let metrics = rpc.metrics.clone();
    let set = TestSet::new(0, 0..4);
    let message = RoundMessage::new(H256::zero(), set.commitment(0, &set.set));
    Setup {
        module: Duet::new(
            rpc,
            Arc::new(TestReader::of_states_from(BlockNumber::ZERO)),
            Arc::new(NoKeys),
            Arc::new(Here),
        )
        .into_rpc(),
        links,
        metrics,
        template: set.justify(&message, 0..3).into_unchecked(),
    }
}

impl Setup {
    async fn subscribe(&self, buffer: usize) -> Result<Subscription, MethodsError> {
        self.subscribe_to("duet_subscribeJustifications", buffer)
            .await
    }

    async fn subscribe_to(
        &self,
        subscription: &str,
        buffer: usize,
    ) -> Result<Subscription, MethodsError> {
        let no_parameters = EmptyServerParams::new();
        self.module
            .subscribe(subscription, no_parameters, buffer)
            .await
    }

    /// Publishes a justification of this block, and lets all tasks run until they wait.
    async fn publish(&self, block: u32) {
        let mut justification = self.template.clone();
        justification.commitment.block_number = BlockNumber::new(block);
        self.links.subscribers.publish(justification);
        settle().await;
    }
}

/// Lets all tasks run until they wait.
async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(test);
}

async fn next(subscription: &mut Subscription) -> u32 {
    let (bytes, _) = subscription.next::<Bytes>().await.unwrap().unwrap();
    let justification: UncheckedJustification = codec::DecodeAll::decode_all(&mut &*bytes).unwrap();
    justification.commitment.block_number.get()
}

#[test]
fn a_subscriber_that_reads_gets_each_justification() {
    run(async {
        let setup = setup();
        setup.publish(1).await;
        let mut subscription = setup.subscribe(4).await.unwrap();
        for block in 2..100 {
            setup.publish(block).await;
            assert_eq!(next(&mut subscription).await, block);
        }
        assert_eq!(setup.metrics.skipped.get(), 0);
    });
}

#[test]
fn a_subscriber_that_does_not_read_skips_to_the_newest_and_what_it_missed_is_counted() {
    run(async {
        let setup = setup();
        // Its connection takes one message.
        let mut subscription = setup.subscribe(1).await.unwrap();
        for block in 1..=1000 {
            setup.publish(block).await;
        }
        assert_eq!(setup.metrics.skipped.get(), 998);
        assert_eq!(next(&mut subscription).await, 1);
        assert_eq!(next(&mut subscription).await, 1000);
        setup.publish(1001).await;
        assert_eq!(next(&mut subscription).await, 1001);
        assert_eq!(setup.metrics.skipped.get(), 998);
    });
}

#[test]
fn a_justification_is_held_once_and_no_longer_than_it_is_the_newest() {
    run(async {
        let setup = setup();
        let newest = setup.links.subscribers.newest();
        let mut unread = Vec::new();
        for _ in 0..MAX_PER_CONNECTION {
            unread.push(setup.subscribe(1).await.unwrap());
        }
        let mut held = Vec::new();
        for block in 1..=10 {
            setup.publish(block).await;
            held.push(Arc::downgrade(
                newest.borrow().proven.as_ref().expect("just published"),
            ));
        }
        let counts: Vec<_> = held.iter().map(std::sync::Weak::strong_count).collect();
        assert_eq!(counts, [0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    });
}

#[test]
fn a_connection_has_a_bounded_number_of_subscriptions() {
    run(async {
        let setup = setup();
        let mut open = Vec::new();
        for _ in 0..MAX_PER_CONNECTION {
            open.push(setup.subscribe(4).await.unwrap());
        }
        assert_eq!(setup.metrics.subscriptions.get(), 16);
        let refused = match setup.subscribe(4).await {
            Err(MethodsError::JsonRpc(error)) => error.code(),
            other => panic!("{other:?}"),
        };
        assert_eq!((refused, setup.metrics.refused.get()), (9007, 1));

        // One that ends makes room for another.
        drop(open.pop());
        settle().await;
        assert_eq!(setup.metrics.subscriptions.get(), 15);
        assert!(setup.subscribe(4).await.is_ok());
        drop(open);
        settle().await;
        assert_eq!(setup.metrics.subscriptions.get(), 0);
    });
}

#[test]
fn connections_do_not_share_their_seats() {
    let seats = Seats::new(RpcMetrics::new(None));
    let mut taken = Vec::new();
    for connection in 0..3 {
        for _ in 0..MAX_PER_CONNECTION {
            taken.push(seats.take(ConnectionId(connection)).unwrap_or_else(|_| {
                panic!("connection {connection} has none yet");
            }));
        }
        let refused = seats.take(ConnectionId(connection)).err();
        assert!(matches!(
            refused,
            Some(RpcError::Subscriptions { most: 16 })
        ));
    }
    drop(taken);
    assert!(seats.taken.lock().is_empty());
}

/// ROUND-9.
#[test]
fn a_proof_that_grows_is_announced_by_a_subscription_of_its_own() {
    run(async {
        let setup = setup();
        let mut newest = setup.subscribe(4).await.unwrap();
        let fuller = "duet_subscribeFullerJustifications";
        let mut fuller = setup.subscribe_to(fuller, 4).await.unwrap();
        assert_eq!(setup.metrics.subscriptions.get(), 2);
        setup.publish(7).await;
        let mut grown = setup.template.clone();
        grown.commitment.block_number = BlockNumber::new(7);
        setup.links.subscribers.publish_fuller(grown);
        setup.publish(8).await;
        assert_eq!(next(&mut fuller).await, 7);
        assert_eq!(next(&mut newest).await, 7);
        assert_eq!(next(&mut newest).await, 8, "the block does not come twice");
    });
}
