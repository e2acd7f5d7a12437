//! The output about vouchers.

use duet_light_client::Checkpoint;
use duet_primitives::{BlockNumber, H256};
use duet_vouch::Verdict;
use serde::Serialize;
use std::path::Path;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;
/// The last second of the year 9999.
const LAST: u64 = 253_402_300_799;

/// Who vouches for the checkpoint that a run begins from.
#[derive(Debug, Serialize)]
pub(crate) struct Vouched {
    genesis: H256,
    block: BlockNumber,
    hash: H256,
    /// How many have to.
    required: usize,
    /// How many names are in the user's list.
    listed: usize,
    by: Vec<Voucher>,
    not_counted: Vec<NotCounted>,
}

#[derive(Debug, Serialize)]
struct Voucher {
    name: String,
    fingerprint: String,
    /// Seconds since 1970.
    signed_at: u64,
}

#[derive(Debug, Serialize)]
struct NotCounted {
    fingerprint: String,
    /// None when the key is not in the list.
    name: Option<String>,
    signed_at: u64,
    reason: String,
}

/// A statement was added to a record.
#[derive(Debug, Serialize)]
pub(crate) struct Signed {
    file: String,
    block: BlockNumber,
    hash: H256,
    /// The key that signed.
    fingerprint: String,
    signed_at: u64,
    /// How many statements the record has now.
    statements: usize,
}

impl Vouched {
    /// `of` is the number of required vouchers, and of vouchers in the list.
    pub(super) fn new(checkpoint: &Checkpoint, verdict: &Verdict, of: (usize, usize)) -> Self {
        let (required, listed) = of;
        let by = verdict.by().iter().map(|voucher| Voucher {
            name: voucher.name.to_string(),
            fingerprint: voucher.fingerprint.to_string(),
            signed_at: voucher.signed_at.0,
        });
        let not_counted = verdict.not_counted().iter().map(|not| NotCounted {
            fingerprint: not.fingerprint.to_string(),
            name: not.name.as_ref().map(ToString::to_string),
            signed_at: not.signed_at.0,
            reason: not.reason.to_string(),
        });
        Self {
            genesis: checkpoint.genesis_hash,
            block: checkpoint.block_number,
            hash: checkpoint.block_hash,
            required,
            listed,
            by: by.collect(),
            not_counted: not_counted.collect(),
        }
    }

    /// For people.
    pub(crate) fn text(&self) -> String {
        let Self {
            block,
            hash,
            required,
            listed,
            by,
            ..
        } = self;
        let mut lines = vec![format!(
            "checkpoint at block {block} {hash:?}: {} of the {listed} in your list vouch for it, {required} required",
            by.len()
        )];
        lines.extend(by.iter().map(|voucher| {
            let Voucher {
                name,
                fingerprint,
                signed_at,
            } = voucher;
            format!("  {name}  {}  key {fingerprint}", utc(*signed_at))
        }));
        lines.extend(self.not_counted.iter().map(|not| {
            let name = not.name.as_ref().map(|name| format!("{name}  "));
            format!(
                "  not counted: {}{}  key {}: {}",
                name.unwrap_or_default(),
                utc(not.signed_at),
                not.fingerprint,
                not.reason
            )
        }));
        lines.join("\n")
    }
}

impl Signed {
    pub(super) fn new(checkpoint: &Checkpoint, record: &duet_vouch::Vouched, file: &Path) -> Self {
        let last = record.statements().last();
        Self {
            file: file.display().to_string(),
            block: checkpoint.block_number,
            hash: checkpoint.block_hash,
            fingerprint: last
                .map(|said| said.key.fingerprint().to_string())
                .unwrap_or_default(),
            signed_at: last.map_or(0, |said| said.signed_at.0),
            statements: record.statements().len(),
        }
    }

    /// For people.
    pub(crate) fn text(&self) -> String {
        let Self {
            file,
            block,
            hash,
            fingerprint,
            signed_at,
            statements,
        } = self;
        format!(
            "{file}: {statements} vouch for block {block} {hash:?}, the last with key {fingerprint} at {}",
            utc(*signed_at)
        )
    }
}

/// A time in the calendar, for people. Times that no calendar here goes to are numbers.
fn utc(seconds: u64) -> String {
    if seconds > LAST {
        return format!("second {seconds}");
    }
    let of_day = seconds % DAY;
    let (year, month, day) = date(seconds / DAY);
    format!(
        "{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02} UTC",
        of_day / HOUR,
        of_day % HOUR / MINUTE,
        of_day % MINUTE
    )
}

/// Year, month and day, this many days after the first of 1970.
fn date(mut days: u64) -> (u64, u64, u64) {
    let mut year = 1970;
    while let Some(left) = days.checked_sub(if is_leap(year) { 366 } else { 365 }) {
        days = left;
        year = year.saturating_add(1);
    }
    let february = if is_leap(year) { 29 } else { 28 };
    let months = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 1;
    for length in months {
        let Some(left) = days.checked_sub(length) else {
            break;
        };
        days = left;
        month = u64::saturating_add(month, 1);
    }
    (year, month, days.saturating_add(1))
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

#[cfg(test)]
mod tests {
    use super::utc;

    /// The expected texts are those of `date --utc --date @…`.
    #[test]
    fn times_are_shown_by_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01 00:00:00 UTC"),
            (951_782_399, "2000-02-28 23:59:59 UTC"),
            (951_782_400, "2000-02-29 00:00:00 UTC"),
            (1_704_067_199, "2023-12-31 23:59:59 UTC"),
            (1_709_251_199, "2024-02-29 23:59:59 UTC"),
            (4_107_542_400, "2100-03-01 00:00:00 UTC"),
            (253_402_300_799, "9999-12-31 23:59:59 UTC"),
            (253_402_300_800, "second 253402300800"),
            (u64::MAX, "second 18446744073709551615"),
        ] {
            assert_eq!(utc(seconds), expected);
        }
    }
}
