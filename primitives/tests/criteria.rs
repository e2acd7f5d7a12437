//! Which bytes are a point, a scalar, a key, a signature: the table of odd inputs and the verdict on each.
//!
//! Which signatures are valid is consensus, so that each row has one verdict, and both back ends give it with the
//! same error. The odd points are made from the definition of the curves, not by the code under test.

use ark_bls12_381::{g1, g2, Fq, Fq2, Fr, G1Affine, G2Affine};
use ark_ec::{
    short_weierstrass::{Affine, SWCurveConfig},
    AffineRepr, CurveConfig, CurveGroup,
};
use ark_ff::{BigInteger, One, PrimeField, Zero};
use ark_serialize::CanonicalSerialize;
use codec::{Decode, DecodeAll, Encode};
use duet_curve::{Ark, Base, Blst, Curve, PointError, Purpose, Wasm};
use duet_primitives::{
    check_stateless,
    testing::{secret, TestSet},
    *,
};

const COMPRESSED: u8 = 0x80;
const INFINITY: u8 = 0x40;
const SIGN: u8 = 0x20;

/// One row: what it is, its bytes, what we say of it, and what we say when it was checked before it was stored.
struct Row<const N: usize> {
    what: &'static str,
    bytes: [u8; N],
    verdict: Result<(), PointError>,
    stored: Result<(), PointError>,
}

fn row<const N: usize>(
    what: &'static str,
    bytes: [u8; N],
    verdict: Result<(), PointError>,
) -> Row<N> {
    Row {
        what,
        bytes,
        verdict,
        stored: verdict,
    }
}

/// On the curve and outside of the subgroup: refused, and not looked for where keys were checked before.
fn outside<const N: usize>(what: &'static str, bytes: [u8; N]) -> Row<N> {
    Row {
        what,
        bytes,
        verdict: Err(PointError::NotInSubgroup),
        stored: Ok(()),
    }
}

fn compress<P: SWCurveConfig, const N: usize>(point: &Affine<P>) -> [u8; N] {
    let mut bytes = [0; N];
    point
        .serialize_compressed(&mut bytes[..])
        .expect("N is the size of the point");
    bytes
}

/// A point of the curve as it comes, in no subgroup, at the first `x ≥ from` that has one.
fn any_point<P: SWCurveConfig>(from: u64) -> Affine<P> {
    (from..)
        .find_map(|x| Affine::<P>::get_point_from_x_unchecked(P::BaseField::from(x), false))
        .expect("half of all x have a point")
}

/// A coordinate that no point of the curve has.
fn no_point<P: SWCurveConfig>() -> P::BaseField {
    (1_u64..)
        .map(P::BaseField::from)
        .find(|x| Affine::<P>::get_point_from_x_unchecked(*x, false).is_none())
        .expect("half of all x have no point")
}

/// `number / divisor`, limb by limb, when nothing is left over.
fn divide(number: &[u64], divisor: u64) -> Option<Vec<u64>> {
    let mut quotient = number.to_vec();
    let mut rest = 0_u128;
    for limb in quotient.iter_mut().rev() {
        let value = (rest << 64) | u128::from(*limb);
        *limb = u64::try_from(value / u128::from(divisor)).expect("the rest is below the divisor");
        rest = value % u128::from(divisor);
    }
    (rest == 0).then_some(quotient)
}

/// A point of small prime order, which divides the cofactor.
fn of_order<P: SWCurveConfig<ScalarField = Fr>>(order: u64) -> Affine<P> {
    let mut others = divide(<P as CurveConfig>::COFACTOR, order).expect("it divides the cofactor");
    while let Some(fewer) = divide(&others, order) {
        others = fewer;
    }
    let times = |point: Affine<P>, by: &[u64]| point.mul_bigint(by).into_affine();
    let mut point = (1..100)
        .map(|from| times(any_point::<P>(from), Fr::MODULUS.as_ref()))
        .map(|torsion| times(torsion, &others))
        .find(|point| !point.is_zero())
        .expect("not every point lacks a component of this order");
    while !times(point, &[order]).is_zero() {
        point = times(point, &[order]);
    }
    point
}

