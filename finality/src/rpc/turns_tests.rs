use super::*;
use futures::{future::join_all, FutureExt};
use jsonrpsee::types::ErrorObjectOwned;
use std::{
    future::Future,
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc::{channel, Sender},
    },
};
use tokio::{runtime::Builder, sync::mpsc};

fn of(connection: usize) -> Extensions {
    let mut ext = Extensions::new();
    ext.insert(ConnectionId(connection));
    ext
}

fn run(test: impl Future<Output = ()>) {
    Builder::new_current_thread()
        .build()
        .unwrap()
        .block_on(test);
}

/// Calls that report their start, and end on command.
struct Calls {
    turns: Turns,
    began: mpsc::UnboundedSender<(usize, Sender<()>)>,
}

impl Calls {
    fn new(total: usize) -> (Self, mpsc::UnboundedReceiver<(usize, Sender<()>)>) {
        let (began, seen) = mpsc::unbounded_channel();
        let turns = Turns::with_total(RpcMetrics::new(None), total);
        (Self { turns, began }, seen)
    }

    /// A call of a connection, which returns its number.
    fn call(&self, connection: usize) -> tokio::task::JoinHandle<Result<usize, RpcError>> {
        let (turns, began) = (self.turns.clone(), self.began.clone());
        tokio::spawn(async move {
            let work = move || {
                let (end, ended) = channel();
                began.send((connection, end)).unwrap();
                ended.recv().unwrap();
                connection
            };
            turns.run(&of(connection), work).await
        })
    }
}

/// Gives all runnable calls the time to run.
async fn settle() {
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
}

#[test]
fn a_connection_that_asks_for_much_waits_and_others_do_not() {
    run(async {
        let (calls, mut seen) = Calls::new(3);
        let mut first = Vec::from([1, 1, 1, 1].map(|connection| calls.call(connection)));
        let (one, end_one) = seen.recv().await.unwrap();
        let (two, end_two) = seen.recv().await.unwrap();
        assert_eq!((one, two), (1, 1));
        settle().await;
        assert!(seen.try_recv().is_err(), "a third one runs");

        let other = calls.call(2);
        let (three, end_three) = seen.recv().await.unwrap();
        assert_eq!(three, 2);
        end_three.send(()).unwrap();
        assert_eq!(other.await.unwrap().unwrap(), 2);

        // The end of one call lets the next one run, and not two.
        end_one.send(()).unwrap();
        let (_, end_next) = seen.recv().await.unwrap();
        settle().await;
        assert!(seen.try_recv().is_err());
        end_two.send(()).unwrap();
        end_next.send(()).unwrap();
        let (_, end_last) = seen.recv().await.unwrap();
        end_last.send(()).unwrap();
        for call in first.drain(..) {
            assert_eq!(call.await.unwrap().unwrap(), 1);
        }
        assert!(calls.turns.lines.lock().is_empty());
    });
}

#[test]
fn all_connections_together_have_so_many_turns() {
    run(async {
        let (calls, mut seen) = Calls::new(2);
        let open: Vec<_> = (1..=5).map(|connection| calls.call(connection)).collect();
        // A call runs as long as it may be told to end.
        let running = [seen.recv().await.unwrap(), seen.recv().await.unwrap()];
        settle().await;
        assert!(seen.try_recv().is_err());
        drop((open, running));
    });
}

#[test]
fn a_call_too_many_is_refused_until_another_one_has_ended() {
    run(async {
        let (calls, mut seen) = Calls::new(2);
        let open: Vec<_> = (0..MAX_OPEN).map(|_| calls.call(7)).collect();
        settle().await;
        let one_more = calls.call(7);
        settle().await;
        assert!(one_more.is_finished(), "it waits");
        let refused = one_more.await.unwrap().unwrap_err();
        assert_eq!(
            refused.to_string(),
            "this connection has reached the limit of 64 calls that run or wait"
        );
        assert_eq!(ErrorObjectOwned::from(refused).code(), 9010);
        assert_eq!(calls.turns.metrics.refused_calls.get(), 1);
        // Another connection has its own line.
        assert!(calls.call(8).now_or_never().is_none());

        let ends = async {
            while let Some((_, end)) = seen.recv().await {
                end.send(()).unwrap();
            }
        };
        let answers = join_all(open);
        futures::pin_mut!(ends);
        let answers = match futures::future::select(answers, ends).await {
            futures::future::Either::Left((answers, _)) => answers,
            futures::future::Either::Right(_) => panic!("the calls are open"),
        };
        assert!(answers.iter().all(|answer| matches!(answer, Ok(Ok(7)))));
        assert!(!calls.turns.lines.lock().contains_key(&7));
    });
}

#[test]
fn who_goes_away_gives_a_place_back_and_a_turn_when_the_work_ends() {
    run(async {
        let (calls, mut seen) = Calls::new(2);
        let running = calls.call(1);
        let (_, end) = seen.recv().await.unwrap();
        let second = calls.call(1);
        let (_, end_second) = seen.recv().await.unwrap();
        let waiting = calls.call(1);
        settle().await;
        let open = || calls.turns.lines.lock().get(&1).map_or(0, |line| line.open);
        assert_eq!(open(), 3);
        for call in [&running, &waiting] {
            call.abort();
        }
        settle().await;
        assert_eq!(open(), 2);
        assert_eq!(calls.turns.all.available_permits(), 0);
        for end in [end, end_second] {
            end.send(()).unwrap();
        }
        second.await.unwrap().unwrap();
        // The thread of the work gives back its place in the line, and then the turn.
        while open() > 0 || calls.turns.all.available_permits() < 2 {
            tokio::task::yield_now().await;
        }
    });
}

#[test]
fn work_that_panics_gives_its_turn_back() {
    run(async {
        let turns = Turns::with_total(RpcMetrics::new(None), 1);
        let ran = Arc::new(AtomicUsize::new(0));
        for _ in 0..3 {
            let ran = ran.clone();
            let ext = of(1);
            let work = move || -> () {
                ran.fetch_add(1, Ordering::Relaxed);
                panic!("a fault");
            };
            let failed = turns.run(&ext, work).await;
            assert!(matches!(failed, Err(RpcError::NoAnswer)));
        }
        assert_eq!(ran.load(Ordering::Relaxed), 3);
    });
}
