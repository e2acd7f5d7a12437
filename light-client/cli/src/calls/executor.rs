//! Runs calls, and proves what they need.
//!
//! A run is work for a thread of its own: the executor counts no steps, so a run may take any time. One that takes too
//! long is left alone, and holds its seat until it ends.

use crate::calls::{
    code_file::CodeFile,
    function::Function,
    habits::Habits,
    stopped::{Stopped, Unanswered},
};
use duet_light_calls::{
    Call, Limits, Lookup, Progress, ProvenState, Runtime, CODE_KEY, CODE_PROBE, HEAP_PAGES_KEY,
};
use duet_primitives::H256;
use std::{
    collections::{BTreeSet, VecDeque},
    future::Future,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};
use tokio::sync::{oneshot, OwnedSemaphorePermit, Semaphore};

/// How long one run may take.
const RUN_WITHIN: Duration = Duration::from_secs(30);
/// How many run at a time.
const SEATS: usize = 4;
/// How many compiled runtimes are kept: the present one, and the one before an upgrade.
const RUNTIMES: usize = 2;
/// The most bytes of nodes for one call, besides those of the code.
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// The most bytes of the nodes that prove the code.
const MAX_CODE_BYTES: usize = duet_light_client::MAX_STATE_BYTES;

/// Proves entries of one state.
pub(crate) trait Prove {
    type Error;

    /// The root of the state, of a block that is proven.
    fn root(&self) -> H256;

    /// The trie nodes of these keys, checked.
    fn prove(
        &self,
        keys: &[&[u8]],
    ) -> impl Future<Output = Result<Vec<Vec<u8>>, Self::Error>> + Send;
}

/// The outcome of a call.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) output: Vec<u8>,
    /// The hash of the code that was executed.
    pub(crate) code: H256,
    /// How many keys were proven for it, besides the code.
    pub(crate) entries: usize,
    /// How many proofs were fetched.
    pub(crate) proofs: u32,
    /// The trie nodes of these proofs, without the code.
    pub(crate) nodes: Vec<Vec<u8>>,
}

/// Executes calls.
pub(crate) struct Calls {
    /// Each with the entry of its heap pages.
    runtimes: Mutex<VecDeque<(Vec<u8>, Runtime)>>,
    loading: tokio::sync::Mutex<()>,
    habits: Mutex<Habits>,
    seats: Arc<Semaphore>,
    file: Option<CodeFile>,
}

impl Calls {
    /// Keeps the code, and the keys that calls read, beside this state file.
    pub(crate) fn new(state: Option<&Path>) -> Self {
        Self {
            runtimes: Mutex::default(),
            loading: tokio::sync::Mutex::default(),
            habits: Mutex::new(state.map(Habits::beside).unwrap_or_default()),
            seats: Arc::new(Semaphore::new(SEATS)),
            file: state.map(CodeFile::beside),
        }
    }

    /// Calls a function over a state.
    pub(crate) async fn call<P: Prove + Sync>(
        &self,
        prover: &P,
        function: &Function,
    ) -> Result<Outcome, Unanswered<P::Error>> {
        let mut call = Call::new(&function.name, &function.parameters)?;
        let mut proving = Proving::new(prover);
        // With the proof of what the code is goes what this function read last time.
        let habit = lock(&self.habits).of(&function.name);
        let fetched = proving.fetch(&habit).await;
        if fetched.is_err() && !habit.is_empty() {
            lock(&self.habits).forget(&function.name);
        }
        fetched?;
        let runtime = self.runtime(&proving).await?;
        loop {
            let (state, executed) = (proving.take(), runtime.clone());
            let work = move || {
                let progress = call.run(&executed, &state, &Limits::default());
                (call, state, progress)
            };
            let progress;
            (call, proving.state, progress) = self.run(work).await?;
            match progress? {
                Progress::Needs(keys) => proving.fetch(&keys).await?,
                Progress::Done(done) => {
                    let code = H256(runtime.code_hash());
                    lock(&self.habits).learn(code, &function.name, &done.read);
                    return Ok(Outcome {
                        output: done.output,
                        code,
                        entries: done.read.len(),
                        proofs: proving.proofs,
                        nodes: proving.nodes.into_iter().collect(),
                    });
                }
            }
        }
    }

    /// The version of the runtime of a state, as `Core_version` returns it.
    pub(crate) async fn version<P: Prove + Sync>(
        &self,
        prover: &P,
    ) -> Result<Vec<u8>, Unanswered<P::Error>> {
        let mut proving = Proving::new(prover);
        proving.fetch(&[]).await?;
        let runtime = self.runtime(&proving).await?;
        Ok(runtime.version().to_vec())
    }

