//! Why code was refused, or a call.

use alloc::string::String;

/// The most characters of a runtime's own words.
const MAX_WORDS: usize = 300;

/// A runtime's own words, cut, and without anything that a terminal would obey.
pub(crate) fn shown(words: &str) -> String {
    let mut text = String::new();
    for character in words.chars().take(MAX_WORDS) {
        match character {
            // Quotes are harmless here.
            '\'' | '"' | '\\' => text.push(character),
            _ => text.extend(character.escape_debug()),
        }
    }
    if words.chars().nth(MAX_WORDS).is_some() {
        text.push('…');
    }
    text
}

/// Why proven code is no runtime that can be executed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CodeError {
    /// The state has another number of heap pages than a runtime can have.
    #[error("STATE-5: the entry :heappages has {got}; expected at most {max} pages, in 8 bytes")]
    HeapPages {
        /// The most pages.
        max: u32,
        /// What the entry has.
        got: String,
    },
    /// It is no WebAssembly that the executor takes, or not with the interface of a runtime.
    #[error("STATE-5: the code cannot be executed: {0}")]
    NotARuntime(String),
}

/// More nodes than a [`ProvenState`](crate::ProvenState) takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("STATE-8: more than {max} bytes of trie nodes for one call")]
pub struct StateTooLarge {
    /// The most bytes.
    pub max: usize,
}

/// What a runtime asked for and does not get.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unsupported {
    /// The root of the state with the call's changes, which needs more of the state than what the call reads.
    #[error("the root of the changed state")]
    StorageRoot,
    /// An entry of a child trie.
    #[error("an entry of a child trie")]
    ChildTrie,
    /// What only an offchain worker has: local storage, the time, random bytes, submission of a transaction.
    #[error("something of an offchain worker")]
    Offchain,
    /// The version of other code.
    #[error("the version of other code")]
    OtherCode,
}

/// Why a call has no answer. The runtime and the entries are proven, so no sender is to blame.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// No function of a runtime has such a name.
    #[error("{method:?} is not the name of a runtime's function")]
    Name {
        /// The name, cut.
        method: String,
    },
    /// The runtime does not have this function.
    #[error("the runtime has no function {method}")]
    NoFunction {
        /// The name.
        method: String,
    },
    /// The call cannot begin.
    #[error("the call cannot begin: {0}")]
    Start(String),
    /// The runtime panicked, which is its answer to parameters that do not decode, too.
    #[error("the runtime panicked: {0}")]
    Panicked(String),
    /// The runtime broke off, or used the host wrongly.
    #[error("the runtime stopped: {0}")]
    Trapped(String),
    /// The runtime asked for what is not there in a call over proven entries.
    #[error("STATE-7: the runtime asks for {0}, which a call over proven entries does not have")]
    Unsupported(#[from] Unsupported),
    /// The call ran as often as it may.
    #[error("STATE-8: entries are still missing after {0} rounds")]
    Rounds(u32),
    /// More entries than one call may look up.
    #[error("STATE-8: more than {0} entries and requests to the host")]
    Entries(u32),
    /// More bytes than one call may write.
    #[error("STATE-8: more than {0} bytes written")]
    Written(usize),
    /// A longer output than one call may have.
    #[error("STATE-8: an output of {got} bytes, expected at most {max}")]
    Output {
        /// The most bytes.
        max: usize,
        /// How many there are.
        got: usize,
    },
}
