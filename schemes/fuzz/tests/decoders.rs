//! Runs every target with seeded inputs.

use duet_scheme_fuzz::{Target, JOURNAL_DECODERS, TARGETS};
use rand::{seq::SliceRandom, Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn target(name: &str) -> Target {
    let target = TARGETS.into_iter().find(|target| target.name == name);
    target.expect("a target")
}

/// One of the inputs with its first byte, which may select a decoder, and otherwise random; as long as it was, or not.
fn random(valid: &[Vec<u8>], rng: &mut impl Rng) -> Vec<u8> {
    let mut bytes = valid.choose(rng).expect("an input").clone();
    if rng.gen() {
        bytes.resize(rng.gen_range(1..600), 0);
    }
    rng.fill(&mut bytes[1..]);
    bytes
}

/// One of the inputs with one to four changes, none of them of its first byte.
fn changed(valid: &[Vec<u8>], rng: &mut impl Rng) -> Vec<u8> {
    let mut bytes = valid.choose(rng).expect("an input").clone();
    for _ in 0..rng.gen_range(1..=4) {
        if bytes.len() == 1 {
            break;
        }
        let at = rng.gen_range(1..bytes.len());
        match rng.gen_range(0..9) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, rng.gen()),
            2 => drop(bytes.remove(at)),
            3 => bytes.extend_from_within(at..),
            4 => bytes[at..].fill(0),
            5 => {
                let other = rng.gen_range(1..bytes.len());
                bytes.swap(at, other);
            }
            6 => bytes[at] = rng.gen(),
            7 => {
                bytes[at] = *[0, 1, b'\n', 0x7f, 0x80, 0xc0, 0xff]
                    .choose(rng)
                    .expect("one")
            }
            _ => bytes[at] ^= 1 << rng.gen_range(0..8),
        }
    }
    bytes
}

fn check(name: &str) {
    let Target {
        run, valid, rounds, ..
    } = target(name);
    let valid = valid();
    for bytes in &valid {
        assert!(run(bytes), "decoder {}", bytes[0]);
    }
    run(&[]);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut count = |of: fn(&[Vec<u8>], &mut ChaCha8Rng) -> Vec<u8>| {
        let inputs = (0..rounds).map(|_| of(&valid, &mut rng));
        inputs.filter(|bytes| run(bytes)).count()
    };
    let (random, changed) = (count(random), count(changed));
    println!("{name}: of {rounds} random inputs {random} are accepted, of as many changed ones {changed}");
    // The changes reach the decoders, and their checks.
    assert!((1..rounds).contains(&changed), "{changed} of {rounds}");
}

/// One test for each target, so that they run side by side and each is named.
macro_rules! checks {
    ($($target:ident)*) => {
        const CHECKED: &[&str] = &[$(stringify!($target)),*];

        mod random_and_changed_bytes_are_accepted_or_not_and_never_panic {
            $(#[test]
            fn $target() {
                super::check(stringify!($target));
            })*
        }
    };
}

checks! { armour journal mklhs polynomial searchable sequential vouch }

#[test]
fn every_target_is_checked() {
    assert_eq!(CHECKED, TARGETS.map(|target| target.name));
}

#[test]
fn random_bytes_are_nothing_that_is_encrypted_and_no_key() {
    let Target { run, valid, .. } = target("searchable");
    // Any bytes of its length are a seed.
    let valid: Vec<_> = valid().into_iter().filter(|it| it[0] != 8).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for _ in 0..480 {
        let bytes = random(&valid, &mut rng);
        assert!(!run(&bytes), "selector {}", bytes[0]);
    }
}

#[test]
fn a_secret_key_passes_through_every_decoder() {
    use duet_sequential::{testing::secret_key, Suite};
    let secret = secret_key(Suite::Rsa3072, 0).to_bytes().expect("bytes");
    assert!((target("sequential").run)(&secret));
}

#[test]
fn every_altered_bit_and_every_cut_of_a_journal_has_its_verdict() {
    let Target { run, valid, .. } = target("journal");
    assert_eq!(valid().len(), usize::from(JOURNAL_DECODERS));
    for data in valid() {
        for bit in 8..8 * data.len() {
            let mut flipped = data.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            // Without a checksum, any owner, count and link is valid; so is an entry without a link.
            let is_checked = [1, 3].contains(&data[0]);
            assert!(!(is_checked && run(&flipped)), "{}, bit {bit}", data[0]);
        }
        for cut in 0..data.len() {
            // A journal may end anywhere after its header.
            let is_prefix = data[0] == 3 && cut >= 36 || data[0] == 4 && cut >= 33;
            assert_eq!(run(&data[..cut]), is_prefix, "{}, {cut} bytes", data[0]);
        }
        run(&[&data[..], &[0]].concat());
    }
    let same_key_twice = [&[4][..], &[5; 32], &[1; 70]].concat();
    assert!(!run(&same_key_twice));
}
