//! The age of the newest trusted block, and the refusal to continue from one that is too old. (LIGHT-9)

use alloc::vec::Vec;
use codec::{Decode, DecodeAll, Encode};
use duet_primitives::suite::TRUSTING_PERIOD_STORAGE_KEY;

/// The storage key of a block's time: `twox_128("Timestamp") ‖ twox_128("Now")`.
pub const TIME_STORAGE_KEY: [u8; 32] = [
    0xf0, 0xc3, 0x65, 0xc3, 0xcf, 0x59, 0xd6, 0x71, 0xeb, 0x72, 0xda, 0x0e, 0x7a, 0x41, 0x13, 0xc4,
    0x9f, 0x1f, 0x05, 0x15, 0xf4, 0x62, 0xcd, 0xcf, 0x84, 0xe0, 0xf1, 0xd6, 0x04, 0x5d, 0xfc, 0xbb,
];

/// How far a proven block may be ahead of a clock that measures a wait, in milliseconds. Nodes accept blocks that are a
/// little ahead. (RECOVER-7)
pub const MAX_AHEAD: u64 = 60_000;

/// A block's time, and the trusting period, as the state after the block names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Dated {
    /// Milliseconds since the Unix epoch.
    pub time: u64,
    /// In seconds; `None` where the chain names none.
    pub trusting_period: Option<u64>,
}

/// LIGHT-9: the newest trusted block is older than the trusting period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("LIGHT-9: the newest trusted block is {age} s old, and the trusting period is {trusting_period} s")]
pub struct TooOld {
    /// Seconds since the block's time.
    pub age: u64,
    /// The period, in seconds.
    pub trusting_period: u64,
}

impl Dated {
    /// The storage keys of what [`Dated::read`] reads, in its order.
    pub fn keys() -> [&'static [u8]; 2] {
        [&TIME_STORAGE_KEY, &TRUSTING_PERIOD_STORAGE_KEY]
    }

    /// Reads the values under [`Dated::keys`]; `None` where the state has no time, or a period that is no number. A period
    /// of 0 is none.
    pub fn read(values: &[Option<Vec<u8>>]) -> Option<Self> {
        let value = |index| values.get(index).and_then(Option::as_ref);
        let number = |value: &Vec<u8>| u64::decode_all(&mut value.as_slice()).ok();
        let trusting_period = match value(1) {
            Some(period) => Some(number(period)?),
            None => None,
        };
        Some(Self {
            time: number(value(0)?)?,
            trusting_period: trusting_period.filter(|period| *period > 0),
        })
    }

    /// Seconds since the block's time; 0 when the clock is behind it. `now` is in milliseconds.
    pub fn age(&self, now: u64) -> u64 {
        now.saturating_sub(self.time) / 1000
    }

    /// How far the block's time is ahead of the clock, in milliseconds; 0 when it is not. `now` is in milliseconds.
    pub fn ahead(&self, now: u64) -> u64 {
        self.time.saturating_sub(now)
    }

    /// The trusting period that counts, in seconds: the shorter one of the chain's and the user's own, `given`. `None`
    /// without any.
    pub fn period(&self, given: Option<u64>) -> Option<u64> {
        self.trusting_period.into_iter().chain(given).min()
    }

    /// Whether proofs by the block's sets may still be trusted, by the [`period`](Self::period) that counts. Without any,
    /// every age passes.
    ///
    /// # Errors
    /// [`TooOld`] when more time has passed.
    pub fn check(&self, now: u64, given: Option<u64>) -> Result<(), TooOld> {
        let passed = now.saturating_sub(self.time);
        match self.period(given) {
            Some(trusting_period) if passed > trusting_period.saturating_mul(1000) => Err(TooOld {
                age: self.age(now),
                trusting_period,
            }),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    const MINUTE: u64 = 60_000;

    #[test]
    fn a_block_is_too_old_one_millisecond_after_the_shorter_period() {
        let dated = |trusting_period| Dated {
            time: MINUTE,
            trusting_period,
        };
        let refused = |age, trusting_period| {
            Err(TooOld {
                age,
                trusting_period,
            })
        };
        for (stated, given, millis, expected) in [
            (Some(100), None, 100_000, Ok(())),
            (Some(100), None, 100_001, refused(100, 100)),
            (Some(100), Some(50), 51_000, refused(51, 50)),
            (Some(100), Some(150), 101_000, refused(101, 100)),
            (None, Some(50), 50_999, refused(50, 50)),
            (Some(u64::MAX), None, u64::MAX - MINUTE, Ok(())),
            (None, None, u64::MAX - MINUTE, Ok(())),
        ] {
            let checked = dated(stated).check(MINUTE + millis, given);
            assert_eq!(checked, expected);
        }
        assert_eq!(dated(Some(100)).age(0), 0, "the clock is behind");
    }

    #[test]
    fn time_and_period_are_read_from_the_state_that_has_a_time() {
        let bytes = |value: u64| Some(value.encode());
        for (values, expected) in [
            (vec![bytes(7), bytes(9)], Some((7, Some(9)))),
            (vec![bytes(7), bytes(0)], Some((7, None))),
            (vec![bytes(7), None], Some((7, None))),
            (vec![None, bytes(9)], None),
            (vec![Some(vec![7]), bytes(9)], None),
            (vec![bytes(7), Some(vec![9])], None),
            (vec![], None),
        ] {
            let expected = expected.map(|(time, trusting_period)| Dated {
                time,
                trusting_period,
            });
            assert_eq!(Dated::read(&values), expected);
        }
    }
}
