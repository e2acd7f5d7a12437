//! Validators with all keys derived from one secret URI, such as `//Alice`.

use crate::error::KeyError;
use duet_keystore::secret_of_suri;
use duet_primitives::{ownership_statement, H256};
use duet_runtime::{genesis::Validator, AccountId, SessionKeys};
use sp_core::{ed25519, sr25519, Pair};

/// The validator of a secret URI, with its proof for a genesis.
///
/// For development and test networks only: anyone who knows the URI controls this validator. Cost: some milliseconds.
///
/// # Errors
/// [`KeyError`] when `suri` is not a valid secret URI.
pub fn well_known_validator(suri: &str) -> Result<Validator, KeyError> {
    let account = sr25519::Pair::from_string(suri, None)
        .map_err(|_| KeyError::Session)?
        .public();
    let grandpa = ed25519::Pair::from_string(suri, None)
        .map_err(|_| KeyError::Session)?
        .public();
    let secret = secret_of_suri(suri)?;
    let owner = AccountId::from(account.0);
    Ok(Validator {
        duet_key: secret.public(),
        duet_proof: secret.prove_possession(&ownership_statement(H256::zero(), &owner)),
        session_keys: SessionKeys::new(account, grandpa),
        account: owner,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_derived_validator_proves_its_key_for_the_genesis() {
        let eve = well_known_validator("//Eve").unwrap();
        let owner = ownership_statement(H256::zero(), &eve.account);
        eve.duet_key
            .check_possession(&owner, &eve.duet_proof)
            .unwrap();
    }

    #[test]
    fn an_error_does_not_repeat_the_secret() {
        let error = well_known_validator("correct horse battery staple").unwrap_err();
        assert!(!error.to_string().contains("horse"), "{error}");
    }
}
