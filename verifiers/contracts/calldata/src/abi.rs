//! The few parts of Solidity's ABI that the contracts need.

use sha3::{Digest, Keccak256};

/// The first four bytes of a call: which function it is, by its signature such as `submit(bytes)`.
pub fn selector(signature: &str) -> [u8; 4] {
    let [a, b, c, d, ..]: [u8; 32] = Keccak256::digest(signature).into();
    [a, b, c, d]
}

/// A number as an argument.
pub fn word(number: u64) -> [u8; 32] {
    let mut word = [0; 32];
    for (to, from) in word.iter_mut().rev().zip(number.to_le_bytes()) {
        *to = from;
    }
    word
}

/// An address as an argument.
pub fn address(address: [u8; 20]) -> [u8; 32] {
    let mut word = [0; 32];
    for (to, from) in word.iter_mut().rev().zip(address.into_iter().rev()) {
        *to = from;
    }
    word
}

/// Bytes as a dynamic argument: their length, and the bytes, padded to words.
pub fn bytes(bytes: &[u8]) -> Vec<u8> {
    let mut out = word(bytes.len() as u64).to_vec();
    out.extend(bytes);
    out.resize(out.len().next_multiple_of(32), 0);
    out
}

/// A call of a function all of whose arguments are `bytes`.
pub fn call(signature: &str, arguments: &[Vec<u8>]) -> Vec<u8> {
    let mut place = (arguments.len() as u64).saturating_mul(32);
    let (mut head, mut tail) = (selector(signature).to_vec(), Vec::new());
    for argument in arguments {
        head.extend(word(place));
        let argument = bytes(argument);
        place = place.saturating_add(argument.len() as u64);
        tail.extend(argument);
    }
    head.extend(tail);
    head
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_selector_of_a_transfer_is_the_one_that_everybody_knows() {
        assert_eq!(
            hex::encode(selector("transfer(address,uint256)")),
            "a9059cbb"
        );
    }

    #[test]
    fn bytes_follow_the_places_that_point_to_them() {
        let call = call("f(bytes,bytes)", &[b"abc".to_vec(), vec![7; 33]]);
        let words: Vec<_> = call[4..].chunks(32).map(hex::encode).collect();
        let word = |last: &str| format!("{last:0>64}");
        let filled = |first: &str| format!("{first:0<64}");
        let expected = [
            word("40"),
            word("80"),
            word("3"),
            filled("616263"),
            word("21"),
            "07".repeat(32),
            filled("07"),
        ];
        assert_eq!(words, expected);
    }

    #[test]
    fn an_address_ends_its_word() {
        assert_eq!(address([9; 20])[..12], [0; 12]);
        assert_eq!(address([9; 20])[12..], [9; 20]);
    }
}
