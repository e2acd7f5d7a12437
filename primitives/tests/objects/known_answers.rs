//! Known answers: every vector through the public API, and every file still what its maker makes.
//!
//! `cargo test -p duet-primitives --test objects known_answers::regenerate -- --ignored` rewrites the files; that is an act
//! of approval, see `vectors/README.md`.

use duet_primitives::{DualKeyBytes, PossessionProof, SecretKey, VoteSignature};
use serde::{de::DeserializeOwned, Deserialize, Serialize};
use sp_core::{proof_of_possession::ProofOfPossessionGenerator, Pair as _};
use std::{fmt::Debug, fs, path::PathBuf};
use w3f_bls::{
    DoubleNuggetBLS, Keypair, Message, NuggetBLS, NuggetBLSnCPPoP, SerializableToBytes, TinyBLS381,
};

/// One key and what was made with it.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Case {
    /// What the key comes from: a secret uri, or a seed in `0x`-hex.
    from: String,
    #[serde(with = "hex_bytes")]
    secret: [u8; 32],
    public: DualKeyBytes,
    #[serde(with = "hex_bytes")]
    message: Vec<u8>,
    signature: VoteSignature,
    #[serde(with = "hex_bytes")]
    owner: Vec<u8>,
    possession: PossessionProof,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct File {
    made_by: String,
    cases: Vec<Case>,
}

