//! Keys by number, and the validators who have them.

/// A key of the test keyring: below 8, the key of validator `number % 4`, its first one or its second one.
pub type KeyNumber = u8;
/// Keys of the keyring, one bit each.
pub type Mask = u16;

/// The number of validators; the last ones are Byzantine.
pub const VALIDATORS: u8 = 4;
/// The validator whose key it is.
pub fn owner(key: KeyNumber) -> u8 {
    key % VALIDATORS
}

/// The keys of a mask.
pub fn keys_of(mask: Mask) -> impl Iterator<Item = KeyNumber> {
    (0..16).filter(move |key| mask & (1 << key) != 0)
}
