//! Entries of a state, read from trie nodes under its root. (STATE-6)
//!
//! Nodes are found by their hash alone, from the root on: one that is not of this state is never looked at.

use crate::{error::StateTooLarge, limits::MAX_NEEDS};
use alloc::{
    borrow::ToOwned,
    collections::{btree_map::Entry, BTreeMap},
    vec,
    vec::Vec,
};
use smoldot::trie::trie_node::{decode, Decoded, DecodedPartialKey, StorageValue};
use sp_crypto_hashing::blake2_256;

/// What the nodes say about one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lookup<T> {
    /// It is proven to be this.
    Found(T),
    /// It is proven not to be there.
    Absent,
    /// These nodes do not cover it.
    Unknown,
}

/// What the nodes say about the key after another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// It is proven to be this one.
    Found(Vec<u8>),
    /// There is provably none.
    Absent,
    /// These nodes do not cover it. The proof of the first of these keys, which the state may not have, leads one node
    /// further; those of the others, at most [`MAX_NEEDS`] in all, to the keys behind it.
    Unknown(Vec<Vec<u8>>),
}

/// How many nibbles the keys of all entries of one item of a pallet have in common.
const ITEM: usize = 64;

type Node<'a> = Decoded<'a, DecodedPartialKey<'a>, &'a [u8]>;

/// A state by its root, and some of its trie nodes.
#[derive(Clone, Debug)]
pub struct ProvenState {
    root: [u8; 32],
    nodes: BTreeMap<[u8; 32], Vec<u8>>,
    bytes: usize,
    max_bytes: usize,
}

impl ProvenState {
    /// The state with this root, without any node. All nodes together may have `max_bytes`.
    ///
    /// # Security
    /// `root` must be that of a block that is proven final.
    pub fn new(root: [u8; 32], max_bytes: usize) -> Self {
        Self {
            root,
            nodes: BTreeMap::new(),
            bytes: 0,
            max_bytes,
        }
    }

    /// Its root.
    pub fn root(&self) -> [u8; 32] {
        self.root
    }

    /// How many bytes of nodes it has.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Adds nodes, as `state_getReadProof` gives them. Cost: a hash of each.
    ///
    /// # Errors
    /// [`StateTooLarge`] when there would be more bytes than it may have; those before are added.
    ///
    /// # Security
    /// Nodes of other states are kept, and never used. Whether a sender sent what was asked for is told by
    /// [`ProvenState::covers`].
    pub fn insert<'a>(
        &mut self,
        nodes: impl IntoIterator<Item = &'a [u8]>,
    ) -> Result<(), StateTooLarge> {
        for node in nodes {
            let bytes = self.bytes.saturating_add(node.len());
            let Entry::Vacant(place) = self.nodes.entry(blake2_256(node)) else {
                continue;
            };
            if bytes > self.max_bytes {
                let max = self.max_bytes;
                return Err(StateTooLarge { max });
            }
            place.insert(node.to_owned());
            self.bytes = bytes;
        }
        Ok(())
    }

    /// Whether the nodes prove the entry under this key, or that there is none.
    pub fn covers(&self, key: &[u8]) -> bool {
        !matches!(self.value(key), Lookup::Unknown)
    }

    /// The value of an entry.
    pub fn value(&self, key: &[u8]) -> Lookup<&[u8]> {
        match self.entry(key) {
            Lookup::Found(StorageValue::Unhashed(value)) => Lookup::Found(value),
            Lookup::Found(StorageValue::Hashed(hash)) => match self.nodes.get(hash) {
                Some(value) => Lookup::Found(value),
                None => Lookup::Unknown,
            },
            Lookup::Found(StorageValue::None) | Lookup::Absent => Lookup::Absent,
            Lookup::Unknown => Lookup::Unknown,
        }
    }

    /// The BLAKE2b-256 hash of the value of an entry, which is known without the value where the trie holds the
    /// value's hash.
    pub fn value_hash(&self, key: &[u8]) -> Lookup<[u8; 32]> {
        match self.entry(key) {
            Lookup::Found(StorageValue::Unhashed(value)) => Lookup::Found(blake2_256(value)),
            Lookup::Found(StorageValue::Hashed(hash)) => Lookup::Found(*hash),
            Lookup::Found(StorageValue::None) | Lookup::Absent => Lookup::Absent,
            Lookup::Unknown => Lookup::Unknown,
        }
    }

    /// The value of an entry as its node holds it.
    fn entry(&self, key: &[u8]) -> Lookup<StorageValue<'_>> {
        let key = nibbles(key);
        let mut rest = key.as_slice();
        let Some(mut node) = self.node(&self.root) else {
            return Lookup::Unknown;
        };
        loop {
            let partial = partial(&node);
            let Some(below) = rest.strip_prefix(partial.as_slice()) else {
                return Lookup::Absent;
            };
            let Some((child, below)) = below.split_first() else {
                return Lookup::Found(node.storage_value);
            };
            let Some(child) = child_of(&node, *child) else {
                return Lookup::Absent;
            };
            let Some(child) = self.node(child) else {
                return Lookup::Unknown;
            };
            (node, rest) = (child, below);
        }
    }

    /// The Merkle value of all entries whose keys begin so: the hash of the node above them, or that node if it is
    /// shorter.
    pub fn merkle_value<'a>(&'a self, prefix: &[u8]) -> Lookup<&'a [u8]> {
        let prefix = nibbles(prefix);
        let mut rest = prefix.as_slice();
        let mut value = self.root.as_slice();
        loop {
            let Some(node) = self.node(value) else {
                return Lookup::Unknown;
            };
            let partial = partial(&node);
            if partial.starts_with(rest) {
                return Lookup::Found(value);
            }
            let below = rest.strip_prefix(partial.as_slice());
            let Some((child, below)) = below.and_then(<[u8]>::split_first) else {
                return Lookup::Absent;
            };
            let Some(child) = child_of(&node, *child) else {
                return Lookup::Absent;
            };
            (value, rest) = (child, below);
        }
    }

    /// The first key after this one.
    pub fn next_key(&self, after: &[u8]) -> Next {
        let bound = nibbles(after);
        let Some(root) = self.node(&self.root) else {
            return Next::Unknown(vec![after.to_owned()]);
        };
        // What is behind the next key is asked for together with it while it is of the same item: a runtime goes
        // through all entries of an item.
        let item = bound.get(..ITEM).unwrap_or_default();
        let mut leads = Vec::new();
        // The way down to the node that is looked at: each node, the length of the way with it, and where to go on.
        let mut way: Vec<Visited<'_>> = Vec::new();
        let mut path = Vec::new();
        let mut enter = Some((root, Some(bound.as_slice())));
        loop {
            if let Some((node, bound)) = enter.take() {
                path.extend(partial(&node));
                let start = path.len().saturating_sub(partial(&node).len());
                let below = path.get(start..).unwrap_or_default();
                let from = match bound {
                    None => From::All,
                    Some(bound) => From::of(below, bound),
                };
                let has_value = !matches!(node.storage_value, StorageValue::None);
                let is_next = matches!(from, From::All) && has_value && path.len() % 2 == 0;
                if is_next && leads.is_empty() {
                    return Next::Found(bytes(&path));
                }
                way.push(Visited {
                    node,
                    len: path.len(),
                    from,
                });
            }
            let Some(last) = way.last_mut() else {
                return match leads.is_empty() {
                    true => Next::Absent,
                    false => Next::Unknown(leads),
                };
            };
            path.truncate(last.len);
            let Some((index, bound)) = last.from.next(&last.node) else {
                way.pop();
                continue;
            };
            path.push(index);
            let child = child_of(&last.node, index).and_then(|child| self.node(child));
            if !leads.is_empty() && path.iter().zip(item).any(|(of, in_item)| of != in_item) {
                return Next::Unknown(leads);
            }
            let Some(child) = child else {
                leads.push(bytes(&path));
                if leads.len() >= MAX_NEEDS {
                    return Next::Unknown(leads);
                }
                continue;
            };
            enter = Some((child, bound));
        }
    }

    /// A node by what its parent holds: its hash, or the node itself if it is shorter than a hash.
    fn node<'a>(&'a self, value: &'a [u8]) -> Option<Node<'a>> {
        let bytes = match <&[u8; 32]>::try_from(value) {
            Ok(hash) => self.nodes.get(hash)?.as_slice(),
            Err(_) => value,
        };
        decode(bytes).ok()
    }
}

