//! The rival CMLHS is the scheme: what was signed verifies, and nothing else does.

use blst::{blst_p1, blst_p1_affine, blst_p2};
use duet_scheme_benches::{
    cmlhs::{
        evaluate, Combined, EvaluateError, Refusal, SecretKey, Signature, Statement, Workload,
    },
    group::{Group, Points, Residue, Table, Target},
    mklhs,
};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

fn workload() -> Workload {
    Workload::new(&mklhs::Workload::new(3, 4))
}

fn rng() -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(5)
}

/// Both verifications, which agree on what is valid.
fn verify(
    workload: &Workload,
    statement: &Statement<'_>,
    combined: &Combined,
) -> Result<(), Refusal> {
    let parameters = &workload.parameters;
    let one_by_one = statement.verify(parameters, combined);
    let together = statement.verify_together(parameters, combined, &mut rng());
    assert_eq!(one_by_one.is_ok(), together.is_ok());
    one_by_one
}

fn moved(point: &mut blst_p1_affine) {
    *point = blst_p1::generator().plus_affine(point).affine();
}

#[test]
fn a_combined_signature_verifies_for_the_value_of_the_function_alone() {
    let workload = workload();
    let mut statement = workload.statement();
    assert_eq!(verify(&workload, &statement, &workload.combined), Ok(()));
    statement.value = statement.value + Residue::from_u32(1);
    let refused = verify(&workload, &statement, &workload.combined);
    assert_eq!(refused, Err(Refusal::Value));
}

#[test]
fn a_label_sum_is_kept_for_its_function_alone() {
    let workload = workload();
    let mut statement = workload.statement();
    statement.label_sum = Some(statement.sum_of_labels());
    assert_eq!(verify(&workload, &statement, &workload.combined), Ok(()));
    statement.label_sum = Some(Target::generator());
    let refused = verify(&workload, &statement, &workload.combined);
    assert_eq!(refused, Err(Refusal::Labels));
}

#[test]
fn another_function_another_data_set_and_other_keys_are_refused() {
    let workload = workload();
    let statement = || workload.statement();
    let mut coefficients = workload.coefficients.clone();
    coefficients[1][2] ^= 1;
    let other = Statement {
        coefficients: &coefficients,
        ..statement()
    };
    assert_eq!(
        verify(&workload, &other, &workload.combined),
        Err(Refusal::Labels)
    );
    let other = Statement {
        data_set: b"another",
        ..statement()
    };
    let refused = verify(&workload, &other, &workload.combined);
    assert_eq!(refused, Err(Refusal::DataSet { signer: 0 }));
    let mut keys = workload.keys.clone();
    keys[2].y = blst_p2::generator().affine();
    let other = Statement {
        keys: &keys,
        ..statement()
    };
    assert_eq!(
        verify(&workload, &other, &workload.combined),
        Err(Refusal::Labels)
    );
    let fewer = Statement {
        keys: &keys[1..],
        ..statement()
    };
    assert_eq!(
        verify(&workload, &fewer, &workload.combined),
        Err(Refusal::Shape)
    );
}

#[test]
fn a_change_of_any_point_is_refused() {
    type Change = fn(&mut Combined);
    let changes: [(Change, Refusal); 6] = [
        (
            |signature| moved(&mut signature.parts[1].sigma),
            Refusal::DataSet { signer: 1 },
        ),
        (
            |signature| signature.parts[1].z = blst_p2::generator().affine(),
            Refusal::DataSet { signer: 1 },
        ),
        (
            |signature| moved(&mut signature.parts[0].a),
            Refusal::Labels,
        ),
        (
            |signature| moved(&mut signature.parts[0].c),
            Refusal::Labels,
        ),
        (|signature| moved(&mut signature.r), Refusal::Labels),
        (
            |signature| signature.s = blst_p2::generator().plus_affine(&signature.s).affine(),
            Refusal::Value,
        ),
    ];
    let workload = workload();
    for (change, refusal) in changes {
        let mut changed = workload.combined.clone();
        change(&mut changed);
        let refused = verify(&workload, &workload.statement(), &changed);
        assert_eq!(refused, Err(refusal));
    }
}

