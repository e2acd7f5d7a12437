//! Questions about a block.

use crate::calls::Function;
use codec::{Compact, Decode};
use duet_light_metadata::Token;
use duet_primitives::H256;
use sp_core::crypto::{AccountId32, Ss58Codec};
use sp_crypto_hashing::{blake2_128, twox_128};
use std::{fmt::Display, str::FromStr};

/// A question.
#[derive(Clone, Debug)]
pub(crate) enum Question {
    /// The block's header.
    Header,
    /// An entry of the state after the block.
    Storage(Entry),
    /// The account in the state after the block.
    Account(Account),
    /// The extrinsic of the block that has this hash.
    Transaction(H256),
    /// A call of the runtime after the block.
    Call(Function, Shown),
}

/// What is shown of a call's output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// All of it.
    Output,
    /// The metadata in it.
    Metadata,
    /// The digest of the metadata in it, for this token.
    Digest(Token),
    /// The fee in it.
    Fee,
}

/// An entry of the state.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: Vec<u8>,
    /// `Pallet.Item`, if the user named it so.
    pub(crate) name: Option<String>,
}

impl Entry {
    /// From a key, 0x-hex.
    pub(crate) fn from_key(text: &str) -> Result<Self, String> {
        let digits = text.strip_prefix("0x").unwrap_or(text);
        let key = hex::decode(digits)
            .map_err(|error| format!("a key is 0x and hexadecimal digits: {error}"))?;
        if key.is_empty() {
            return Err("a key has at least one byte".to_owned());
        }
        Ok(Self { key, name: None })
    }

    /// From `Pallet.Item`: an item that holds one value, such as `System.Events`.
    pub(crate) fn from_name(text: &str) -> Result<Self, String> {
        let parts = text
            .split_once('.')
            .filter(|(pallet, item)| !pallet.is_empty() && !item.is_empty() && !item.contains('.'));
        let (pallet, item) = parts.ok_or("a name is Pallet.Item, as in System.Events")?;
        let key = [twox_128(pallet.as_bytes()), twox_128(item.as_bytes())].concat();
        let name = Some(text.to_owned());
        Ok(Self { key, name })
    }

    /// The number of events in a value of `System.Events`. Decoding them would need metadata.
    pub(crate) fn events(&self, mut value: &[u8]) -> Option<u32> {
        let is_events = self.name.as_deref() == Some("System.Events");
        let count = is_events.then(|| Compact::<u32>::decode(&mut value));
        count?.ok().map(|count| count.0)
    }
}

/// An account, in the user's words and in the chain's.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    /// As the user wrote it.
    pub(crate) text: String,
    id: AccountId32,
}

/// The entry of an account, as the SDK's `frame_system` and `pallet_balances` lay it out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Decode)]
pub(crate) struct AccountInfo {
    pub(crate) nonce: u32,
    _references: [u32; 3],
    pub(crate) free: u128,
    pub(crate) reserved: u128,
    pub(crate) frozen: u128,
    _flags: u128,
}

impl FromStr for Account {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |error: &dyn Display| {
            format!("an account is an SS58 address or 0x and 64 hexadecimal digits: {error}")
        };
        let id = match text.strip_prefix("0x") {
            Some(digits) => {
                let mut id = [0; 32];
                hex::decode_to_slice(digits, &mut id).map_err(|error| wrong(&error))?;
                id.into()
            }
            None => AccountId32::from_ss58check(text).map_err(|error| wrong(&error))?,
        };
        let text = text.to_owned();
        Ok(Self { text, id })
    }
}

impl Account {
    /// The key of its entry in `System.Account`.
    pub(crate) fn key(&self) -> Vec<u8> {
        let id: &[u8] = self.id.as_ref();
        [
            &twox_128(b"System")[..],
            &twox_128(b"Account"),
            &blake2_128(id),
            id,
        ]
        .concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_events_are_found_by_their_name_and_counted() {
        let events = Entry::from_name("System.Events").unwrap();
        // As other tools print it.
        assert_eq!(
            hex::encode(&events.key),
            "26aa394eea5630e07c48ae0c9558cef780d41e5e16056765bc8461851072c9d7"
        );
        assert_eq!(events.events(&[12, 0, 0]), Some(3));
        assert_eq!(events.events(&[]), None);
        let other = Entry::from_name("System.Number").unwrap();
        assert_eq!(other.events(&[12, 0, 0]), None);
        for wrong in ["System", "System.", ".Events", "System.Events.Topics"] {
            assert!(Entry::from_name(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_account_is_read_as_address_and_as_bytes() {
        let alice = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY";
        let hex = "0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d";
        let [one, other] = [alice, hex].map(|text| text.parse::<Account>().unwrap());
        assert_eq!(one.id, other.id);
        // As other tools print it for this account.
        assert_eq!(
            hex::encode(one.key()),
            "26aa394eea5630e07c48ae0c9558cef7b99d880ec681799c0cf30e8886371da9\
             de1e86a9a8c739864cf3cc5ec2bea59fd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d"
        );
        for wrong in ["5Grw", "0x00", ""] {
            assert!(wrong.parse::<Account>().is_err(), "{wrong}");
        }
    }
}
