//! Calls of a chain's runtime for JavaScript: bytes in and out, and no I/O.
//!
//! [`Calls`] executes over trie nodes, and checks each under the state root. A call that lacks nodes says which keys
//! it needs, and is made again with their proofs.
//!
//! The root has to be proven by the caller, as `duet-light-wasm` does.

use duet_light_calls::{
    Call, Done, Limits, Lookup, Progress, ProvenState, Runtime, CODE_KEY, CODE_PROBE,
    HEAP_PAGES_KEY,
};
use js_sys::{Array, Object, Reflect, Uint8Array};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use wasm_bindgen::prelude::{wasm_bindgen, JsCast, JsValue};

/// The most bytes of all trie nodes of a call, the code among them.
const MAX_BYTES: usize = 1 << 24;
/// How many runtimes are kept: around an upgrade there are two.
const MAX_RUNTIMES: usize = 2;
/// Of how many calls of a runtime the output is kept, when it depends on nothing but the code, as that for metadata,
/// and of how many bytes of parameters at most.
const MAX_OUTPUTS: usize = 8;
const MAX_KEPT_PARAMETERS: usize = 64;

/// The keys of the runtime's code, of what proves that it is the same, and of its pages of memory:
/// `[code, probe, heapPages]`. A call needs the proof of one of the first two, and of the last.
#[wasm_bindgen(js_name = codeKeys)]
pub fn code_keys() -> Array {
    let keys = [CODE_KEY, CODE_PROBE, HEAP_PAGES_KEY];
    keys.into_iter().map(Uint8Array::from).collect()
}

/// Runtimes, compiled, and calls of them.
#[wasm_bindgen]
#[derive(Default)]
pub struct Calls {
    /// The one that was used last is the last.
    runtimes: VecDeque<Compiled>,
}

struct Compiled {
    heap_pages: Option<Vec<u8>>,
    runtime: Runtime,
    /// By function and parameters.
    outputs: BTreeMap<(String, Vec<u8>), Vec<u8>>,
}

#[wasm_bindgen]
impl Calls {
    /// Without a runtime.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Calls a function of the runtime of this state: `{ output, read }` with the keys that it read, or `{ needs }`
    /// with keys whose proof is needed too. The first of these is the code when its runtime is not kept.
    ///
    /// Cost: that of the call, and when the runtime is not kept some tens of milliseconds. A call that reads no entry
    /// is executed once.
    ///
    /// # Errors
    /// A text: the nodes are too many, the code is no runtime, or the call has no answer.
    pub fn call(
        &mut self,
        method: &str,
        parameters: &[u8],
        root: &[u8],
        nodes: &Array,
    ) -> Result<JsValue, JsValue> {
        let state = state(root, nodes).map_err(text)?;
        let Some(compiled) = self.compiled(&state).map_err(text)? else {
            return Ok(object("needs", &keys([CODE_KEY])));
        };
        let name = (method.to_owned(), parameters.to_vec());
        if let Some(output) = compiled.outputs.get(&name) {
            return Ok(done(output, &BTreeSet::new()));
        }
        let mut call = Call::new(method, parameters).map_err(text)?;
        let progress = call.run(&compiled.runtime, &state, &Limits::default());
        match progress.map_err(text)? {
            Progress::Needs(needs) => Ok(object("needs", &keys(&needs))),
            Progress::Done(Done { output, read, .. }) => {
                let answer = done(&output, &read);
                let is_short = parameters.len() <= MAX_KEPT_PARAMETERS;
                if read.is_empty() && is_short && compiled.outputs.len() < MAX_OUTPUTS {
                    compiled.outputs.insert(name, output);
                }
                Ok(answer)
            }
        }
    }
}

fn done(output: &[u8], read: &BTreeSet<Vec<u8>>) -> JsValue {
    let answer = object("output", &Uint8Array::from(output));
    set(&answer, "read", &keys(read));
    answer
}

impl Calls {
    /// The runtime of a state, if the state has its code or it is kept.
    fn compiled(&mut self, state: &ProvenState) -> Result<Option<&mut Compiled>, String> {
        let hash = match state.value_hash(CODE_KEY) {
            Lookup::Found(hash) => hash,
            Lookup::Absent => return Err("the state has no runtime".to_owned()),
            Lookup::Unknown => return Ok(None),
        };
        let heap_pages = match state.value(HEAP_PAGES_KEY) {
            Lookup::Found(pages) => Some(pages.to_vec()),
            Lookup::Absent => None,
            Lookup::Unknown => return Err("the number of heap pages is not proven".to_owned()),
        };
        let is_it =
            |kept: &Compiled| kept.runtime.code_hash() == hash && kept.heap_pages == heap_pages;
        let kept = self.runtimes.iter().position(is_it);
        let compiled = match kept.and_then(|index| self.runtimes.remove(index)) {
            Some(kept) => kept,
            None => {
                let Lookup::Found(code) = state.value(CODE_KEY) else {
                    return Ok(None);
                };
                let runtime = Runtime::compile(code, heap_pages.as_deref());
                Compiled {
                    runtime: runtime.map_err(|error| error.to_string())?,
                    heap_pages,
                    outputs: BTreeMap::new(),
                }
            }
        };
        if self.runtimes.len() >= MAX_RUNTIMES {
            self.runtimes.pop_front();
        }
        self.runtimes.push_back(compiled);
        Ok(self.runtimes.back_mut())
    }
}

fn state(root: &[u8], nodes: &Array) -> Result<ProvenState, String> {
    let root = root.try_into().map_err(|_| "a state root has 32 bytes")?;
    let mut state = ProvenState::new(root, MAX_BYTES);
    for node in nodes.iter() {
        let node: &Uint8Array = node.dyn_ref().ok_or("a trie node is bytes")?;
        let added = state.insert([node.to_vec().as_slice()]);
        added.map_err(|error| error.to_string())?;
    }
    Ok(state)
}

fn text(error: impl ToString) -> JsValue {
    error.to_string().into()
}

fn keys<K: AsRef<[u8]>>(keys: impl IntoIterator<Item = K>) -> Array {
    let keys = keys.into_iter();
    keys.map(|key| Uint8Array::from(key.as_ref())).collect()
}

fn object(name: &str, value: &JsValue) -> JsValue {
    let made = Object::new().into();
    set(&made, name, value);
    made
}

/// Sets a field of an object that was just made, which does not fail.
fn set(object: &JsValue, name: &str, value: &JsValue) {
    let _ = Reflect::set(object, &name.into(), value);
}
