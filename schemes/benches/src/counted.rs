//! The counted (not timed) figures: the lengths of encodings, and the candidates of key generation. Each is counted on
//! the object itself, never computed from a formula.

use crate::{
    cmlhs,
    metrics::Epoch,
    mklhs,
    polynomial::{candidates, key, DataSet, DIMENSIONS},
    searchable::{factors, rng, Setting, LENGTHS},
    sequential::{LONGEST, SCHEMES},
};
use duet_polynomial::{research::Polynomial, Stat};
use std::num::NonZeroUsize;

/// One count.
pub struct Counted {
    /// Named as benches are.
    pub name: String,
    /// `B` for bytes, `1` for anything else.
    pub unit: &'static str,
    /// How many.
    pub count: u64,
}

/// Numbers of signers whose combined signatures are counted.
const SIGNERS: [u32; 4] = [10, 100, 300, 1000];

impl Counted {
    fn bytes(name: impl Into<String>, encoded: &[u8]) -> Self {
        Self::new(name, "B", encoded.len() as u64)
    }

    fn new(name: impl Into<String>, unit: &'static str, count: u64) -> Self {
        let name = name.into();
        Self { name, unit, count }
    }
}

/// Everything that is counted.
pub fn all() -> Vec<Counted> {
    [linear(), polynomial(), searchable(), sequential()]
        .into_iter()
        .flatten()
        .collect()
}

/// Signatures of `duet-mklhs` and of its rival.
///
/// # Panics
/// If something of a fixed seed does not work, which it does.
pub fn linear() -> Vec<Counted> {
    let mut counted = Vec::new();
    let one = mklhs::Workload::new(1, 1);
    let rival = cmlhs::Workload::new(&one);
    counted.extend([
        Counted::bytes(
            "mklhs::length/of=signature,scheme=duet",
            &one.signatures[0].to_bytes(),
        ),
        Counted::bytes(
            "mklhs::length/of=signature,scheme=cmlhs",
            &rival.signatures[0][0].to_bytes(),
        ),
    ]);
    for signers in SIGNERS {
        let workload = mklhs::Workload::new(signers, 1);
        let keys = format!("of=combined,signers={signers}");
        counted.push(Counted::bytes(
            format!("mklhs::length/{keys},scheme=duet"),
            &workload.combined.to_bytes(),
        ));
        counted.push(Counted::bytes(
            format!("mklhs::length/{keys},scheme=cmlhs"),
            &cmlhs::Workload::new(&workload).combined.to_bytes(),
        ));
    }
    let (_, proof) = Epoch::new(100).prove(&Stat::Variance);
    counted.push(Counted::bytes(
        "mklhs::length/of=variance,validators=100",
        &proof.to_bytes(),
    ));
    let evidence = Epoch::new(1).equivocation();
    counted.push(Counted::bytes(
        "mklhs::length/of=equivocation",
        &evidence.to_bytes(),
    ));
    counted
}

/// Candidates and signatures of `duet-polynomial`.
///
/// # Panics
/// If something of a fixed seed does not work, which it does.
pub fn polynomial() -> Vec<Counted> {
    let mut counted = Vec::new();
    for n in DIMENSIONS {
        let name = format!("polynomial::candidates/n={n}");
        counted.push(Counted::new(name, "1", candidates(n)));
        let fresh = &DataSet::new(n, 1).signatures[0];
        let name = format!("polynomial::length/of=signature,n={n}");
        counted.push(Counted::bytes(name, &fresh.to_bytes()));
    }
    let secret = key(64, 1, NonZeroUsize::MIN).secret.expose();
    counted.push(Counted::bytes("polynomial::length/of=secret,n=64", &secret));
    let function = Polynomial::variance(20).expect("twenty values");
    let variance = DataSet::new(64, 20).evaluate(&function);
    counted.push(Counted::bytes(
        "polynomial::length/of=variance,values=20,n=64",
        &variance.expect("a result that fits").signature.to_bytes(),
    ));
    counted
}

/// Keys and ciphertexts of `duet-searchable`.
///
/// # Panics
/// If something of a fixed seed does not work, which it does.
pub fn searchable() -> Vec<Counted> {
    let mut counted = Vec::new();
    let setting = Setting::new();
    // A number as data holders pass it.
    let number = 42_i64;
    let ciphertext = setting.encryptor.encrypt(number, &mut rng());
    let message = setting.master.decrypt(&setting.keyword, &ciphertext);
    let message = message.expect("its own");
    let delegated = setting.master.decryption_key(&setting.keyword);
    let mut add = |of: &str, encoded: &[u8]| {
        counted.push(Counted::bytes(
            format!("searchable::length/of={of}"),
            encoded,
        ));
    };
    add("message", &message.to_bytes());
    add("message,form=compressed", &message.to_compressed());
    add("message,form=lifted", &number.to_be_bytes());
    add("ciphertext", &ciphertext.to_plain());
    add("ciphertext,form=compressed", &ciphertext.to_compressed());
    add("secret", &*setting.master.expose());
    add("public", &setting.master.public_key().to_bytes());
    add("homomorphic", &*setting.server.expose());
    add(
        "decryption",
        &*delegated.expect("no collision with the secret").expose(),
    );
    let longest = LENGTHS[LENGTHS.len() - 1];
    let (left, right) = (factors(&setting, 0, longest), factors(&setting, 7, longest));
    for length in LENGTHS {
        let (left, right) = (&left[..length], &right[..length]);
        let product = setting.server.inner_product(left, right, &mut rng(), &());
        let product = product.expect("one keyword").ciphertexts();
        let name = format!("searchable::ciphertexts/of=product,length={length}");
        counted.push(Counted::new(name, "1", product as u64));
    }
    counted
}

/// Paths of hops.
///
/// # Panics
/// If something of a fixed seed does not work, which it does.
pub fn sequential() -> Vec<Counted> {
    let mut counted = Vec::new();
    for scheme in &SCHEMES {
        let encoded = |hops| (scheme.path)(hops).to_bytes();
        let name = |hops: &str| {
            let keys = format!("bits={},n={hops},scheme={}", scheme.bits, scheme.name);
            format!("sequential::length/{keys}")
        };
        for hops in 1..=LONGEST {
            counted.push(Counted::bytes(name(&hops.to_string()), &encoded(hops)));
        }
        let both = [encoded(4), encoded(5)].concat();
        counted.push(Counted::bytes(name("4+5"), &both));
    }
    counted
}