    /// The runtime of a state whose code's hash is proven: one that was compiled before, or whose code was kept, or
    /// whose code is fetched now.
    async fn runtime<P: Prove + Sync>(
        &self,
        proving: &Proving<'_, P>,
    ) -> Result<Runtime, Unanswered<P::Error>> {
        let hash = match proving.state.value_hash(CODE_KEY) {
            Lookup::Found(hash) => H256(hash),
            Lookup::Absent | Lookup::Unknown => return Err(Stopped::NoCode.into()),
        };
        let pages = match proving.state.value(HEAP_PAGES_KEY) {
            Lookup::Found(pages) => Some(pages.to_vec()),
            Lookup::Absent | Lookup::Unknown => None,
        };
        // Calls that come together wait for one code.
        let _loading = self.loading.lock().await;
        if let Some(runtime) = self.compiled(hash, pages.as_deref()) {
            return Ok(runtime);
        }
        let code = match self.file.as_ref().and_then(|file| file.read(hash)) {
            Some(code) => code,
            None => {
                let code = proving.code().await?;
                if let Some(file) = &self.file {
                    file.write(&code);
                }
                code
            }
        };
        let compiling = {
            let pages = pages.clone();
            move || Runtime::compile(&code, pages.as_deref())
        };
        let runtime = self.run(compiling).await?.map_err(Stopped::Code)?;
        let mut runtimes = lock(&self.runtimes);
        runtimes.truncate(RUNTIMES.saturating_sub(1));
        runtimes.push_front((pages.unwrap_or_default(), runtime.clone()));
        Ok(runtime)
    }

    fn compiled(&self, hash: H256, pages: Option<&[u8]>) -> Option<Runtime> {
        let runtimes = lock(&self.runtimes);
        let is_it = |(of, runtime): &&(Vec<u8>, Runtime)| {
            runtime.code_hash() == hash.0 && of == pages.unwrap_or_default()
        };
        runtimes
            .iter()
            .find(is_it)
            .map(|(_, runtime)| runtime.clone())
    }

    /// Does work on a thread of its own.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Stopped> {
        let work = async {
            let seat = Arc::clone(&self.seats).acquire_owned().await;
            on_a_thread(seat.map_err(|_| Stopped::Executor)?, work).await
        };
        match tokio::time::timeout(RUN_WITHIN, work).await {
            Ok(done) => done,
            Err(_) => Err(Stopped::Slow(RUN_WITHIN)),
        }
    }
}

/// Threads of the runtime would be waited for when the program ends.
async fn on_a_thread<T: Send + 'static>(
    seat: OwnedSemaphorePermit,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Stopped> {
    let (sender, done) = oneshot::channel();
    let spawned = thread::Builder::new()
        .name("call".to_owned())
        .spawn(move || {
            let _ = sender.send(work());
            drop(seat);
        });
    spawned.map_err(|_| Stopped::Executor)?;
    done.await.map_err(|_| Stopped::Executor)
}

/// The entries that are proven for one call.
struct Proving<'a, P> {
    prover: &'a P,
    state: ProvenState,
    nodes: BTreeSet<Vec<u8>>,
    proofs: u32,
}

impl<'a, P: Prove> Proving<'a, P> {
    fn new(prover: &'a P) -> Self {
        Self {
            prover,
            state: ProvenState::new(prover.root().0, MAX_BYTES),
            nodes: BTreeSet::new(),
            proofs: 0,
        }
    }

    /// The state, for as long as a thread works with it.
    fn take(&mut self) -> ProvenState {
        let root = self.state.root();
        std::mem::replace(&mut self.state, ProvenState::new(root, 0))
    }

    /// Proves these keys, and first of all which code the state has.
    async fn fetch(&mut self, keys: &[Vec<u8>]) -> Result<(), Unanswered<P::Error>> {
        let first: &[&[u8]] = match self.proofs {
            0 => &[CODE_PROBE, HEAP_PAGES_KEY],
            _ => &[],
        };
        let keys: BTreeSet<_> = first
            .iter()
            .copied()
            .chain(keys.iter().map(Vec::as_slice))
            .collect();
        let keys: Vec<_> = keys.into_iter().collect();
        let nodes = self.prover.prove(&keys).await;
        let nodes = nodes.map_err(Unanswered::Unproven)?;
        let inserted = self.state.insert(nodes.iter().map(Vec::as_slice));
        inserted.map_err(Stopped::Large)?;
        self.nodes.extend(nodes);
        self.proofs = self.proofs.saturating_add(1);
        Ok(())
    }

    /// The code of the state, for which the usual bound does not count.
    async fn code(&self) -> Result<Vec<u8>, Unanswered<P::Error>> {
        let nodes = self.prover.prove(&[CODE_KEY]).await;
        let nodes = nodes.map_err(Unanswered::Unproven)?;
        let mut state = ProvenState::new(self.state.root(), MAX_CODE_BYTES);
        let inserted = state.insert(nodes.iter().map(Vec::as_slice));
        inserted.map_err(Stopped::Large)?;
        match state.value(CODE_KEY) {
            Lookup::Found(code) => Ok(code.to_vec()),
            Lookup::Absent | Lookup::Unknown => Err(Stopped::NoCode.into()),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
