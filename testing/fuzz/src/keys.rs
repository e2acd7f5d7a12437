//! Targets of keys and proofs of possession.

use crate::{
    judge, odd,
    target::{seed, Input, Seed, Target},
};
use duet_primitives::{
    testing::secret, DualKeyBytes, Pk1Bytes, Pk2Bytes, PossessedKey, PossessionProof, SecretKey,
    VoteSignature,
};

/// The targets of keys.
pub(crate) const TARGETS: [Target; 3] = [
    Target {
        // KEY-1.
        name: "key",
        run: key,
        seeds: key_seeds,
    },
    Target {
        // KEY-2, DLEQ-2.
        name: "secret",
        run: secret_key,
        seeds: secret_seeds,
    },
    Target {
        // POP-1 to POP-4, KEY-1.
        name: "possession",
        run: possession,
        seeds: possession_seeds,
    },
];

fn key(data: &[u8]) {
    let bytes = DualKeyBytes(Input(data).array());
    let verdict = bytes.check().map(|key| key.to_bytes());
    assert_eq!(verdict, judge::key(&bytes).map(|_| bytes));
    let half = bytes.pk1().check().map(|half| half.to_bytes());
    if let Ok(key) = verdict {
        assert_eq!(half, Ok(key.pk1()));
        let stored =
            PossessedKey::from_chain_state_unchecked(&bytes).map(|key| key.key().to_bytes());
        assert_eq!(stored, Ok(bytes));
    }
}

fn key_seeds() -> Vec<Seed> {
    let good = secret(0).public();
    let first = odd::G1.iter().map(|(name, bytes)| {
        let key = DualKeyBytes::new(Pk1Bytes(*bytes), good.pk2());
        seed(format!("pk1 {name}"), key.0)
    });
    let second = odd::G2.iter().map(|(name, bytes)| {
        let key = DualKeyBytes::new(good.pk1(), Pk2Bytes(*bytes));
        seed(format!("pk2 {name}"), key.0)
    });
    let halves = DualKeyBytes::new(good.pk1(), secret(1).public().pk2());
    [
        seed("good", good.0),
        seed("two halves of two keys", halves.0),
    ]
    .into_iter()
    .chain(first)
    .chain(second)
    .collect()
}

fn secret_key(data: &[u8]) {
    let mut input = Input(data);
    let bytes = input.array();
    let message = input.rest();
    let key = match SecretKey::from_bytes(&bytes) {
        Ok(key) => key,
        Err(error) => {
            let expected = match judge::scalar(&bytes) {
                Some(_) => duet_primitives::SecretKeyError::Zero,
                None => duet_primitives::SecretKeyError::NotReduced,
            };
            assert_eq!(error, expected);
            return;
        }
    };
    assert_eq!(*key.expose(), bytes, "one encoding per secret");
    let public = key.public().check().expect("a secret's key is a key");
    let signature = key.sign(message);
    public
        .pk1()
        .verify(message, &signature)
        .expect("what is signed holds");
    judge::signature(&public.pk1().to_bytes(), message, &signature).expect("by definition too");
    // Other bytes of the same length are another signature, and it does not hold.
    let mut other = signature;
    if let (Some(byte), Some(mask)) = (other.0.get_mut(message.len() % 112), message.first()) {
        *byte ^= mask;
    }
    let verdict = public.pk1().verify(message, &other);
    assert_eq!(
        verdict,
        judge::signature(&public.pk1().to_bytes(), message, &other)
    );
    assert_eq!(verdict.is_ok(), other == signature);
}

fn secret_seeds() -> Vec<Seed> {
    odd::SCALARS
        .iter()
        .map(|(name, scalar)| seed(name, [&scalar[..], b"a message"].concat()))
        .collect()
}

/// One registration: a key, a proof and the owner that they are said to be of.
#[derive(Clone)]
struct Registration {
    key: DualKeyBytes,
    proof: PossessionProof,
    owner: [u8; 8],
}

const REGISTRATION_LEN: usize = 144 + 224 + 8;

impl Registration {
    fn read(bytes: &[u8]) -> Self {
        let mut input = Input(bytes);
        Self {
            key: DualKeyBytes(input.array()),
            proof: PossessionProof(input.array()),
            owner: input.array(),
        }
    }