mod hex_bytes {
    use serde::{de::Error, Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(
        bytes: impl AsRef<[u8]>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.serialize_str(&format!("0x{}", hex::encode(bytes)))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>, T: TryFrom<Vec<u8>>>(
        from: D,
    ) -> Result<T, D::Error> {
        let text = String::deserialize(from)?;
        let digits = text
            .strip_prefix("0x")
            .ok_or_else(|| D::Error::custom("no 0x"))?;
        let bytes = hex::decode(digits).map_err(D::Error::custom)?;
        T::try_from(bytes).map_err(|_| D::Error::custom("another length"))
    }
}

fn path(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "vectors", name]
        .iter()
        .collect()
}

fn read<T: DeserializeOwned>(name: &str) -> T {
    let text = fs::read_to_string(path(name)).expect("the file is committed");
    serde_json::from_str(&text).expect("the file has the form of its type")
}

const SP_CORE: &str = "sp_core_bls381.json";
const W3F_BLS: &str = "w3f_bls.json";

/// What the cases sign and name as owner: nothing, a few bytes, more than a block of the hash.
fn contents(index: usize) -> (Vec<u8>, Vec<u8>) {
    let message = b"duet-v1 known answer"
        .iter()
        .copied()
        .cycle()
        .take(index * 33)
        .collect();
    (message, vec![0xa0; index * 17])
}

fn sp_core() -> File {
    let uris = [
        "//Alice",
        "//Bob",
        "//Charlie",
        "//Dave",
        "//Eve",
        "//Ferdie",
        "//Alice//duet//0",
    ];
    let case = |(index, uri): (usize, &&str)| {
        let mut pair = sp_core::bls381::Pair::from_string(uri, None).expect("a valid uri");
        let (message, owner) = contents(index);
        let signature = pair.sign(&message);
        let possession = pair.generate_proof_of_possession(&owner);
        Case {
            from: (*uri).into(),
            secret: pair.to_raw_vec().try_into().expect("32 bytes"),
            public: DualKeyBytes::try_from(pair.public().as_ref()).expect("144 bytes"),
            message,
            signature: VoteSignature::try_from(signature.as_ref()).expect("112 bytes"),
            owner,
            possession: PossessionProof::try_from(possession.as_ref()).expect("224 bytes"),
        }
    };
    let made_by =
        "sp-core 43.0.0, module bls381 (feature bls-experimental, w3f-bls 0.1.9 inside)".into();
    File {
        made_by,
        cases: uris.iter().enumerate().map(case).collect(),
    }
}

type TheirPoP = NuggetBLSnCPPoP<TinyBLS381>;

fn w3f_sign(pair: &mut Keypair<TinyBLS381>, message: &[u8]) -> VoteSignature {
    type G1 = <TinyBLS381 as w3f_bls::EngineBLS>::SignatureGroup;
    let message = Message::new(b"", message);
    let signature = <Keypair<TinyBLS381> as NuggetBLS<TinyBLS381, G1>>::sign(pair, &message);
    VoteSignature::try_from(&signature.to_bytes()[..]).expect("112 bytes")
}

fn w3f_possession(pair: &mut Keypair<TinyBLS381>) -> VoteSignature {
    let proof: TheirPoP = w3f_bls::ProofOfPossessionGenerator::<
        TinyBLS381,
        sha2::Sha256,
        w3f_bls::NuggetDoublePublicKey<TinyBLS381>,
        TheirPoP,
    >::generate_pok(pair);
    VoteSignature::try_from(&proof.to_bytes()[..]).expect("112 bytes")
}

fn w3f_bls() -> File {
    let case = |index: usize| {
        let seed = [u8::try_from(index).expect("few cases"); 32];
        let secret = w3f_bls::SecretKey::<TinyBLS381>::from_seed(&seed);
        let public = secret.to_public();
        let mut pair = Keypair { secret, public };
        let (message, owner) = contents(index);
        let signature = w3f_sign(&mut pair, &message);
        let ownership = w3f_sign(&mut pair, &[b"POP_", &owner[..]].concat());
        let possession = w3f_possession(&mut pair);
        let key = pair.to_nugget_double_public_key().to_bytes();
        Case {
            from: format!("0x{}", hex::encode(seed)),
            secret: pair
                .secret
                .to_vartime()
                .to_bytes()
                .try_into()
                .expect("32 bytes"),
            public: DualKeyBytes::try_from(&key[..]).expect("144 bytes"),
            message,
            signature,
            owner,
            possession: PossessionProof::new(ownership, possession),
        }
    };
    let made_by = "w3f-bls 0.3.3, TinyBLS381 with double public keys (nugget)".into();
    File {
        made_by,
        cases: (0..5).map(case).collect(),
    }
}

fn check_all(cases: &[Case]) {
    for case in cases {
        let secret = SecretKey::from_bytes(&case.secret).expect("a secret");
        assert_eq!(secret.public(), case.public, "{}", case.from);
        let key = case.public.check().expect("a key");
        assert_eq!(
            key.pk1().verify(&case.message, &case.signature),
            Ok(()),
            "{}",
            case.from
        );
        let possessed = case.public.check_possession(&case.owner, &case.possession);
        assert!(possessed.is_ok(), "{}: {possessed:?}", case.from);
    }
}

#[test]
fn we_make_every_byte_that_sp_core_makes() {
    let file: File = read(SP_CORE);
    check_all(&file.cases);
    for case in &file.cases {
        let secret = SecretKey::from_bytes(&case.secret).expect("a secret");
        assert_eq!(secret.sign(&case.message), case.signature, "{}", case.from);
        assert_eq!(
            secret.prove_possession(&case.owner),
            case.possession,
            "{}",
            case.from
        );
    }
}

/// Since 0.3 `w3f-bls` hashes the key and σ into its witness too. The witness is the signer's own business, so
/// that `c` and `s` differ from ours while keys and σ do not, and each side accepts what the other made.
#[test]
fn w3f_bls_agrees_on_keys_and_sigma_and_each_side_accepts_the_other() {
    let file: File = read(W3F_BLS);
    check_all(&file.cases);
    for case in &file.cases {
        let seed = hex::decode(case.from.trim_start_matches("0x")).expect("a seed in hex");
        let seed: [u8; 32] = seed.try_into().expect("32 bytes");
        let secret = SecretKey::from_seed(&seed).expect("a secret");
        assert_eq!(*secret.expose(), case.secret, "{}", case.from);

        let ours = secret.sign(&case.message);
        assert_eq!(ours.sigma(), case.signature.sigma(), "{}", case.from);
        assert_ne!(
            ours, case.signature,
            "{}: the witness is that of 0.1 again",
            case.from
        );
        let proof = secret.prove_possession(&case.owner);
        assert_eq!(
            proof.possession().sigma(),
            case.possession.possession().sigma()
        );

        let theirs = w3f_bls::NuggetDoublePublicKey::<TinyBLS381>::from_bytes(case.public.as_ref())
            .expect("their own key");
        let signature = w3f_bls::NuggetSignature::from_bytes(ours.as_ref()).expect("112 bytes");
        let message = Message::new(b"", &case.message);
        assert!(
            w3f_bls::NuggetPublicKey::verify(&theirs, &message, &signature),
            "{}",
            case.from
        );
        let possession = TheirPoP::from_bytes(proof.possession().as_ref()).expect("112 bytes");
        assert!(
            w3f_bls::ProofOfPossession::<TinyBLS381, sha2::Sha256, _>::verify(&possession, &theirs),
            "{}",
            case.from
        );
    }
}

#[test]
fn every_file_is_what_its_maker_makes_today() {
    assert_eq!(read::<File>(SP_CORE), sp_core());
    assert_eq!(read::<File>(W3F_BLS), w3f_bls());
}

fn write<T: Serialize + DeserializeOwned + PartialEq + Debug>(name: &str, file: &T) {
    let text = serde_json::to_string_pretty(file).expect("hex and names serialize");
    fs::write(path(name), text + "\n").expect("the checkout is writable");
    assert_eq!(&read::<T>(name), file);
}

#[test]
#[ignore = "rewrites the files"]
fn regenerate() {
    write(SP_CORE, &sp_core());
    write(W3F_BLS, &w3f_bls());
}