fn plus<P: SWCurveConfig>(a: Affine<P>, b: Affine<P>) -> Affine<P> {
    (a.into_group() + b).into_affine()
}

/// `x + p` where that fits below the flags, so that the bytes name the same residue.
fn not_reduced(x: Fq) -> [u8; 48] {
    let mut sum = x.into_bigint();
    assert!(!sum.add_with_carry(&Fq::MODULUS));
    sum.to_bytes_be().try_into().expect("48 bytes")
}

/// Rows that any encoding of a point has, whatever its group.
fn common<P: SWCurveConfig, const N: usize>(good: [u8; N]) -> Vec<Row<N>> {
    let refused = Err(PointError::NotCanonical);
    let with_first = |change: fn(u8) -> u8| {
        let mut bytes = good;
        bytes[0] = change(bytes[0]);
        bytes
    };
    let infinity = |first: u8, last: u8| {
        let mut bytes = [0; N];
        bytes[0] = first;
        bytes[N - 1] = last;
        bytes
    };
    let mut of_no_point = compress::<P, N>(&Affine::new_unchecked(
        no_point::<P>(),
        P::BaseField::zero(),
    ));
    of_no_point[0] |= COMPRESSED;
    vec![
        row("a point", good, Ok(())),
        row("its negative", with_first(|byte| byte ^ SIGN), Ok(())),
        row("all zero", [0; N], refused),
        row("all ones", [0xff; N], refused),
        row(
            "without the compressed flag",
            with_first(|byte| byte & !COMPRESSED),
            refused,
        ),
        row(
            "with the infinity flag",
            with_first(|byte| byte | INFINITY),
            refused,
        ),
        row(
            "infinity",
            infinity(COMPRESSED | INFINITY, 0),
            Err(PointError::Infinity),
        ),
        row(
            "infinity with the sign flag",
            infinity(COMPRESSED | INFINITY | SIGN, 0),
            refused,
        ),
        row("infinity, not compressed", infinity(INFINITY, 0), refused),
        row(
            "infinity with a stray bit in the last byte",
            infinity(COMPRESSED | INFINITY, 1),
            refused,
        ),
        row(
            "infinity with a stray bit in the first",
            infinity(COMPRESSED | INFINITY | 1, 0),
            refused,
        ),
        row(
            "an x without a point",
            of_no_point,
            Err(PointError::NotOnCurve),
        ),
        outside("on the curve as it comes", compress(&any_point::<P>(5))),
    ]
}

fn g1_rows() -> Vec<Row<48>> {
    let generator = G1Affine::generator();
    let mut rows = common::<g1::Config, 48>(compress(&generator));
    for (what, order) in [
        ("of order 3", 3),
        ("of order 11", 11),
        ("of order 10177", 10177),
    ] {
        let small = of_order::<g1::Config>(order);
        rows.push(outside(what, compress(&small)));
        rows.push(outside(
            "a key with a component of small order",
            compress(&plus(generator, small)),
        ));
    }
    let flagged = |mut bytes: [u8; 48], flags: u8| {
        bytes[0] |= flags;
        bytes
    };
    let four = (1_u64..)
        .map(Fq::from)
        .find(|x| Affine::<g1::Config>::get_point_from_x_unchecked(*x, false).is_some());
    let refused = Err(PointError::NotCanonical);
    rows.extend([
        row(
            "x = p",
            flagged(not_reduced(Fq::zero()), COMPRESSED),
            refused,
        ),
        row(
            "x = p, greater y",
            flagged(not_reduced(Fq::zero()), COMPRESSED | SIGN),
            refused,
        ),
        row(
            "an x of the curve plus p",
            flagged(not_reduced(four.expect("one")), COMPRESSED),
            refused,
        ),
        row(
            "x = p − 1 is reduced",
            flagged(last_residue(), COMPRESSED),
            at_last_residue(),
        ),
    ]);
    rows
}

