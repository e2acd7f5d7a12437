//! Discrete logarithms in a bounded range, by baby-step giant-step.
//!
//! A table contains `Z^j` for small `j`. The search covers the range with strides of twice the table's length, in both
//! directions. An element and its inverse have the same first half, so one entry serves `j` and `−j`. Entries have 64
//! bits of the element and the number `j`. Every match is verified with a full exponentiation, so a collision of 64
//! bits costs one exponentiation and never gives a wrong result.

use crate::{
    bound::Bound,
    error::{PlaintextOutOfRange, TableError},
    generator,
    gt::Gt,
    message::Message,
    progress::Progress,
};
use core::{
    fmt,
    ops::Range,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
};
use hashbrown::HashTable;
use rayon::{prelude::*, BroadcastContext};

/// Bytes of an entry: 64 bits of the element, 32 bits of the number.
const ENTRY_LEN: usize = size_of::<Entry>();
/// Bytes of a slot: an entry and the table's control byte.
const SLOT_LEN: usize = ENTRY_LEN + 1;
/// Bytes that a table needs in addition to its slots: the control bytes of the last group, and alignment.
const OVERHEAD: usize = 64;
/// The minimum number of slots. It is a power of two, and at most seven eighths of the slots are used.
const MIN_SLOTS: usize = 64;
/// Giant steps per unit of work of one core.
const STEPS_PER_CHUNK: u64 = 1024;
/// Giant steps between two looks whether another core has found the number.
const STEPS_PER_LOOK: u64 = 32;
/// Units of work of the table that are in memory beside it.
const CHUNKS_PER_ROUND: u64 = 64;

/// The two halves of the key and the number. An array of `u32` has no padding.
type Entry = [u32; 3];

/// Finds discrete logarithms between `−bound` and `bound`. Create it once per range and reuse it.
pub struct DiscreteLog {
    bound: u64,
    /// The number of baby steps: the table contains `0..=baby`.
    baby: u64,
    table: HashTable<Entry>,
}

impl fmt::Debug for DiscreteLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DiscreteLog")
            .field("bound", &self.bound)
            .field("baby", &self.baby)
            .finish_non_exhaustive()
    }
}

impl DiscreteLog {
    /// Builds a table for numbers of at most this magnitude, with at most `memory` bytes.
    ///
    /// It has about as many entries as the square root of the range, or as many as fit the memory, at 13 bytes per slot
    /// in a table whose slots are a power of two. With less memory the search takes proportionally longer.
    ///
    /// Cost: one multiplication in the target group per entry, on all cores. Reports `progress` for each.
    ///
    /// # Errors
    /// [`TableError`] if the range is too large for any search, the memory too small for any table, or not to be had.
    pub fn new(bound: Bound, memory: usize, progress: &impl Progress) -> Result<Self, TableError> {
        let baby = Self::baby_steps(bound, memory)?;
        let capacity = usize::try_from(baby + 1)
            .map_err(|_| TableError::RangeTooLarge { bound: bound.get() })?;
        let mut table = HashTable::new();
        table
            .try_reserve(capacity, hash_of)
            .map_err(|_| TableError::NoMemory { entries: capacity })?;
        for round in rounds(baby + 1) {
            let stretches: Vec<Vec<Entry>> = round
                .into_par_iter()
                .map(|index| entries(chunk(index, baby + 1)))
                .collect();
            for entries in stretches {
                progress.advance(entries.len() as u64);
                for entry in entries {
                    table.insert_unique(hash_of(&entry), entry, hash_of);
                }
            }
        }
        Ok(Self {
            bound: bound.get(),
            baby,
            table,
        })
    }