    fn bytes(&self) -> Vec<u8> {
        [&self.key.0[..], &self.proof.0, &self.owner].concat()
    }

    fn good(secret: &SecretKey) -> Self {
        let owner = *b"an owner";
        Self {
            key: secret.public(),
            proof: secret.prove_possession(&owner),
            owner,
        }
    }
}

fn possession(data: &[u8]) {
    let registrations: Vec<_> = data
        .chunks(REGISTRATION_LEN)
        .take(4)
        .map(Registration::read)
        .collect();
    let all: Vec<_> = registrations
        .iter()
        .map(|one| (one.key, &one.owner[..], one.proof))
        .collect();
    let together = DualKeyBytes::check_possession_all(&all);
    assert_eq!(together.len(), all.len());
    for ((key, owner, proof), together) in all.iter().zip(together) {
        let alone = key
            .check_possession(owner, proof)
            .map(|key| key.key().to_bytes());
        let together = together.map(|key| key.key().to_bytes());
        assert_eq!(alone, together, "alone and among others");
        assert_eq!(alone, judge::possession(key, owner, proof).map(|()| *key));
    }
}

/// The negative of a secret, and its double.
fn related(secret: &SecretKey) -> [(&'static str, SecretKey); 2] {
    use ark_ff::{BigInteger, PrimeField};
    let scalar = judge::scalar(&secret.expose()).expect("a secret is reduced");
    [("minus", -scalar), ("twice", scalar + scalar)].map(|(name, scalar)| {
        let bytes = scalar.into_bigint().to_bytes_le();
        let bytes = bytes.try_into().expect("32 bytes");
        (name, SecretKey::from_bytes(&bytes).expect("not zero"))
    })
}

fn possession_seeds() -> Vec<Seed> {
    let good = Registration::good(&secret(0));
    let other = Registration::good(&secret(1));
    let mut seeds = vec![
        seed("good", good.bytes()),
        seed(
            "three good",
            [good.bytes(), other.bytes(), good.bytes()].concat(),
        ),
    ];
    let mut with = |name: String, change: &dyn Fn(&mut Registration)| {
        let mut changed = good.clone();
        change(&mut changed);
        let with_other = if name.contains("secret") {
            other.bytes()
        } else {
            Vec::new()
        };
        seeds.push(seed(&name, [changed.bytes(), with_other].concat()));
    };
    let sigma = |proof: &PossessionProof, at: usize, bytes: &[u8; 48]| {
        let mut proof = *proof;
        proof.0[at..at + 48].copy_from_slice(bytes);
        proof
    };
    for (name, bytes) in odd::G1.iter() {
        with(format!("pk1 {name}"), &|one| {
            one.key = DualKeyBytes::new(Pk1Bytes(*bytes), one.key.pk2())
        });
        with(format!("ownership {name}"), &|one| {
            one.proof = sigma(&one.proof, 0, bytes)
        });
        with(format!("possession {name}"), &|one| {
            one.proof = sigma(&one.proof, 112, bytes)
        });
    }
    for (name, bytes) in odd::G2.iter() {
        with(format!("pk2 {name}"), &|one| {
            one.key = DualKeyBytes::new(one.key.pk1(), Pk2Bytes(*bytes))
        });
    }
    with("another owner".into(), &|one| one.owner[0] ^= 1);
    with("the possession of another".into(), &|one| {
        one.proof = other.proof
    });
    // Everything but POP-3 holds: both parts are signed by the secret behind pk1, over the foreign pk2 that is shown.
    for (name, relative) in related(&secret(0)) {
        with(format!("of {name} the secret"), &|one| {
            *one = Registration::good(&relative)
        });
    }
    for (name, relative) in related(&secret(0))
        .into_iter()
        .chain([("another", secret(1))])
    {
        let foreign = relative.public().pk2();
        with(format!("pk2 of {name} the secret"), &|one| {
            one.key = DualKeyBytes::new(one.key.pk1(), foreign);
            let possession = sign_possession(&secret(0), &foreign);
            one.proof = PossessionProof::new(one.proof.ownership(), possession);
        });
    }
    seeds
}

/// The possession part over any `pk2`: the public interface signs only one's own.
fn sign_possession(secret: &SecretKey, pk2: &Pk2Bytes) -> VoteSignature {
    judge::sign(secret, &judge::possession_point(pk2))
}