fn last_residue() -> [u8; 48] {
    (-Fq::one())
        .into_bigint()
        .to_bytes_be()
        .try_into()
        .expect("48 bytes")
}

/// `(p − 1)³ + 4 = 3`, which has no root: canonical, and not on the curve.
fn at_last_residue() -> Result<(), PointError> {
    assert!(G1Affine::get_point_from_x_unchecked(-Fq::one(), false).is_none());
    Err(PointError::NotOnCurve)
}

fn g2_rows() -> Vec<Row<96>> {
    let generator = G2Affine::generator();
    let mut rows = common::<g2::Config, 96>(compress(&generator));
    for (what, order) in [
        ("of order 13", 13),
        ("of order 23", 23),
        ("of order 2713", 2713),
    ] {
        let small = of_order::<g2::Config>(order);
        rows.push(outside(what, compress(&small)));
        rows.push(outside(
            "a key with a component of small order",
            compress(&plus(generator, small)),
        ));
    }
    // The imaginary half stands first and carries the flags.
    let join = |imaginary: [u8; 48], real: [u8; 48]| {
        let mut bytes = [0; 96];
        bytes[..48].copy_from_slice(&imaginary);
        bytes[48..].copy_from_slice(&real);
        bytes[0] |= COMPRESSED;
        bytes
    };
    let Fq2 { c0, c1 } = any_point::<g2::Config>(5).x;
    let bytes = |x: Fq| -> [u8; 48] { x.into_bigint().to_bytes_be().try_into().expect("48 bytes") };
    let refused = Err(PointError::NotCanonical);
    rows.extend([
        row(
            "the real half is p",
            join(bytes(c1), not_reduced(Fq::zero())),
            refused,
        ),
        row(
            "the imaginary half is p",
            join(not_reduced(Fq::zero()), bytes(c0)),
            refused,
        ),
        row(
            "the real half plus p",
            join(bytes(c1), not_reduced(c0)),
            refused,
        ),
        row(
            "x = 0, which no point has",
            join([0; 48], [0; 48]),
            Err(PointError::NotOnCurve),
        ),
        row(
            "a flag on the second half",
            {
                let mut second = join(bytes(c1), bytes(c0));
                second[48] |= COMPRESSED;
                second
            },
            refused,
        ),
    ]);
    rows
}

fn decoded<C: Curve>(row: &Row<48>) -> [Result<(), PointError>; 2] {
    let verdict = C::g1_from_bytes(&row.bytes).map(|_| ());
    let with_tables = Base::<C>::from_bytes(&row.bytes, Purpose::AFewTimes).map(|_| ());
    assert_eq!(with_tables, verdict, "{}", row.what);
    [verdict, C::g1_from_stored_unchecked(&row.bytes).map(|_| ())]
}

#[test]
fn each_odd_point_of_g1_has_one_verdict_in_all_back_ends() {
    for row in g1_rows() {
        let expected = [row.verdict, row.stored];
        assert_eq!(decoded::<Ark>(&row), expected, "arkworks: {}", row.what);
        assert_eq!(decoded::<Blst>(&row), expected, "blst: {}", row.what);
        assert_eq!(decoded::<Wasm>(&row), expected, "wasm: {}", row.what);
    }
}

fn decoded_g2<C: Curve>(row: &Row<96>) -> [Result<(), PointError>; 2] {
    let verdict = C::g2_from_bytes(&row.bytes).map(|_| ());
    let prepared = C::g2_prepared_from_bytes(&row.bytes).map(|_| ());
    assert_eq!(prepared, verdict, "{}", row.what);
    [verdict, C::g2_from_stored_unchecked(&row.bytes).map(|_| ())]
}

#[test]
fn each_odd_point_of_g2_has_one_verdict_in_all_back_ends() {
    for row in g2_rows() {
        let expected = [row.verdict, row.stored];
        assert_eq!(decoded_g2::<Ark>(&row), expected, "arkworks: {}", row.what);
        assert_eq!(decoded_g2::<Blst>(&row), expected, "blst: {}", row.what);
        assert_eq!(decoded_g2::<Wasm>(&row), expected, "wasm: {}", row.what);
    }
}

