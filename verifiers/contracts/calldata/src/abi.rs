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

/// A list of bytes as a dynamic argument: its length, where each of them is behind that, and they.
pub fn list(items: &[Vec<u8>]) -> Vec<u8> {
    let count = items.len() as u64;
    let mut place = count.saturating_mul(32);
    let (mut head, mut tail) = (word(count).to_vec(), Vec::new());
    for item in items {
        head.extend(word(place));
        let item = bytes(item);
        place = place.saturating_add(item.len() as u64);
        tail.extend(item);
    }
    head.extend(tail);
    head
}

/// A call of a function all of whose arguments are `bytes`.
pub fn call(signature: &str, arguments: &[Vec<u8>]) -> Vec<u8> {
    let mut call = selector(signature).to_vec();
    // Arguments are a list whose length is known.
    call.extend(list(arguments).into_iter().skip(32));
    call
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
