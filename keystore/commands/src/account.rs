//! An account that signs transactions.

use sc_cli::CryptoScheme;
use sp_core::{crypto::AccountId32, ecdsa, ed25519, sr25519, Pair};
use sp_runtime::{traits::IdentifyAccount, MultiSigner};
use subxt::{
    config::substrate::SubstrateConfig,
    tx::Signer,
    utils::{self, MultiSignature},
};

/// Signs with an in-memory secret.
type Sign = Box<dyn Fn(&[u8]) -> MultiSignature>;

/// An account with its secret, which is wiped on drop.
pub(crate) struct Account {
    pub(crate) id: AccountId32,
    sign: Sign,
}

impl Account {
    /// The account of a secret URI; `None` if it gives none. The SDK's error may repeat parts of the URI.
    pub(crate) fn of_uri(uri: &str, scheme: CryptoScheme) -> Option<Self> {
        match scheme {
            CryptoScheme::Sr25519 => {
                Self::of::<sr25519::Pair>(uri, |it| MultiSignature::Sr25519(it.0))
            }
            CryptoScheme::Ed25519 => {
                Self::of::<ed25519::Pair>(uri, |it| MultiSignature::Ed25519(it.0))
            }
            CryptoScheme::Ecdsa => Self::of::<ecdsa::Pair>(uri, |it| MultiSignature::Ecdsa(it.0)),
        }
    }

    fn of<P>(uri: &str, signature: fn(P::Signature) -> MultiSignature) -> Option<Self>
    where
        P: Pair + 'static,
        MultiSigner: From<P::Public>,
    {
        let pair = P::from_string(uri, None).ok()?;
        Some(Self {
            id: MultiSigner::from(pair.public()).into_account(),
            sign: Box::new(move |bytes| signature(pair.sign(bytes))),
        })
    }
}

impl Signer<SubstrateConfig> for Account {
    fn account_id(&self) -> utils::AccountId32 {
        utils::AccountId32(self.id.clone().into())
    }

    fn sign(&self, bytes: &[u8]) -> MultiSignature {
        (self.sign)(bytes)
    }
}
