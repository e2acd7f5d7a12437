//! One call of a function of the runtime. (STATE-6 to STATE-8)
//!
//! A call runs from its beginning each time. Where an entry is missing, the run goes on as if there were none, and its
//! end is not looked at: the keys that it asks for from there on are guesses, most of them right, so that few proofs
//! are needed. Only a run without a missing entry has an outcome.

use crate::{
    error::{shown, CallError, Unsupported},
    limits::{Limits, MAX_NEEDS},
    overlay::{append, Overlay},
    runtime::Runtime,
    state::{Lookup, Next, ProvenState},
};
use alloc::{
    borrow::ToOwned,
    collections::BTreeSet,
    string::{String, ToString},
    vec::Vec,
};
use core::iter::once;
use smoldot::executor::{
    host::{Error as HostError, HostVm, StartErr, StorageProofSizeBehavior},
    vm,
};

/// The longest name of a function.
const MAX_NAME: usize = 128;
/// Keys that begin so are the roots of child tries. No runtime writes them itself.
const CHILD_TRIES: &[u8] = b":child_storage:";

/// A call of a function of the runtime.
#[derive(Clone, Debug)]
pub struct Call {
    method: String,
    parameters: Vec<u8>,
    rounds: u32,
}

/// How far a call came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It ended.
    Done(Done),
    /// It needs the proof of these keys, at most [`MAX_NEEDS`]. Present or not, they lead to the entries that are
    /// missing. Insert the proof into the state, and run the call again.
    Needs(Vec<Vec<u8>>),
}

/// The outcome of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// What the function returned.
    pub output: Vec<u8>,
    /// The keys whose proof it took. A later call of the same function of the same code takes nearly the same: fetch
    /// them first.
    pub read: BTreeSet<Vec<u8>>,
    /// How often it ran.
    pub rounds: u32,
}

impl Call {
    /// A call of a function, such as `Metadata_metadata`, with its parameters in SCALE.
    ///
    /// # Errors
    /// [`CallError::Name`].
    pub fn new(method: &str, parameters: &[u8]) -> Result<Self, CallError> {
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if method.is_empty() || method.len() > MAX_NAME || !method.bytes().all(is_name) {
            let method = method.chars().take(MAX_NAME).collect();
            return Err(CallError::Name { method });
        }
        Ok(Self {
            method: method.to_owned(),
            parameters: parameters.to_owned(),
            rounds: 0,
        })
    }

    /// Runs the call over a state.
    ///
    /// Cost: that of the function, in an interpreter; memory as the runtime's heap grows.
    ///
    /// # Errors
    /// [`CallError`]. No sender is to blame.
    ///
    /// # Security
    /// `runtime` must be the one of `state`.
    pub fn run(
        &mut self,
        runtime: &Runtime,
        state: &ProvenState,
        limits: &Limits,
    ) -> Result<Progress, CallError> {
        if self.rounds >= limits.rounds {
            return Err(CallError::Rounds(limits.rounds));
        }
        self.rounds = self.rounds.saturating_add(1);
        let started = runtime.prototype().run_vectored(
            &self.method,
            StorageProofSizeBehavior::proof_recording_disabled(),
            once(&self.parameters),
        );
        let vm = started.map_err(|(error, _)| self.not_started(&error))?;
        let mut run = Run {
            state,
            limits,
            overlay: Overlay::new(),
            read: BTreeSet::new(),
            needs: Vec::new(),
            requests: 0,
        };
        let outcome = run.execute(vm.into());
        if !run.needs.is_empty() {
            return Ok(Progress::Needs(run.needs));
        }
        Ok(Progress::Done(Done {
            output: outcome?,
            read: run.read,
            rounds: self.rounds,
        }))
    }

    fn not_started(&self, error: &StartErr) -> CallError {
        match error {
            StartErr::VirtualMachine(vm::StartErr::FunctionNotFound) => CallError::NoFunction {
                method: self.method.clone(),
            },
            error => CallError::Start(shown(&error.to_string())),
        }
    }
}

