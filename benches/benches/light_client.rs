//! What a light client checks: finality proofs and key lists, from bytes to verdict.

use codec::DecodeAll;
use criterion::Criterion;
use duet_benches::{
    fixtures::{share, spread, Round, GENESIS},
    rivals::BlstMinPk,
};
use duet_primitives::{check_stateless, Keyset, StatelessProof, UncheckedJustification};
use std::hint::black_box;

/// Finality proofs of sets of `n` by a share of them, with the keys and without, beside Ethereum's way.
fn proofs(criterion: &mut Criterion) {
    for n in [100_u32, 1000] {
        let round = Round::new(n.into());
        let keyset = round.set.set.keyset();
        let message = round.signed_bytes();
        for percent in [100, 67] {
            let signers = share(n, percent);
            let name = |module: &str, scheme: &str| {
                format!("{module}::check/n={n},signed={percent}%,scheme={scheme}")
            };

            let bytes = round.justification(signers);
            let check = || {
                let proof = UncheckedJustification::decode_all(&mut &black_box(&bytes)[..]);
                proof.expect("a proof").check(keyset, GENESIS).is_ok()
            };
            assert!(check());
            criterion.bench_function(&name("justification", "duet"), |bencher| {
                bencher.iter(check)
            });

            let bytes = round.stateless(signers);
            let check = || {
                let proof =
                    StatelessProof::decode_all(&mut &black_box(&bytes)[..]).expect("a proof");
                check_stateless(proof, round.set.set.commitment(), GENESIS).is_ok()
            };
            assert!(check());
            criterion.bench_function(&name("stateless", "duet"), |bencher| bencher.iter(check));

            let secrets = spread(n, signers)
                .into_iter()
                .filter_map(|index| round.set.secrets.get(usize::try_from(index).ok()?));
            let blst = BlstMinPk::new(secrets, &message);
            assert!(blst.check(&message));
            criterion.bench_function(&name("justification", "blst_min_pk"), |bencher| {
                bencher.iter(|| blst.check(black_box(&message)))
            });
        }
    }
}

/// The keys of a new set against its commitment, once per change of the set.
fn keysets(criterion: &mut Criterion) {
    for n in [100_u64, 1000] {
        let round = Round::new(n);
        let (commitment, keys) = (
            round.set.set.commitment(),
            round.set.set.keyset().key_bytes(),
        );
        criterion.bench_function(&format!("keyset::check/n={n}"), |bencher| {
            bencher.iter(|| Keyset::check(commitment, black_box(&keys)).is_ok())
        });
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    proofs(&mut criterion);
    keysets(&mut criterion);
    criterion.final_summary();
}
