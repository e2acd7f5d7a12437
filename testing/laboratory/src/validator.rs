//! A validator of the laboratory: every key of it follows from its number.

use crate::{Error, Result};
use duet_keystore::{secret_of_suri, KeyRing};
use duet_primitives::{ownership_statement, H256};
use serde_json::{json, Value};
use sp_core::{
    crypto::{AccountId32, Ss58Codec},
    ed25519, sr25519, Pair,
};
use sp_crypto_hashing::blake2_256;
use std::{fs, path::Path};

/// What a validator owns, and what it has bonded of it: as in the presets of the runtime.
const ENDOWMENT: u128 = 1_000_000 * UNIT;
const STAKE: u128 = 1_000 * UNIT;
const UNIT: u128 = 1_000_000_000_000;

/// The SDK's names of the three kinds of session keys.
const AURA: &str = "aura";
const DISCOVERY: &str = "audi";
const GRANDPA: &str = "gran";

/// The keys of a node.
pub(crate) struct Validator {
    number: u16,
    suri: String,
    author: sr25519::Pair,
    voter: ed25519::Pair,
    node_key: [u8; 32],
}

impl Validator {
    /// The one with this number.
    pub(crate) fn new(number: u16) -> Result<Self> {
        let suri = format!("//Laboratory//{number}");
        let bad = |_| Error::Keys {
            node: number,
            why: format!("{suri} gives no session keys"),
        };
        Ok(Self {
            number,
            author: sr25519::Pair::from_string(&suri, None).map_err(bad)?,
            voter: ed25519::Pair::from_string(&suri, None).map_err(bad)?,
            node_key: blake2_256(suri.as_bytes()),
            suri,
        })
    }

    /// The secret URI of its account.
    pub(crate) fn suri(&self) -> &str {
        &self.suri
    }

    /// Its account, as the chain shows it.
    pub(crate) fn account(&self) -> String {
        self.account_id().to_ss58check()
    }

    /// The same account.
    pub(crate) fn account_id(&self) -> AccountId32 {
        AccountId32::from(self.author.public().0)
    }

    /// The keys of its account.
    pub(crate) fn pair(&self) -> sr25519::Pair {
        self.author.clone()
    }

    /// The secret of its identity on the network.
    pub(crate) fn node_key(&self) -> String {
        hex::encode(self.node_key)
    }

    /// Its identity on the network: the multihash of its public key, which is short enough to stand for itself.
    pub(crate) fn peer_id(&self) -> String {
        let public = ed25519::Pair::from_seed(&self.node_key).public();
        let head = [0x00, 0x24, 0x08, 0x01, 0x12, 0x20];
        bs58::encode([&head[..], &public.0].concat()).into_string()
    }

    /// Puts it into a genesis that lists validators.
    pub(crate) fn add_to(&self, genesis: &mut Value) -> Result {
        let account = self.account();
        let keys = |why: String| Error::Keys {
            node: self.number,
            why,
        };
        let secret = secret_of_suri(&self.suri).map_err(|error| keys(error.to_string()))?;
        let owner = ownership_statement(H256::zero(), &self.account_id());
        let proof = secret.prove_possession(&owner);
        let session = json!({
            "aura": account,
            "grandpa": self.voter.public().to_ss58check(),
            "authority_discovery": account,
        });
        let entries = [
            ("/balances/balances", json!([account, ENDOWMENT])),
            (
                "/staking/stakers",
                json!([account, account, STAKE, "Validator"]),
            ),
            ("/session/keys", json!([account, account, session])),
            ("/duet/keys", json!([account, secret.public(), proof])),
        ];
        for (list, entry) in entries {
            let list_there = genesis.pointer_mut(list).and_then(Value::as_array_mut);
            let missing = || Error::ChainSpec(format!("its genesis has no list {list}"));
            list_there.ok_or_else(missing)?.push(entry);
        }
        Ok(())
    }

    /// Writes its keys into a node's key directory: those of the SDK under the names that it looks for, and the Duet key.
    pub(crate) fn write_keys(&self, directory: &Path) -> Result {
        let io = |error| Error::io(format!("writing the keys of node {}", self.number))(error);
        fs::create_dir_all(directory).map_err(io)?;
        let (author, voter) = (self.author.public().0, self.voter.public().0);
        for (kind, public) in [(AURA, author), (DISCOVERY, author), (GRANDPA, voter)] {
            let name = hex::encode([kind.as_bytes(), &public].concat());
            let content = json!(self.suri).to_string();
            fs::write(directory.join(name), content).map_err(io)?;
        }
        let keys = |why: String| Error::Keys {
            node: self.number,
            why,
        };
        let secret = secret_of_suri(&self.suri).map_err(|error| keys(error.to_string()))?;
        let ring = KeyRing::open(directory, None).map_err(|error| keys(error.to_string()))?;
        ring.insert(secret).map_err(|error| keys(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_has_keys_of_its_own_and_always_the_same() {
        let [first, again, other] = [0, 0, 1].map(|number| Validator::new(number).unwrap());
        assert_eq!(first.peer_id(), again.peer_id());
        assert_eq!(first.account(), again.account());
        assert_ne!(first.peer_id(), other.peer_id());
        assert_ne!(first.account(), other.account());
    }

    #[test]
    fn an_identity_has_the_form_that_nodes_show() {
        let id = Validator::new(0).unwrap().peer_id();
        assert!(id.starts_with("12D3KooW") && id.len() == 52, "{id}");
    }

    #[test]
    fn a_validator_is_in_every_list_of_a_genesis_or_the_missing_one_is_named() {
        let mut genesis = json!({
            "balances": { "balances": [] },
            "staking": { "stakers": [] },
            "session": { "keys": [] },
            "duet": { "keys": [] },
        });
        let validator = Validator::new(3).unwrap();
        validator.add_to(&mut genesis).unwrap();
        for list in [
            "/balances/balances",
            "/staking/stakers",
            "/session/keys",
            "/duet/keys",
        ] {
            let entry = genesis.pointer(list).unwrap();
            assert_eq!(entry[0][0], validator.account(), "{list}");
        }
        genesis["duet"] = json!({});
        let error = validator.add_to(&mut genesis).expect_err("no list");
        assert!(error.to_string().contains("/duet/keys"), "{error}");
    }

    #[test]
    fn all_keys_are_in_the_key_directory() {
        let directory = tempfile::tempdir().unwrap();
        Validator::new(0)
            .unwrap()
            .write_keys(directory.path())
            .unwrap();
        let names: Vec<_> = fs::read_dir(directory.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        for prefix in ["61757261", "61756469", "6772616e", "duet-"] {
            assert!(
                names.iter().any(|name| name.starts_with(prefix)),
                "{prefix} is not among {names:?}"
            );
        }
    }
}
