//! The keys that calls read, kept beside the state file: the next call of the same function fetches them first.
//!
//! They are hints. Each is proven like any other key, so that wrong ones cost a request and change no outcome.

use crate::state_file::{beside, replace};
use codec::{Decode, DecodeAll, Encode};
use duet_primitives::H256;
use std::{
    collections::{BTreeSet, VecDeque},
    fs::File,
    io::Read,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// The most functions.
const FUNCTIONS: usize = 64;
/// The most keys of one function: with those that prove the code, as many as nodes take in one request.
const KEYS: usize = 62;
/// The most bytes of the keys of one function, and of one key.
const KEYS_LEN: usize = 8 * 1024;
const KEY_LEN: usize = 1024;
/// More than all of this has in the file.
const FILE_LEN: u64 = 1024 * 1024;
/// The shortest time between two writes of the file.
const PAUSE: Duration = Duration::from_secs(10);

/// The keys of the last call of each function.
#[derive(Debug, Default)]
pub(crate) struct Habits {
    /// The last call's first.
    kept: VecDeque<Habit>,
    file: Option<PathBuf>,
    written: Option<Instant>,
}

#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
struct Habit {
    code: H256,
    name: String,
    keys: Vec<Vec<u8>>,
}

impl Habits {
    /// Those in the file beside this state file. A file that cannot be read has none.
    pub(crate) fn beside(state: &Path) -> Self {
        let path = beside(state, ".keys");
        Self {
            kept: read(&path).unwrap_or_default(),
            file: Some(path),
            written: None,
        }
    }

    /// The keys of the last call of this function, if it executed the code that was executed last.
    pub(crate) fn of(&self, name: &str) -> Vec<Vec<u8>> {
        let newest = self.kept.front().map(|habit| habit.code);
        let is_it = |habit: &&Habit| Some(habit.code) == newest && habit.name == name;
        let habit = self.kept.iter().find(is_it);
        habit.map(|habit| habit.keys.clone()).unwrap_or_default()
    }

    /// Takes note of what a call read.
    pub(crate) fn learn(&mut self, code: H256, name: &str, read: &BTreeSet<Vec<u8>>) {
        let mut len = 0_usize;
        let is_within = |key: &&Vec<u8>| {
            len = len.saturating_add(key.len());
            len <= KEYS_LEN
        };
        let keys = read.iter().filter(|key| fits(key)).take(KEYS);
        let keys = keys.take_while(is_within).cloned().collect();
        let name = name.to_owned();
        let habit = Habit { code, name, keys };
        let is_news = !self.kept.contains(&habit);
        self.kept.retain(|kept| kept.name != habit.name);
        self.kept.truncate(FUNCTIONS.saturating_sub(1));
        self.kept.push_front(habit);
        if is_news && self.written.is_none_or(|at| at.elapsed() >= PAUSE) {
            self.write();
        }
    }

    /// Forgets the keys of a function, which could not be proven.
    pub(crate) fn forget(&mut self, name: &str) {
        self.kept.retain(|kept| kept.name != name);
        self.write();
    }

    /// If it cannot be written, the next run fetches in more steps.
    fn write(&mut self) {
        if let Some(file) = &self.file {
            let _ = replace(file, &self.kept.encode());
            self.written = Some(Instant::now());
        }
    }
}

fn fits(key: &[u8]) -> bool {
    (1..=KEY_LEN).contains(&key.len())
}

/// The content of a file that this program wrote.
fn read(path: &Path) -> Option<VecDeque<Habit>> {
    let mut bytes = Vec::new();
    let file = File::open(path).ok()?;
    file.take(FILE_LEN).read_to_end(&mut bytes).ok()?;
    let kept = VecDeque::<Habit>::decode_all(&mut bytes.as_slice()).ok()?;
    let is_bounded = |habit: &Habit| {
        let len = habit
            .keys
            .iter()
            .map(Vec::len)
            .fold(0, usize::saturating_add);
        habit.keys.len() <= KEYS && len <= KEYS_LEN && habit.keys.iter().all(|key| fits(key))
    };
    (kept.len() <= FUNCTIONS && kept.iter().all(is_bounded)).then_some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const ONE: H256 = H256::repeat_byte(1);

    fn keys(count: usize, len: usize) -> BTreeSet<Vec<u8>> {
        let key = |index: usize| [&index.to_be_bytes()[..], &vec![7; len - 8]].concat();
        (0..count).map(key).collect()
    }

    #[test]
    fn keys_are_kept_by_function_and_code_within_bounds() {
        let directory = tempfile::tempdir().expect("a directory");
        let state = directory.path().join("state");
        let mut habits = Habits::beside(&state);
        let few: Vec<_> = keys(3, 48).into_iter().collect();
        habits.learn(ONE, "few", &keys(3, 48));
        assert_eq!(Habits::beside(&state).of("few"), few);
        for (name, count, len, kept) in [
            ("many", 100, 48, KEYS),
            ("long", 9, KEY_LEN, 8),
            ("longer", 9, KEY_LEN + 1, 0),
        ] {
            habits.learn(ONE, name, &keys(count, len));
            assert_eq!(habits.of(name).len(), kept, "{name}");
        }
        assert_eq!(habits.of("few"), few);
        habits.forget("many");
        assert!(habits.of("many").is_empty());
        // Other code reads other keys.
        habits.learn(H256::repeat_byte(2), "new", &keys(1, 48));
        assert!(habits.of("few").is_empty());
        for index in 0..2 * FUNCTIONS {
            habits.learn(ONE, &format!("f{index}"), &keys(KEYS, 132));
        }
        assert_eq!(habits.kept.len(), FUNCTIONS);
        habits.write();
        assert_eq!(Habits::beside(&state).kept, habits.kept);
    }

    #[test]
    fn a_damaged_file_has_no_keys_and_is_written_anew() {
        let directory = tempfile::tempdir().expect("a directory");
        let state = directory.path().join("state");
        let path = directory.path().join("state.keys");
        let of = |keys: Vec<Vec<u8>>| {
            let name = "f".to_owned();
            vec![Habit {
                code: ONE,
                name,
                keys,
            }]
        };
        let too_large = [
            of(vec![vec![7]; KEYS + 1]),
            of(vec![vec![7; KEY_LEN + 1]]),
            of(vec![vec![]]),
        ];
        let good = of(vec![vec![7]]);
        let mut damaged: Vec<_> = too_large.iter().map(Encode::encode).collect();
        damaged.extend([
            vec![good[0].clone(); FUNCTIONS + 1].encode(),
            vec![3; 99],
            good.encode()[1..].to_vec(),
        ]);
        for bytes in damaged {
            fs::write(&path, bytes).expect("written");
            let mut habits = Habits::beside(&state);
            assert!(habits.kept.is_empty());
            habits.learn(ONE, "f", &keys(1, 48));
            assert_eq!(Habits::beside(&state).kept, habits.kept);
        }
    }
}