/// A node on the way down.
struct Visited<'a> {
    node: Node<'a>,
    /// How many nibbles lead to it and through it.
    len: usize,
    from: From<'a>,
}

/// Which part of a node's subtree comes after the key that is looked for.
enum From<'a> {
    /// All of it.
    All,
    /// The children from this one on, all of each.
    Children(u8),
    /// Of this child what comes after the rest of the key, and all of those after it.
    Within(u8, &'a [u8]),
    /// Nothing.
    Nothing,
}

impl<'a> From<'a> {
    /// Of the node that these nibbles lead through.
    fn of(partial: &[u8], bound: &'a [u8]) -> Self {
        match bound.strip_prefix(partial) {
            Some([]) => Self::Children(0),
            Some([child, rest @ ..]) => Self::Within(*child, rest),
            // A key that begins with another one comes after it, as slices are ordered.
            None if partial > bound => Self::All,
            None => Self::Nothing,
        }
    }

    /// The next child to look into, with the rest of the key where one counts.
    fn next(&mut self, node: &Node<'_>) -> Option<(u8, Option<&'a [u8]>)> {
        let first = match *self {
            Self::All => 0,
            Self::Children(first) | Self::Within(first, _) => first,
            Self::Nothing => return None,
        };
        let child = (first..16).find(|child| child_of(node, *child).is_some())?;
        let bound = match *self {
            Self::Within(at, rest) if at == child => Some(rest),
            _ => None,
        };
        *self = Self::Children(child.saturating_add(1));
        Some((child, bound))
    }
}

fn child_of<'a>(node: &Node<'a>, index: u8) -> Option<&'a [u8]> {
    *node.children.get(usize::from(index))?
}

fn partial(node: &Node<'_>) -> Vec<u8> {
    node.partial_key.clone().map(u8::from).collect()
}

fn nibbles(key: &[u8]) -> Vec<u8> {
    key.iter().flat_map(|byte| [byte >> 4, byte & 15]).collect()
}

/// Nibbles as bytes; half a byte at the end becomes a whole one.
fn bytes(nibbles: &[u8]) -> Vec<u8> {
    let byte = |pair: &[u8]| match pair {
        [high, low, ..] => high << 4 | low,
        [high] => high << 4,
        [] => 0,
    };
    nibbles.chunks(2).map(byte).collect()
}
