//! A state, and what a node proves of it.

use crate::{Call, CallError, Done, Limits, Progress, ProvenState, Runtime, CODE_KEY};
use sp_core::{Blake2Hasher, H256};
use sp_trie::{read_trie_value, LayoutV1, MemoryDB, Recorder, TrieDBMutBuilder, TrieMut as _};
use std::{collections::BTreeMap, format, string::String, vec::Vec};

type Layout = LayoutV1<Blake2Hasher>;

/// More than any test needs.
const MAX_BYTES: usize = 1 << 20;

/// A state with all its nodes.
pub(crate) struct World {
    pub(crate) entries: BTreeMap<Vec<u8>, Vec<u8>>,
    db: MemoryDB<Blake2Hasher>,
    root: H256,
}

impl World {
    pub(crate) fn new(entries: impl IntoIterator<Item = (Vec<u8>, Vec<u8>)>) -> Self {
        let entries: BTreeMap<_, _> = entries.into_iter().collect();
        let (mut db, mut root) = (MemoryDB::default(), H256::default());
        let mut trie = TrieDBMutBuilder::<Layout>::new(&mut db, &mut root).build();
        for (key, value) in &entries {
            trie.insert(key, value).expect("a trie in memory");
        }
        drop(trie);
        Self { entries, db, root }
    }

    /// Accounts under two prefixes, some of whose values are nodes of their own, and the code.
    pub(crate) fn usual() -> Self {
        let account = |index: u8| {
            let key = format!("account:{}", char::from(b'a' + index));
            (key.into_bytes(), std::vec![index; usize::from(index) * 9])
        };
        let code = (CODE_KEY.to_vec(), code());
        let others = ["accounts", "bond", "bonds:1", "bonds:2", "bonds:21"];
        let others = others.map(|key| (key.as_bytes().to_vec(), key.as_bytes().to_vec()));
        let accounts = (0..9).map(account);
        Self::new(accounts.chain(others).chain([code]))
    }

    /// The proof of these keys, as a node makes it.
    pub(crate) fn prove(&self, keys: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let mut nodes = BTreeMap::new();
        for key in keys {
            let mut visited = Recorder::<Layout>::new();
            read_trie_value::<Layout, _>(&self.db, &self.root, key, Some(&mut visited), None)
                .expect("a whole trie");
            nodes.extend(
                visited
                    .drain()
                    .into_iter()
                    .map(|node| (node.hash, node.data)),
            );
        }
        nodes.into_values().collect()
    }

    /// The state without any node.
    pub(crate) fn unknown(&self) -> ProvenState {
        ProvenState::new(self.root.0, MAX_BYTES)
    }

    /// The state with the proof of these keys.
    pub(crate) fn proven(&self, keys: &[Vec<u8>]) -> ProvenState {
        let mut state = self.unknown();
        insert(&mut state, &self.prove(keys));
        state
    }

    /// Calls a function, and proves what it needs.
    pub(crate) fn call(&self, method: &str, parameters: &[u8]) -> Result<Done, CallError> {
        self.call_within(method, parameters, &Limits::default())
    }

    pub(crate) fn call_within(
        &self,
        method: &str,
        parameters: &[u8],
        limits: &Limits,
    ) -> Result<Done, CallError> {
        let runtime = runtime();
        let mut state = self.unknown();
        let mut call = Call::new(method, parameters)?;
        loop {
            match call.run(&runtime, &state, limits)? {
                Progress::Done(done) => return Ok(done),
                Progress::Needs(keys) => insert(&mut state, &self.prove(&keys)),
            }
        }
    }
}

pub(crate) fn insert(state: &mut ProvenState, nodes: &[Vec<u8>]) {
    let nodes = nodes.iter().map(Vec::as_slice);
    state.insert(nodes).expect("few bytes");
}

pub(crate) fn code() -> Vec<u8> {
    wat::parse_str(include_str!("runtime.wat")).expect("a module")
}

pub(crate) fn runtime() -> Runtime {
    Runtime::compile(&code(), None).expect("a runtime")
}

/// What a call says that it cannot do, as text.
pub(crate) fn refusal(result: Result<Done, CallError>) -> String {
    format!("{}", result.expect_err("no outcome"))
}
