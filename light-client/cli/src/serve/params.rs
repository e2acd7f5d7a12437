//! Parameters of requests, within bounds.

use crate::serve::refusal::Refusal;
use codec::{Compact, Decode};
use duet_light_rpc::{hex, shown, List};
use jsonrpsee::types::Params;
use serde::{
    de::{DeserializeOwned, Error},
    Deserialize, Deserializer, Serialize, Serializer,
};
use serde_json::Value;

/// The most keys of one request or subscription.
const MAX_KEYS: usize = 256;
/// The longest key, in bytes. A proof has up to two nodes for each byte.
pub(crate) const MAX_KEY: usize = 1_024;

/// Bytes, as 0x-hex.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Bytes(pub(crate) Vec<u8>);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        // Nodes take the empty text for no bytes, and polkadot-api sends it.
        let digits = text.strip_prefix("0x").or(text.is_empty().then_some(""));
        let bytes = digits.and_then(|digits| hex::decode(digits).ok());
        bytes
            .map(Self)
            .ok_or_else(|| Error::custom("bytes are 0x and hexadecimal digits"))
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hex(&self.0))
    }
}

/// A block number, as a number or as 0x-hex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Number(pub(crate) u32);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = match Value::deserialize(deserializer)? {
            Value::Number(number) => number
                .as_u64()
                .and_then(|number| u32::try_from(number).ok()),
            Value::String(text) => {
                let digits = text.strip_prefix("0x");
                digits.and_then(|digits| u32::from_str_radix(digits, 16).ok())
            }
            _ => None,
        };
        number
            .map(Self)
            .ok_or_else(|| Error::custom("a block number is one number below 2^32"))
    }
}

/// A key of the state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub(crate) struct Key(pub(crate) Bytes);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = Bytes::deserialize(deserializer)?;
        if bytes.0.is_empty() || bytes.0.len() > MAX_KEY {
            let message = format!("a key has 1 to {MAX_KEY} bytes");
            return Err(Error::custom(message));
        }
        Ok(Self(bytes))
    }
}

/// Keys of the state.
#[derive(Clone, Debug)]
pub(crate) struct Keys(pub(crate) Vec<Key>);

impl Keys {
    pub(crate) fn as_slices(&self) -> Vec<&[u8]> {
        self.0.iter().map(|key| key.0 .0.as_slice()).collect()
    }
}

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut keys = Vec::<Key>::deserialize(deserializer)?;
        if keys.len() > MAX_KEYS {
            let message = format!("at most {MAX_KEYS} keys in one request");
            return Err(Error::custom(message));
        }
        keys.sort_unstable();
        keys.dedup();
        Ok(Self(keys))
    }
}

/// A transaction: its length, and just that many bytes. A node would ignore further ones, and answer with another hash.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(try_from = "Bytes")]
pub(crate) struct Transaction(pub(crate) Bytes);

impl TryFrom<Bytes> for Transaction {
    type Error = &'static str;

    fn try_from(bytes: Bytes) -> Result<Self, Self::Error> {
        let mut rest = bytes.0.as_slice();
        let length = Compact::<u32>::decode(&mut rest).map(|length| length.0);
        match length.ok().and_then(|length| usize::try_from(length).ok()) {
            Some(length) if length == rest.len() => Ok(Self(bytes)),
            _ => Err("expected a transaction: its length, and just that many bytes"),
        }
    }
}

/// Positional parameters. Trailing ones may be absent or null.
#[derive(Debug)]
pub(crate) struct Positional(std::vec::IntoIter<Value>);

/// More parameters than any method has.
const MAX_PARAMS: usize = 8;
/// The most bytes of parameters that are no texts.
const LONG: usize = 1 << 20;

impl Positional {
    pub(crate) fn new(params: &Params<'_>) -> Result<Self, Refusal> {
        let values: Vec<Value> = match params.as_str().map(str::trim) {
            None | Some("") => Vec::new(),
            // Whatever is this long is a text, such as a transaction: lists of many values would take a multiple.
            Some(text) if text.len() > LONG => {
                let texts = few::<String>(text)?;
                texts.into_iter().map(Value::String).collect()
            }
            Some(text) => few(text)?,
        };
        Ok(Self(values.into_iter()))
    }

    /// The next one, which must be there.
    pub(crate) fn next<T: DeserializeOwned>(&mut self) -> Result<T, Refusal> {
        parse(self.0.next().unwrap_or_default())
    }

    /// The next one, or none.
    pub(crate) fn optional<T: DeserializeOwned>(&mut self) -> Result<Option<T>, Refusal> {
        parse(self.0.next().unwrap_or_default())
    }

    /// All that are left.
    pub(crate) fn rest(self) -> Vec<Value> {
        self.0.collect()
    }
}

/// Reads an array, and no more of it than any method has parameters.
fn few<T: DeserializeOwned>(text: &str) -> Result<Vec<T>, Refusal> {
    let list = serde_json::from_str::<List<T, MAX_PARAMS>>(text);
    let list = list.map_err(|error| Refusal::Params(shown(&error.to_string())));
    Ok(list?.0)
}

fn parse<T: DeserializeOwned>(value: Value) -> Result<T, Refusal> {
    serde_json::from_value(value).map_err(|error| Refusal::Params(shown(&error.to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Value>, Refusal> {
        Positional::new(&Params::new(Some(text))).map(Positional::rest)
    }

    /// Lists of many values take many times the bytes of their text.
    #[test]
    fn long_parameters_are_few_texts() {
        let text = format!("[{}]", ["\"a\""; MAX_PARAMS].join(","));
        assert_eq!(read(&text).unwrap().len(), MAX_PARAMS);
        let more = format!("[{}]", ["\"a\""; MAX_PARAMS + 1].join(","));
        assert!(read(&more).is_err());
        assert!(read("[[0, 0]]").is_ok());
        let long = format!("[\"0x{}\"]", "0".repeat(LONG));
        assert_eq!(read(&long).unwrap().len(), 1);
        let zeros = format!("[[{}0]]", "0,".repeat(LONG / 2));
        assert!(zeros.len() > LONG && read(&zeros).is_err());
    }
}
