//! Numbers from the exponent: baby steps and giant steps in a declared range.
//!
//! A table holds `Z^j` for small `j`; the search steps through the range with strides of twice the table's length,
//! in both directions. An element and its inverse share their first half, so one entry serves `j` and `−j`. Entries
//! are 64 bits of the element and the number `j`; what seems to be found is computed again in full, so that a
//! collision of 64 bits costs one power and never a wrong answer.

use crate::{
    bound::Bound,
    error::{PlaintextOutOfRange, TableError},
    generator,
    gt::Gt,
    message::Message,
    progress::Progress,
};
use core::{fmt, ops::Range};
use hashbrown::HashTable;
use rayon::prelude::*;

/// Bytes of an entry: 64 bits of the element, 32 of the number.
const ENTRY_LEN: usize = size_of::<Entry>();
/// Bytes of an entry in the table: itself and the table's control byte.
const SLOT_LEN: usize = ENTRY_LEN + 1;
/// What a table takes beyond its slots: control bytes of the last group, and alignment.
const OVERHEAD: usize = 64;
/// The table's slots are a power of two, of which seven eighths may be taken. The smallest that we make:
const LEAST_SLOTS: usize = 64;
/// Steps that one core does at once.
const STRETCH: u64 = 1024;
/// Stretches between two looks at whether the number was found.
const ROUND: u64 = 64;

/// Two halves of the key and the number, so that no padding is between them.
type Entry = [u32; 3];

/// Finds numbers between `−bound` and `bound` in the exponent. Made once for a range, and then used for many.
pub struct DiscreteLog {
    bound: u64,
    /// Baby steps: the table has `0..=baby`.
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
    /// A table for numbers of at most this magnitude, of at most so many bytes.
    ///
    /// It has about as many entries as the square root of the range, or as many as the memory allows: 13 bytes in a
    /// table whose slots are a power of two. With less memory the search is longer by as much.
    ///
    /// Cost: one multiplication in the target group for each entry, on all cores. `progress` is told of each.
    ///
    /// # Errors
    /// [`TableError`]: a range that no search can cover, or less memory than the smallest table takes.
    pub fn new(bound: Bound, memory: usize, progress: &impl Progress) -> Result<Self, TableError> {
        let baby = Self::baby_steps(bound, memory)?;
        let capacity = usize::try_from(baby + 1)
            .map_err(|_| TableError::RangeTooLarge { bound: bound.get() })?;
        let mut table = HashTable::with_capacity(capacity);
        for round in rounds(baby + 1) {
            let stretches: Vec<Vec<Entry>> = round
                .into_par_iter()
                .map(|index| entries(stretch(index, baby + 1)))
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

    /// How many entries the table of a range has in so much memory: for progress, and to plan.
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
            .filter(|slots| *slots >= LEAST_SLOTS as u64)
            .ok_or(TableError::TooLittleMemory {
                allowed: memory,
                least: LEAST_SLOTS * SLOT_LEN + OVERHEAD,
            })?;
        // √bound entries and √bound/2 strides to each side: as much work in the table as in a search.
        let wanted = range.isqrt().max(16);
        Ok(wanted.min(slots / 8 * 7 - 1))
    }

    /// The bytes of the table.
    pub fn memory(&self) -> usize {
        self.table.allocation_size()
    }

    /// The largest magnitude that is found.
    pub fn bound(&self) -> Bound {
        Bound::new(self.bound)
    }

    /// Strides of the longest search, to each side.
    pub fn giant_steps(&self) -> u64 {
        self.bound.saturating_sub(self.baby).div_ceil(self.stride())
    }

    fn stride(&self) -> u64 {
        2 * self.baby + 1
    }

    /// The number in the exponent of a message.
    ///
    /// Cost: at most two multiplications in the target group for each of [`giant_steps`](Self::giant_steps), on all
    /// cores, and fewer for small numbers. Takes a time that depends on the number.
    ///
    /// # Errors
    /// [`PlaintextOutOfRange`]: the message is no number of the range.
    pub fn find(&self, message: &Message) -> Result<i64, PlaintextOutOfRange> {
        self.find_with_progress(message, &())
    }

    /// As [`find`](Self::find), telling of the giant steps.
    ///
    /// # Errors
    /// As there.
    pub fn find_with_progress(
        &self,
        message: &Message,
        progress: &impl Progress,
    ) -> Result<i64, PlaintextOutOfRange> {
        let steps = self.giant_steps() + 1;
        // From the middle of the range outwards.
        for round in rounds(steps) {
            let found = round.into_par_iter().find_map_any(|index| {
                let steps = stretch(index, steps);
                let length = steps.end - steps.start;
                let found = self.search(message, steps);
                progress.advance(length);
                found
            });
            if let Some(number) = found {
                return Ok(number);
            }
        }
        Err(PlaintextOutOfRange { bound: self.bound })
    }

    /// Looks at these strides to both sides.
    fn search(&self, message: &Message, steps: Range<u64>) -> Option<i64> {
        let offset = i64::try_from(steps.start.checked_mul(self.stride())?).ok()?;
        let stride = i64::try_from(self.stride()).ok()?;
        let step_up = generator::table().pow_signed(stride);
        let step_down = step_up.inverse();
        let shift = generator::table().pow_signed(offset);
        // `message · Z^(−centre)` for centres above zero, and for centres below.
        let (mut above, mut below) = (message.0.mul(&shift.inverse()), message.0.mul(&shift));
        let mut centre = offset;
        for _ in steps {
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

    /// The number within the table's length of `centre`, if it is there.
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

/// The stretches of so many steps by their indices, a round after the other: what the cores have at once.
fn rounds(steps: u64) -> impl Iterator<Item = Range<u64>> {
    let stretches = steps.div_ceil(STRETCH);
    (0..stretches.div_ceil(ROUND)).map(move |round| {
        let start = round * ROUND;
        start..(start + ROUND).min(stretches)
    })
}

/// The steps of the stretch with this index.
fn stretch(index: u64, steps: u64) -> Range<u64> {
    let start = index * STRETCH;
    start..(start + STRETCH).min(steps)
}

/// The entries of these baby steps.
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

/// 64 bits of an element that it shares with its inverse.
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