#[test]
fn one_signature_is_a_combined_signature_of_one() {
    let workload = workload();
    let signature = workload.sign(&mut rng());
    let combined = evaluate(&[vec![1]], &[vec![signature]]).unwrap();
    let statement = Statement {
        keys: &workload.keys[..1],
        coefficients: &[vec![1]],
        value: workload.messages[0][0],
        ..workload.statement()
    };
    assert_eq!(verify(&workload, &statement, &combined), Ok(()));
}

#[test]
fn signatures_of_two_data_sets_are_not_combined() {
    let workload = workload();
    let (parameters, message) = (&workload.parameters, Residue::from_u32(7));
    let (secret, _) = SecretKey::generate(parameters, 2, &mut rng());
    let sign = |data_set, label| secret.sign(parameters, data_set, (label, &message), &mut rng());
    let mixed = vec![sign(b"one", 0), sign(b"two", 1)];
    let refused = evaluate(&[vec![1, 1]], &[mixed]);
    assert_eq!(refused, Err(EvaluateError::MixedDataSets { signer: 0 }));
    let refused = evaluate(&[vec![1, 1]], &[vec![sign(b"one", 0)]]);
    assert_eq!(refused, Err(EvaluateError::Length { signer: Some(0) }));
    assert_eq!(evaluate(&[], &[]), Err(EvaluateError::Empty));
}

#[test]
fn encodings_have_the_lengths_of_the_paper_and_are_read_back() {
    let workload = workload();
    let signature = &workload.signatures[0][0];
    let bytes = signature.to_bytes();
    assert_eq!(bytes.len(), 384);
    assert_eq!(Signature::from_bytes(&bytes).as_ref(), Some(signature));
    let combined = workload.combined.to_bytes();
    assert_eq!(combined.len(), 144 + 240 * 3);
    let read = Combined::from_bytes(&combined);
    assert_eq!(read.as_ref(), Some(&workload.combined));
    assert_eq!(Signature::from_bytes(&bytes[1..]), None);
    assert_eq!(Signature::from_bytes(&[&bytes[..], &[0]].concat()), None);
    let mut zero = combined;
    zero[..48].fill(0);
    zero[0] = 0xc0;
    assert_eq!(Combined::from_bytes(&zero), None);
}

#[test]
fn tables_and_sums_give_the_same_products_in_all_groups() {
    let mut rng = rng();
    let (a, b) = (Residue::random(&mut rng), Residue::random(&mut rng));
    let g1 = Table::new(blst_p1::generator());
    assert_eq!(
        g1.times(&a).affine(),
        blst_p1::generator().times(&a).affine()
    );
    let g2 = Table::new(blst_p2::generator());
    let both = [(g1.times(&a).affine(), g2.times(&b).affine())];
    let gt = Table::new(Target::generator());
    assert_eq!(Target::product_of_pairings(&both), gt.times(&(a * b)));
    assert_eq!(gt.times(&a).plus(&gt.times(&a).minus()), Target::zero());

    let weights = [0, 1, 0xf0f0_0f0f, u32::MAX];
    let factors = [a, b, a + b, a - b];
    let expected = factors
        .iter()
        .zip(weights)
        .fold(Residue::default(), |sum, (factor, weight)| {
            sum + *factor * Residue::from_u32(weight)
        });
    let elements = factors.map(|factor| gt.times(&factor));
    assert_eq!(
        Target::weighted_sum(&elements, &weights),
        gt.times(&expected)
    );
    let points = factors.map(|factor| g2.times(&factor).affine());
    let sum = blst_p2::weighted_sum(&points, &weights);
    assert_eq!(sum.affine(), g2.times(&expected).affine());
    let sum = blst_p2::long_sum(&points, &weights.map(u128::from));
    assert_eq!(sum.affine(), g2.times(&expected).affine());
    let long = Residue::from_be_bytes(&u128::MAX.to_be_bytes());
    let product = blst_p2::generator().times_short(u128::MAX);
    assert_eq!(product.affine(), g2.times(&long).affine());
    assert_eq!(a * a.inverse(), Residue::from_u32(1));
}