    /// The number of entries of a table with this range and memory, to plan or to report progress.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn baby_steps(bound: Bound, memory: usize) -> Result<u64, TableError> {
        let range = bound.get();
        if range > i64::MAX as u64 / 2 {
            return Err(TableError::RangeTooLarge { bound: range });
        }
        let slots = (memory.saturating_sub(OVERHEAD) / SLOT_LEN)
            .checked_ilog2()
            .map(|log| 1u64 << log.min(31))
            .filter(|slots| *slots >= MIN_SLOTS as u64)
            .ok_or(TableError::TooLittleMemory {
                allowed: memory,
                least: MIN_SLOTS * SLOT_LEN + OVERHEAD,
            })?;
        // √bound entries and √bound/2 strides in each direction: the table costs as much as a search.
        let wanted = range.isqrt().max(16);
        Ok(wanted.min(slots / 8 * 7 - 1))
    }

    /// The size of the table in bytes.
    pub fn memory(&self) -> usize {
        self.table.allocation_size()
    }

    /// The largest magnitude that can be found.
    pub fn bound(&self) -> Bound {
        Bound::new(self.bound)
    }

    /// The number of strides of the longest search, in each direction.
    pub fn giant_steps(&self) -> u64 {
        self.bound.saturating_sub(self.baby).div_ceil(self.stride())
    }

    fn stride(&self) -> u64 {
        2 * self.baby + 1
    }

    /// The discrete logarithm of a message.
    ///
    /// Cost: at most two multiplications in the target group per [`giant_steps`](Self::giant_steps), on all cores;
    /// fewer for small numbers. Not constant-time: the running time depends on the number.
    ///
    /// # Errors
    /// [`PlaintextOutOfRange`] if the number is not in the range.
    pub fn find(&self, message: &Message) -> Result<i64, PlaintextOutOfRange> {
        self.find_with_progress(message, &())
    }

    /// As [`find`](Self::find), and reports the giant steps to `progress`.
    ///
    /// # Errors
    /// As [`find`](Self::find).
    pub fn find_with_progress(
        &self,
        message: &Message,
        progress: &impl Progress,
    ) -> Result<i64, PlaintextOutOfRange> {
        let steps = self.giant_steps() + 1;
        let chunks = steps.div_ceil(STEPS_PER_CHUNK);
        let (next, is_found) = (AtomicU64::new(0), AtomicBool::new(false));
        // From the middle of the range outwards, whatever the number of cores: each takes the next unit of work. When one has found
        // the number, the others stop within a unit, so that all of them together do little more than one alone would.
        let search = |_: BroadcastContext<'_>| loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= chunks || is_found.load(Ordering::Relaxed) {
                return None;
            }
            let steps = chunk(index, steps);
            let length = steps.end - steps.start;
            let found = self.search(message, steps, &is_found);
            progress.advance(length);
            if found.is_some() {
                is_found.store(true, Ordering::Relaxed);
                return found;
            }
        };
        let found = rayon::broadcast(search).into_iter().flatten().next();
        found.ok_or(PlaintextOutOfRange { bound: self.bound })
    }

    /// Searches these strides in both directions, until somebody else has found the number.
    fn search(&self, message: &Message, steps: Range<u64>, is_found: &AtomicBool) -> Option<i64> {
        let offset = i64::try_from(steps.start.checked_mul(self.stride())?).ok()?;
        let stride = i64::try_from(self.stride()).ok()?;
        let step_up = generator::table().pow_signed(stride);
        let step_down = step_up.inverse();
        let shift = generator::table().pow_signed(offset);
        // `message · Z^(−centre)` for positive centres, and for negative ones.
        let (mut above, mut below) = (message.0.mul(&shift.inverse()), message.0.mul(&shift));
        let mut centre = offset;
        for step in steps {
            if step.is_multiple_of(STEPS_PER_LOOK) && is_found.load(Ordering::Relaxed) {
                return None;
            }
            let found = self
                .near(message, &above, centre)
                .or_else(|| self.near(message, &below, -centre));
            if found.is_some() {
                return found;
            }
            above = above.mul(&step_down);
            below = below.mul(&step_up);
            centre = centre.checked_add(stride)?;
        }
        None
    }

    /// The number, if it is within the table's length of `centre`.
    fn near(&self, message: &Message, shifted: &Gt, centre: i64) -> Option<i64> {
        let key = key_of(shifted);
        self.table
            .iter_hash(key)
            .filter(|entry| hash_of(entry) == key)
            .flat_map(|entry| [i64::from(entry[2]), -i64::from(entry[2])])
            .map(|distance| centre + distance)
            .filter(|number| number.unsigned_abs() <= self.bound)
            .find(|number| Message::number(*number) == *message)
    }
}

/// The indices of the units of work, in rounds that run in parallel.
fn rounds(steps: u64) -> impl Iterator<Item = Range<u64>> {
    let stretches = steps.div_ceil(STEPS_PER_CHUNK);
    (0..stretches.div_ceil(CHUNKS_PER_ROUND)).map(move |round| {
        let start = round * CHUNKS_PER_ROUND;
        start..(start + CHUNKS_PER_ROUND).min(stretches)
    })
}

/// The steps of the unit of work with this index.
fn chunk(index: u64, steps: u64) -> Range<u64> {
    let start = index * STEPS_PER_CHUNK;
    start..(start + STEPS_PER_CHUNK).min(steps)
}

/// The table entries of these baby steps.
fn entries(steps: Range<u64>) -> Vec<Entry> {
    let first = i64::try_from(steps.start).expect("fewer entries than 2³²; qed");
    let mut power = generator::table().pow_signed(first);
    steps
        .map(|number| {
            let key = key_of(&power);
            power = power.mul(generator::gt());
            let number = u32::try_from(number).expect("fewer entries than 2³²; qed");
            let [low, high] = halves(key);
            [low, high, number]
        })
        .collect()
}

/// 64 bits of an element that are the same for its inverse.
fn key_of(element: &Gt) -> u64 {
    let [first, ..] = element.as_field().c0.c0.c0.0 .0;
    first
}

fn hash_of(entry: &Entry) -> u64 {
    u64::from(entry[0]) | u64::from(entry[1]) << 32
}

fn halves(key: u64) -> [u32; 2] {
    let [a, b, c, d, e, f, g, h] = key.to_le_bytes();
    [[a, b, c, d], [e, f, g, h]].map(u32::from_le_bytes)
}