/// SET-5: what is read from chain state is decoded without the subgroup check.
#[test]
fn an_odd_point_is_no_key_and_the_error_says_which_half() {
    let good = secret(0).public();
    for row in g1_rows() {
        let key = DualKeyBytes::new(Pk1Bytes(row.bytes), good.pk2());
        assert_eq!(
            key.check().map(|_| ()),
            row.verdict.map_err(KeyError::Pk1),
            "{}",
            row.what
        );
        let stored = Pk1::from_chain_state_unchecked(&key.pk1()).map(|_| ());
        assert_eq!(stored, row.stored.map_err(KeyError::Pk1), "{}", row.what);
    }
    for row in g2_rows() {
        let key = DualKeyBytes::new(good.pk1(), Pk2Bytes(row.bytes));
        assert_eq!(
            key.check().map(|_| ()),
            row.verdict.map_err(KeyError::Pk2),
            "{}",
            row.what
        );
    }
}

/// A valid signature with another σ: an odd one breaks its own rule, a good one the proof.
#[test]
fn an_odd_point_is_no_signature() {
    let key = secret(0).public().check().expect("a secret's key is a key");
    let good = secret(0).sign(b"message");
    for row in g1_rows() {
        let mut signature = good;
        signature.0[..48].copy_from_slice(&row.bytes);
        let expected = match row.verdict {
            Ok(()) => SignatureError::ProofFails,
            Err(error) => SignatureError::Sigma(error),
        };
        assert_eq!(
            key.pk1().verify(b"message", &signature),
            Err(expected),
            "{}",
            row.what
        );
    }
}

#[test]
fn an_odd_point_is_no_aggregate_signature_and_no_apk2() {
    let genesis = H256::zero();
    let set = TestSet::new(0, 0..4);
    let message = RoundMessage::new(genesis, set.commitment(1, &set.set));
    let good = set.justify(&message, 0..3).into_unchecked();
    let check =
        |changed: UncheckedJustification| changed.check(set.set.keyset(), genesis).map(|_| ());
    assert_eq!(check(good.clone()), Ok(()));
    for row in g1_rows() {
        let changed = UncheckedJustification {
            signature: SignatureBytes(row.bytes),
            ..good.clone()
        };
        let expected = match row.verdict {
            Ok(()) => JustificationError::EquationFails,
            Err(error) => JustificationError::Signature(error),
        };
        assert_eq!(check(changed), Err(expected), "{}", row.what);
    }
    for row in g2_rows() {
        let changed = UncheckedJustification {
            apk2: Pk2Bytes(row.bytes),
            ..good.clone()
        };
        let expected = match row.verdict {
            Ok(()) => JustificationError::EquationFails,
            Err(error) => JustificationError::Apk2(error),
        };
        assert_eq!(check(changed), Err(expected), "{}", row.what);
    }
}

#[test]
fn an_odd_point_is_no_total_of_a_trusted_commitment() {
    let genesis = H256::zero();
    let set = TestSet::new(0, 0..4);
    let message = RoundMessage::new(genesis, set.commitment(1, &set.set));
    let justification = set.justify(&message, 0..3);
    let proof = StatelessProof::new(&justification, set.set.keyset()).expect("of this set");
    for row in g1_rows() {
        let trusted = KeysetCommitment {
            apk1: Pk1Bytes(row.bytes),
            ..set.set.commitment().clone()
        };
        let expected = match row.verdict {
            Ok(()) => StatelessError::Justification(JustificationError::EquationFails),
            Err(error) => StatelessError::Total(error),
        };
        let found = check_stateless(proof.clone(), &trusted, genesis).map(|_| ());
        assert_eq!(found, Err(expected), "{}", row.what);
    }
}

