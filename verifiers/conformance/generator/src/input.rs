//! Reads the input of a case. The files are the project's own: what is not of the format is a panic, and a failed test.

use codec::DecodeAll;
use duet_primitives::H256;
use serde_json::Value;
use std::collections::BTreeMap;

/// The input of a case, with the data of its file.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a> {
    value: &'a Value,
    data: &'a BTreeMap<String, String>,
}

impl<'a> Input<'a> {
    pub(crate) fn new(value: &'a Value, data: &'a BTreeMap<String, String>) -> Self {
        Self { value, data }
    }

    fn field(&self, name: &str) -> &'a Value {
        self.value
            .get(name)
            .unwrap_or_else(|| panic!("an input without {name}: {}", self.value))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.value.get(name).is_some()
    }

    pub(crate) fn at(&self, name: &str) -> Self {
        Self::new(self.field(name), self.data)
    }

    pub(crate) fn text(&self, name: &str) -> &'a str {
        self.field(name).as_str().expect("a string")
    }

    /// A number of 32 bits, which stands as a number of JSON.
    pub(crate) fn u32(&self, name: &str) -> u32 {
        as_u32(self.field(name))
    }

    /// A number of 64 bits, which stands as a decimal string.
    pub(crate) fn u64(&self, name: &str) -> u64 {
        self.text(name).parse().expect("a decimal number")
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        self.as_bytes(self.field(name))
    }

    pub(crate) fn hash(&self, name: &str) -> H256 {
        H256(self.array(name))
    }

    pub(crate) fn array<const N: usize>(&self, name: &str) -> [u8; N] {
        let bytes = self.bytes(name);
        bytes.try_into().expect("bytes of a fixed length")
    }

    /// An object of which the case says nothing by its form.
    pub(crate) fn decoded<T: DecodeAll>(&self, name: &str) -> T {
        T::decode_all(&mut &self.bytes(name)[..]).expect("an encoding")
    }

    pub(crate) fn list(&self, name: &str) -> Vec<Self> {
        let items = self.field(name).as_array().expect("a list").iter();
        items.map(|item| Self::new(item, self.data)).collect()
    }

    pub(crate) fn byte_list(&self, name: &str) -> Vec<Vec<u8>> {
        let items = self.list(name).into_iter();
        items.map(|item| self.as_bytes(item.value)).collect()
    }

    pub(crate) fn u32_list(&self, name: &str) -> Vec<u32> {
        let items = self.list(name).into_iter();
        items.map(|item| as_u32(item.value)).collect()
    }

    fn as_bytes(&self, value: &Value) -> Vec<u8> {
        let text = value.as_str().expect("a string of bytes");
        let text = match text.strip_prefix('$') {
            Some(name) => self.data.get(name).expect("data of the file"),
            None => text,
        };
        hex::decode(text.strip_prefix("0x").expect("hex with its prefix")).expect("hex")
    }
}

fn as_u32(value: &Value) -> u32 {
    let number = value.as_u64().expect("a number");
    number.try_into().expect("32 bits")
}