/// One run.
struct Run<'a> {
    state: &'a ProvenState,
    limits: &'a Limits,
    overlay: Overlay,
    read: BTreeSet<Vec<u8>>,
    needs: Vec<Vec<u8>>,
    requests: u32,
}

impl Run<'_> {
    /// Runs to the end, or until there is nothing more to learn.
    fn execute(&mut self, mut vm: HostVm) -> Result<Vec<u8>, CallError> {
        loop {
            self.count()?;
            vm = match vm {
                HostVm::Finished(finished) => {
                    let value = finished.value();
                    let (max, got) = (self.limits.output, value.as_ref().len());
                    if got > max {
                        return Err(CallError::Output { max, got });
                    }
                    return Ok(value.as_ref().to_owned());
                }
                HostVm::Error { error, .. } => return Err(stopped(&error)),
                other => self.answer(other)?,
            };
            if self.needs.len() >= MAX_NEEDS {
                return Ok(Vec::new());
            }
        }
    }

    /// Counts one more entry or request to the host.
    fn count(&mut self) -> Result<(), CallError> {
        self.requests = self.requests.saturating_add(1);
        if self.requests > self.limits.entries {
            return Err(CallError::Entries(self.limits.entries));
        }
        Ok(())
    }

    /// Answers one request to the host.
    fn answer(&mut self, vm: HostVm) -> Result<HostVm, CallError> {
        match vm {
            HostVm::ReadyToRun(ready) => Ok(ready.run()),
            HostVm::ExternalStorageGet(request) => {
                no_child(request.child_trie())?;
                let value = self.get(request.key().as_ref());
                Ok(request.resume_full_value(value.as_deref()))
            }
            HostVm::ExternalStorageSet(request) => {
                no_child(request.child_trie())?;
                let key = request.key().as_ref().to_owned();
                let value = request.value().map(|value| value.as_ref().to_owned());
                self.set(key, value)?;
                Ok(request.resume())
            }
            HostVm::ExternalStorageAppend(request) => {
                no_child(request.child_trie())?;
                let key = request.key().as_ref().to_owned();
                let value = self.get(&key).unwrap_or_default();
                let value = append(&value, request.value().as_ref());
                self.set(key, Some(value))?;
                Ok(request.resume())
            }
            HostVm::ExternalStorageClearPrefix(request) => {
                no_child(request.child_trie())?;
                let prefix = request.prefix().as_ref().to_owned();
                let (looked_at, remain) = self.clear(&prefix, request.max_keys_to_remove())?;
                Ok(request.resume(looked_at, remain))
            }
            HostVm::ExternalStorageNextKey(request) => {
                no_child(request.child_trie())?;
                let next = self.next(request.key().as_ref())?;
                Ok(request.resume(next.as_deref()))
            }
            HostVm::ExternalStorageRoot(_) => Err(Unsupported::StorageRoot.into()),
            HostVm::StartStorageTransaction(request) => {
                self.overlay.begin();
                Ok(request.resume())
            }
            HostVm::EndStorageTransaction { resume, rollback } => {
                self.overlay.end(rollback);
                Ok(resume.resume())
            }
            HostVm::SignatureVerification(request) => Ok(request.verify_and_resume()),
            // Goes to a database of nodes, which no call reads.
            HostVm::ExternalOffchainIndexSet(request) => Ok(request.resume()),
            HostVm::GetMaxLogLevel(request) => Ok(request.resume(0)),
            HostVm::LogEmit(request) => Ok(request.resume()),
            HostVm::CallRuntimeVersion(_) => Err(Unsupported::OtherCode.into()),
            HostVm::ExternalOffchainStorageGet(_)
            | HostVm::ExternalOffchainStorageSet(_)
            | HostVm::OffchainTimestamp(_)
            | HostVm::OffchainRandomSeed(_)
            | HostVm::OffchainSubmitTransaction(_) => Err(Unsupported::Offchain.into()),
            // Handled by the caller.
            ended @ (HostVm::Finished(_) | HostVm::Error { .. }) => Ok(ended),
        }
    }

    /// The value of an entry; none too when it is missing.
    fn get(&mut self, key: &[u8]) -> Option<Vec<u8>> {
        if let Some(changed) = self.overlay.get(key) {
            return changed.map(<[u8]>::to_owned);
        }
        self.read.insert(key.to_owned());
        match self.state.value(key) {
            Lookup::Found(value) => Some(value.to_owned()),
            Lookup::Absent => None,
            Lookup::Unknown => {
                self.need(key.to_owned());
                None
            }
        }
    }

    fn set(&mut self, key: Vec<u8>, value: Option<Vec<u8>>) -> Result<(), CallError> {
        if key.starts_with(CHILD_TRIES) {
            return Ok(());
        }
        self.overlay.set(key, value);
        if self.overlay.written() > self.limits.written {
            return Err(CallError::Written(self.limits.written));
        }
        Ok(())
    }

    /// The key after another one, with the call's own changes; none too when it is missing.
    fn next(&mut self, after: &[u8]) -> Result<Option<Vec<u8>>, CallError> {
        let mut after = after.to_owned();
        loop {
            self.count()?;
            let proven = self.next_proven(&after);
            let changed = self.overlay.next(&after).map(<[u8]>::to_owned);
            let Some(next) = proven.into_iter().chain(changed).min() else {
                return Ok(None);
            };
            match self.overlay.get(&next) {
                Some(None) => after = next,
                Some(Some(_)) | None => return Ok(Some(next)),
            }
        }
    }

    /// The key after another one in the state; none too when it is missing.
    fn next_proven(&mut self, after: &[u8]) -> Option<Vec<u8>> {
        self.read.insert(after.to_owned());
        match self.state.next_key(after) {
            Next::Found(key) => {
                self.read.insert(key.clone());
                Some(key)
            }
            Next::Absent => None,
            Next::Unknown(keys) => {
                keys.into_iter().for_each(|key| self.need(key));
                None
            }
        }
    }

    /// Removes the entries with a prefix: those that the call made, and of those in the state `limit` at most. How
    /// many in the state were looked at, and whether more are there, as the SDK counts.
    fn clear(&mut self, prefix: &[u8], limit: Option<u32>) -> Result<(u32, bool), CallError> {
        if CHILD_TRIES.starts_with(prefix) || prefix.starts_with(CHILD_TRIES) {
            return Ok((0, false));
        }
        for key in self.overlay.keys(prefix) {
            self.set(key, None)?;
        }
        let mut looked_at = 0_u32;
        // The prefix itself may be a key.
        let first = match self.state.value(prefix) {
            Lookup::Found(_) => Some(prefix.to_owned()),
            Lookup::Absent => self.next_proven(prefix),
            Lookup::Unknown => {
                self.need(prefix.to_owned());
                None
            }
        };
        self.read.insert(prefix.to_owned());
        let mut next = first;
        while let Some(key) = next.filter(|key| key.starts_with(prefix)) {
            self.count()?;
            if limit == Some(looked_at) {
                return Ok((looked_at, true));
            }
            looked_at = looked_at.saturating_add(1);
            next = self.next_proven(&key);
            self.set(key, None)?;
        }
        Ok((looked_at, false))
    }

    fn need(&mut self, key: Vec<u8>) {
        if self.needs.len() < MAX_NEEDS && !self.needs.contains(&key) {
            self.needs.push(key);
        }
    }
}

fn no_child(child: Option<impl AsRef<[u8]>>) -> Result<(), CallError> {
    match child {
        Some(_) => Err(Unsupported::ChildTrie.into()),
        None => Ok(()),
    }
}

fn stopped(error: &HostError) -> CallError {
    match error {
        HostError::AbortOnPanic { message } => CallError::Panicked(shown(message)),
        error => CallError::Trapped(shown(&error.to_string())),
    }
}