/// Scalars of interest, little-endian, and whether they are below `r`.
fn scalar_rows() -> Vec<(&'static str, [u8; 32], bool)> {
    let le = |n: <Fr as PrimeField>::BigInt| -> [u8; 32] {
        n.to_bytes_le().try_into().expect("32 bytes")
    };
    let r = Fr::MODULUS;
    let mut above = r;
    assert!(!above.add_with_carry(&1_u64.into()));
    let mut twice = r;
    assert!(!twice.add_with_carry(&r));
    vec![
        ("zero", [0; 32], true),
        ("one", le(1_u64.into()), true),
        ("r − 1", le((-Fr::one()).into_bigint()), true),
        ("r", le(r), false),
        ("r + 1", le(above), false),
        ("2r", le(twice), false),
        (
            "2²⁵⁵",
            le(<Fr as PrimeField>::BigInt::new([0, 0, 0, 1 << 63])),
            false,
        ),
        ("2²⁵⁶ − 1", [0xff; 32], false),
    ]
}

#[test]
fn a_scalar_that_is_not_below_r_is_refused_by_all_back_ends() {
    fn read<C: Curve>(bytes: &[u8; 32]) -> Option<[u8; 32]> {
        C::scalar_from_bytes(bytes).map(|scalar| C::scalar_to_bytes(&scalar))
    }
    for (what, bytes, below) in scalar_rows() {
        let expected = below.then_some(bytes);
        assert_eq!(read::<Ark>(&bytes), expected, "arkworks: {what}");
        assert_eq!(read::<Blst>(&bytes), expected, "blst: {what}");
        assert_eq!(read::<Wasm>(&bytes), expected, "wasm: {what}");
    }
}

#[test]
fn an_odd_challenge_or_response_breaks_its_own_rule() {
    let key = secret(0).public().check().expect("a secret's key is a key");
    let good = secret(0).sign(b"message");
    for (what, bytes, below) in scalar_rows() {
        for (at, error) in [
            (48, SignatureError::ChallengeNotReduced),
            (80, SignatureError::ResponseNotReduced),
        ] {
            let mut signature = good;
            signature.0[at..at + 32].copy_from_slice(&bytes);
            let expected = if below {
                SignatureError::ProofFails
            } else {
                error
            };
            assert_eq!(
                key.pk1().verify(b"message", &signature),
                Err(expected),
                "{what} at {at}"
            );
        }
    }
}

/// With `c = 0` the equation no longer speaks of the key, with `s = 0` not of the generator: only the hash is
/// left to refuse them, and it does for any σ.
#[test]
fn a_proof_of_zeros_is_refused_for_every_sigma() {
    let key = secret(0).public().check().expect("a secret's key is a key");
    let sigmas = [
        secret(0).sign(b"message").sigma().0,
        compress(&G1Affine::generator()),
        key.pk1().to_bytes().0,
    ];
    for sigma in sigmas {
        let mut bytes = [0; 112];
        bytes[..48].copy_from_slice(&sigma);
        let refused = key.pk1().verify(b"message", &VoteSignature(bytes));
        assert_eq!(refused, Err(SignatureError::ProofFails));
    }
}

/// ENC-5, KEY-2.
#[test]
fn a_secret_is_below_r_and_not_zero() {
    for (what, bytes, below) in scalar_rows() {
        let expected = match what {
            "zero" => Err(SecretKeyError::Zero),
            _ if below => Ok(()),
            _ => Err(SecretKeyError::NotReduced),
        };
        assert_eq!(
            SecretKey::from_bytes(&bytes).map(|_| ()),
            expected,
            "{what}"
        );
    }
}

/// Of every decodable type: the bytes decode, no shorter ones do, and no longer ones.
fn exact_length<T: Encode + Decode + PartialEq + core::fmt::Debug>(value: &T) {
    let bytes = value.encode();
    assert_eq!(
        &T::decode_all(&mut &bytes[..]).expect("what was encoded decodes"),
        value
    );
    for length in 0..bytes.len() {
        assert!(
            T::decode_all(&mut &bytes[..length]).is_err(),
            "{length} of {} bytes",
            bytes.len()
        );
    }
    for more in [&[0][..], &[0xff], &[0; 48]] {
        let longer = [&bytes, more].concat();
        assert!(
            T::decode_all(&mut &longer[..]).is_err(),
            "{} bytes too many",
            more.len()
        );
    }
}

