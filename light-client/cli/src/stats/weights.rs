//! Weights in a file.

use duet_light_rpc::{Failure, Kind};
use duet_primitives::{Keyset, Pk1Bytes};
use duet_statistics::Weights;
use std::{fs::File, io::Read, path::Path};

/// More than a line for each validator of the largest set has.
const LONGEST: u64 = 16 * 1024 * 1024;

/// Reads the validators' weights: `pk1` and number per line. Empty lines and lines with a leading `#` are skipped.
pub(super) fn read(path: &Path, set: &Keyset) -> Result<Weights, Failure> {
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(LONGEST).read_to_string(&mut text));
    let failed = |why: String| Failure::new(Kind::Usage, format!("{}: {why}", path.display()));
    read.map_err(|error| failed(error.to_string()))?;
    parse(&text, set).map_err(failed)
}

fn parse(text: &str, set: &Keyset) -> Result<Weights, String> {
    let mut weights = vec![None; set.len() as usize];
    for (line, number) in text.lines().zip(1_u64..) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let failed = |why: &str| format!("line {number}: {why}");
        let (key, weight) = line
            .split_once(char::is_whitespace)
            .ok_or_else(|| failed("expected a `pk1` and a whole number"))?;
        let weight: u64 = weight
            .trim()
            .parse()
            .map_err(|error| failed(&format!("expected a whole number: {error}")))?;
        let key = pk1(key).ok_or_else(|| failed("a `pk1` is 0x and 96 hexadecimal digits"))?;
        let place = set
            .position(&key)
            .and_then(|member| weights.get_mut(usize::try_from(member.get()).ok()?))
            .ok_or_else(|| failed(&format!("this key is not in set {}", set.id())))?;
        if place.replace(weight).is_some() {
            return Err(failed("this key has a weight already"));
        }
    }
    let weights = weights.into_iter().map(Option::unwrap_or_default);
    Ok(Weights::Each(weights.collect()))
}

fn pk1(text: &str) -> Option<Pk1Bytes> {
    let mut bytes = [0; Pk1Bytes::LEN];
    hex::decode_to_slice(text.strip_prefix("0x")?, &mut bytes).ok()?;
    Some(Pk1Bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use duet_primitives::testing::TestSet;

    #[test]
    fn weights_are_put_into_the_order_of_the_set() {
        let test = TestSet::new(0, 0..3);
        let set = test.set.keyset();
        let keys = set.key_bytes();
        let text = format!("# who\n\n{} 5\n  {}\t7 \n", keys[2], keys[0]);
        assert_eq!(parse(&text, set), Ok(Weights::Each(vec![7, 0, 5])));
    }

    #[test]
    fn a_line_that_is_wrong_is_named() {
        let test = TestSet::new(0, 0..1);
        let set = test.set.keyset();
        let (key, other) = (set.key_bytes()[0], Pk1Bytes([9; 48]));
        for (text, expected) in [
            (
                format!("{key}"),
                "line 1: expected a `pk1` and a whole number",
            ),
            (
                format!("\n{key} many"),
                "line 2: expected a whole number: invalid digit found in string",
            ),
            (
                "0x12 5".into(),
                "line 1: a `pk1` is 0x and 96 hexadecimal digits",
            ),
            (format!("{other} 5"), "line 1: this key is not in set 0"),
            (
                format!("{key} 5\n{key} 5"),
                "line 2: this key has a weight already",
            ),
        ] {
            assert_eq!(parse(&text, set), Err(expected.to_owned()));
        }
    }
}