#[test]
fn every_decodable_type_refuses_trailing_and_missing_bytes() {
    let genesis = H256::zero();
    let set = TestSet::new(3, 0..7);
    let next = TestSet::new(4, 1..8);
    let commitment = set.commitment(9, &next.set);
    let message = RoundMessage::new(genesis, commitment.clone());
    let vote = set.vote(2, &message).expect("a member's vote holds");
    let other = RoundMessage::new(genesis, set.commitment(9, &set.set));
    let second = set.vote(2, &other).expect("a member's vote holds");
    let justification = set.justify(&message, [0, 1, 3, 4, 6]);
    let stateless = StatelessProof::new(&justification, set.set.keyset()).expect("of this set");
    let evidence = EquivocationProof::new(set.set.keyset(), &vote, &second).expect("a double vote");

    exact_length(&secret(0).public());
    exact_length(&secret(0).public().pk1());
    exact_length(&secret(0).public().pk2());
    exact_length(&secret(0).sign(b""));
    exact_length(&secret(0).sign(b"").sigma());
    exact_length(&secret(0).prove_possession(b""));
    exact_length(set.set.commitment());
    exact_length(&Keysets {
        current: set.set.commitment().clone(),
        next: next.set.commitment().clone(),
    });
    exact_length(&commitment);
    exact_length(&CommitmentPayload {
        mmr_root: commitment.mmr_root,
        validator_set_id: SetId::new(3),
        next: commitment.next.clone(),
    });
    exact_length(&vote.to_unchecked());
    exact_length(justification.signers());
    exact_length(justification.as_unchecked());
    exact_length(&stateless.proof);
    exact_length(&stateless);
    exact_length(&evidence);
    exact_length(&ConsensusLog::Planned(next.set.commitment().clone()));
    exact_length(&ConsensusLog::Activated(SetId::new(4)));
}

#[test]
fn a_list_longer_than_any_set_has_is_refused_by_its_length_alone() {
    let with_length =
        |prefix: Vec<u8>, length: u32| [prefix, codec::Compact(length).encode()].concat();
    let message = |error: codec::Error| error.to_string();

    let bits = with_length(Vec::new(), suite::MAX_VALIDATORS / 8 + 1);
    let error = Bitfield::decode(&mut &bits[..]).map_err(message);
    assert_eq!(
        error,
        Err("JUST-2: the bitfield is longer than any set".into())
    );

    let hashes = with_length(Vec::new(), suite::MAX_VALIDATORS / 2 + 1);
    let error = MerkleProof::decode(&mut &hashes[..]).map_err(message);
    assert_eq!(
        error,
        Err("SET-2: the multiproof is longer than any set's".into())
    );

    let set = TestSet::new(0, 0..1);
    let justification = set
        .justify(
            &RoundMessage::new(H256::zero(), set.commitment(1, &set.set)),
            0..1,
        )
        .into_unchecked();
    let keys = with_length(justification.encode(), suite::MAX_VALIDATORS / 3 + 1);
    let error = StatelessProof::decode(&mut &keys[..]).map_err(message);
    assert_eq!(
        error,
        Err("STATELESS-1: more non-signers than any set may have".into())
    );
}

#[test]
fn the_longest_multiproof_of_any_small_set_stays_below_the_bound_that_decoding_puts() {
    for n in 1_usize..=14 {
        let keys: Vec<_> = (0..n)
            .map(|index| Pk1Bytes([u8::try_from(index).expect("small"); 48]))
            .collect();
        for subset in 0_u32..(1 << n) {
            let indices: Vec<_> = (0..u32::try_from(n).expect("small"))
                .filter(|index| subset & (1 << index) != 0)
                .map(SignerIndex::new)
                .collect();
            let proof = MerkleProof::prove(&keys, &indices).expect("ascending and inside");
            let hashes = (proof.encode().len() - 1) / 32;
            assert!(
                hashes <= n.div_ceil(2),
                "{hashes} hashes for {indices:?} of {n}"
            );
        }
    }
}
