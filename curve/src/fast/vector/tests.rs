//! Vectors against blst, one lane after the other, at every edge of what each operation accepts.

use super::{
    add_all, decompress_all as vector_decompress_all, double,
    elements::{Fp16, Words, BITS, LIMBS, MASK, P, WIDTH},
    integer,
    kernel::Kernel,
};
use crate::{
    blst::ffi::decompress_g1,
    fast::{
        batch::Additions,
        decompression::decompress_all,
        field::Fp,
        point::{Affine, ZERO},
    },
    parameters::MODULUS,
    traits::{Encodings, Groups, Sums},
    Arithmetic, Blst,
};
use alloc::{vec, vec::Vec};

/// Every way to multiply that runs here. That with the instructions of IFMA replaced always does.
fn kernels() -> Vec<(&'static str, Kernel)> {
    let Some(double) = Kernel::of(Arithmetic::Avx512) else {
        return Vec::new();
    };
    let mut kernels = vec![
        ("double", double),
        (
            "emulated",
            Kernel {
                mul: integer::mul_emulated,
                least: 24,
            },
        ),
    ];
    kernels.extend(Kernel::of(Arithmetic::Avx512Ifma).map(|kernel| ("integer", kernel)));
    assert_eq!(double.mul as usize, double::mul as *const () as usize);
    kernels
}

/// Runs what needs AVX-512, where there is any.
fn for_each_kernel(test: unsafe fn(&str, Kernel)) {
    for (name, kernel) in kernels() {
        // SAFETY: `kernels` is empty where the processor lacks AVX-512.
        unsafe { test(name, kernel) };
    }
}

pub(super) fn element(seed: u64) -> Fp {
    let mut word = seed;
    let mut words = [0; 6];
    for part in &mut words {
        word = word
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .wrapping_add(0x1234_5678_9abc_def1)
            .rotate_left(29);
        *part = word;
    }
    words[5] %= MODULUS[5];
    Fp(blst::blst_fp { l: words })
}

/// `p − 1`, as it stands.
pub(super) const LARGEST: Fp = {
    let mut l = MODULUS;
    l[0] -= 1;
    Fp(blst::blst_fp { l })
};

/// Elements with all kinds of limbs: zeros, ones, full ones, the largest.
fn elements(seed: u64) -> [Fp; WIDTH] {
    let mut one = Fp::ZERO;
    one.0.l[0] = 1;
    let mut high = Fp::ZERO;
    high.0.l[5] = MODULUS[5] - 1;
    let mut full = LARGEST;
    full.0.l = full.0.l.map(|_| u64::MAX);
    full.0.l[5] = MODULUS[5] - 1;
    let edges = [Fp::ZERO, one, Fp::ONE, LARGEST, high, full];
    core::array::from_fn(|lane| {
        // Every edge meets every other, over the seeds.
        let at = (lane + usize::try_from(seed).unwrap() * (lane / edges.len())) % (2 * edges.len());
        edges
            .get(at)
            .copied()
            .unwrap_or_else(|| element(seed + lane as u64))
    })
}

fn words(elements: &[Fp; WIDTH]) -> Words {
    let mut words = Words::ZERO;
    for (lane, element) in elements.iter().enumerate() {
        words.set(lane, element);
    }
    words
}

#[target_feature(enable = "avx512f,avx512dq")]
fn vector(elements: &[Fp; WIDTH]) -> Fp16 {
    let mut vector = Fp16::ZERO;
    vector.set_words(&words(elements));
    vector
}

/// The elements, reduced.
#[target_feature(enable = "avx512f,avx512dq")]
fn all(vector: &Fp16) -> [Fp; WIDTH] {
    let mut words = Words::ZERO;
    vector.canonical(&mut words);
    core::array::from_fn(|lane| words.get(lane))
}

/// What an operation writes.
fn made(operation: impl FnOnce(&mut Fp16)) -> Fp16 {
    let mut out = Fp16::ZERO;
    operation(&mut out);
    out
}

/// What `operation` says of each pair of elements.
fn each(a: &[Fp; WIDTH], b: &[Fp; WIDTH], operation: impl Fn(&Fp, &Fp) -> Fp) -> [Fp; WIDTH] {
    core::array::from_fn(|lane| operation(&a[lane], &b[lane]))
}

#[test]
fn elements_come_back_from_vectors_as_they_were() {
    #[target_feature(enable = "avx512f,avx512dq")]
    fn test(_: &str, _: Kernel) {
        for seed in 0..50 {
            let elements = elements(seed);
            let mut vector = vector(&elements);
            assert_eq!(all(&vector), elements);
            vector.reduce();
            assert_eq!(all(&vector), elements);
        }
    }
    for_each_kernel(test);
}

#[test]
fn products_sums_and_differences_are_those_of_blst() {
    #[target_feature(enable = "avx512f,avx512dq")]
    fn test(name: &str, kernel: Kernel) {
        for seed in 0..200 {
            let (a, b) = (elements(seed), elements(seed * 77 + 5));
            let (va, vb) = (vector(&a), vector(&b));
            let mul = |a: &Fp16, b: &Fp16| made(|out| kernel.mul(out, a, b));
            let product = mul(&va, &vb);
            assert_eq!(all(&product), each(&a, &b, Fp::mul), "{name}");
            let difference = made(|out| out.set_difference(&va, &vb));
            assert_eq!(all(&difference), each(&a, &b, Fp::sub));
            let sum = made(|out| out.set_sum(&va, &vb));
            assert_eq!(all(&sum), each(&a, &b, |a, b| a.sub(&b.neg())));
            // A loose factor, and a factor that is a product.
            let expected = each(&a, &b, |a, b| a.mul(b).mul(&a.sub(b)));
            assert_eq!(all(&mul(&product, &difference)), expected, "{name}");
            let expected = each(&a, &b, |a, b| a.mul(b).square());
            assert_eq!(all(&mul(&product, &product)), expected, "{name}");
            let thrice = made(|out| out.set_sum(&made(|out| out.set_sum(&vb, &vb)), &vb));
            let expected = each(&a, &b, |a, b| a.mul(b).triple());
            assert_eq!(all(&mul(&va, &thrice)), expected, "{name}");
        }
    }
    for_each_kernel(test);
}

#[test]
fn the_largest_short_and_loose_factors_have_a_short_product() {
    #[target_feature(enable = "avx512f,avx512dq")]
    fn test(name: &str, kernel: Kernel) {
        // `1.6p` at most, as a short element may be; and its difference to zero, `3.6p`.
        let mut limbs = P.map(|limb| u128::from(limb) * 8 / 5);
        for at in 1..LIMBS {
            limbs[at] += limbs[at - 1] >> BITS;
            limbs[at - 1] &= u128::from(MASK);
        }
        let short = Fp16(limbs.map(|limb| [u64::try_from(limb).unwrap(); WIDTH]));
        let loose = made(|out| out.set_difference(&short, &Fp16::ZERO));
        assert!(loose.0.iter().flatten().all(|limb| *limb <= MASK));
        let value = all(&short);
        let expected = each(&value, &value, Fp::mul);
        for factor in [&short, &loose] {
            let product = made(|out| kernel.mul(out, &short, factor));
            assert!(product.0.iter().flatten().all(|limb| *limb <= MASK));
            assert!(product.0[LIMBS - 1] <= short.0[LIMBS - 1], "{name}");
            assert_eq!(all(&product), expected, "{name}");
        }
    }
    for_each_kernel(test);
}

#[test]
fn multiples_of_the_modulus_are_taken_off_to_the_last_bit() {
    #[target_feature(enable = "avx512f,avx512dq")]
    fn test(_: &str, _: Kernel) {
        let elements = elements(3);
        let modulus = Fp16(P.map(|limb| [limb; WIDTH]));
        let mut multiple = vector(&elements);
        for _ in 0..3 {
            assert_eq!(all(&multiple), elements);
            multiple = made(|out| out.set_sum(&multiple, &modulus));
        }
    }
    for_each_kernel(test);
}

#[test]
fn equality_and_replacement_go_by_lane() {
    #[target_feature(enable = "avx512f,avx512dq")]
    fn test(_: &str, _: Kernel) {
        let a: [Fp; WIDTH] = core::array::from_fn(|lane| element(lane as u64));
        for differing in 0..WIDTH {
            let mut b = a;
            b[differing].0.l[differing % 6] ^= 1 << (differing * 3);
            let (va, vb) = (vector(&a), vector(&b));
            assert_eq!(va.equals(&vb), !(1 << differing));
            let mut replaced = va;
            replaced.replace(1 << differing, &vb);
            assert_eq!(all(&replaced), b);
        }
    }
    for_each_kernel(test);
}

/// Small multiples of the generator, of which many are equal, opposite or zero, and both points of the curve with `x = 0`.
fn points() -> Vec<Affine> {
    let mut of_order_three = [0; 48];
    of_order_three[0] = 0x80;
    let of_order_three = decompress_g1(&of_order_three).expect("a point of the curve");
    let generator = Blst::g1_generator();
    let mut multiples = vec![Blst::g1_sub(&generator, &generator)];
    for _ in 0..6 {
        multiples.push(Blst::g1_sum(&[&multiples[multiples.len() - 1], &generator]));
    }
    multiples.push(of_order_three);
    multiples
        .iter()
        .flat_map(|point| [*point, Blst::g1_neg(point)])
        .map(|point| Affine::from_blst(&point))
        .collect()
}

#[test]
fn additions_in_vectors_are_those_one_by_one_in_every_case_and_number() {
    let points = points();
    let pairs: Vec<_> = points
        .iter()
        .flat_map(|a| points.iter().map(move |b| (*a, *b)))
        .collect();
    for arithmetic in Arithmetic::supported() {
        for count in [1, 23, 24, 25, 31, 32, 33, 48, pairs.len(), 1024, 1025, 2100] {
            for start in [0, 77] {
                let pairs: Vec<_> = pairs.iter().cycle().skip(start).take(count).collect();
                let expected: Vec<_> = pairs
                    .iter()
                    .map(|(a, b)| {
                        let sum = Blst::g1_sub(&a.to_blst(), &Blst::g1_neg(&b.to_blst()));
                        Affine::from_blst(&sum)
                    })
                    .collect();
                // In places far apart and in another order, beside others that stay as they are.
                let mut sums = vec![ZERO; 3 * count];
                let mut additions = Additions::with(arithmetic);
                for (at, (a, b)) in pairs.iter().enumerate() {
                    sums[3 * (count - 1 - at)] = *a;
                    additions.push(3 * (count - 1 - at), *b);
                }
                additions.flush(&mut sums);
                additions.flush(&mut sums);
                let found: Vec<_> = sums.iter().step_by(3).rev().copied().collect();
                assert_eq!(found, expected, "{arithmetic}");
                assert!(sums
                    .iter()
                    .enumerate()
                    .all(|(at, sum)| at % 3 == 0 || *sum == ZERO));
            }
        }
    }
}

#[test]
fn every_kernel_adds_points() {
    let points = points();
    for (name, kernel) in kernels() {
        let mut sums: Vec<_> = points.iter().cycle().take(64).copied().collect();
        let addends: Vec<_> = points.iter().rev().cycle().take(64).copied().collect();
        let expected: Vec<_> = sums
            .iter()
            .zip(&addends)
            .map(|(a, b)| {
                Affine::from_blst(&Blst::g1_sub(&a.to_blst(), &Blst::g1_neg(&b.to_blst())))
            })
            .collect();
        let additions: Vec<_> = addends.into_iter().enumerate().collect();
        add_all(kernel, &additions, &mut sums);
        assert_eq!(sums, expected, "{name}");
    }
}

#[test]
fn encodings_are_judged_and_decoded_as_by_blst() {
    let encode = |x: u64, flags: u8| {
        let mut bytes = [0; 48];
        bytes[40..].copy_from_slice(&x.to_be_bytes());
        bytes[0] |= flags;
        bytes
    };
    // Half of these are on the curve, hardly any in the subgroup; `x = 0` is of order three.
    let mut encodings: Vec<_> = (0..40)
        .flat_map(|x| [encode(x, 0x80), encode(x, 0xa0)])
        .collect();
    // Not compressed, infinity, infinity with a stray bit, the modulus and more.
    encodings.extend([encode(1, 0), encode(0, 0xc0), encode(1, 0xc0), [0xff; 48]]);
    let mut modulus = crate::parameters::BASE_FIELD_MODULUS;
    modulus[0] |= 0x80;
    encodings.push(modulus);
    modulus[47] -= 1;
    encodings.push(modulus);
    let generator = Blst::g1_generator();
    encodings.extend([generator, Blst::g1_neg(&generator)].map(|g| Blst::g1_to_bytes(&g)));
    let expected: Vec<_> = encodings
        .iter()
        .map(|bytes| decompress_g1(bytes).map(|point| Affine::from_blst(&point)))
        .collect();
    let encodings: Vec<_> = encodings.iter().collect();
    for arithmetic in Arithmetic::supported() {
        for count in [0, 1, 10, 11, 15, 16, 17, 26, 27, encodings.len()] {
            let found = decompress_all(arithmetic, &encodings[..count]);
            assert_eq!(found, expected[..count], "{arithmetic}");
        }
    }
    for (name, kernel) in kernels() {
        assert_eq!(
            vector_decompress_all(kernel, &encodings),
            expected,
            "{name}"
        );
    }
}

/// Points whose `y` is within 24 of `(p − 1)/2`, the largest number that is not larger than its negative.
#[test]
fn roots_that_are_nearly_equal_in_size_are_told_apart_as_by_blst() {
    let coordinates = [
        "0d1a30047ea559b661bbb5270fd5790d1ff1836e751601f41bc856b58da14ac1d42a9edffb107f61dba602c89ddfbe73",
        "01ee15f2b5b0adcf9d5a1f77e586cfbfcf1d222e4d81ad2ac53d02d0499f67abd71239fb9fbca27daae2479494e02f9f",
        "007bc77125a6d7992bbc6e4fb643e37b301a5f4b672c983de0636479b199c11f22b6bebac3e4d3bddca28cc02377c967",
        "04fe43db7052172b1fd578689a5e013b385208d98abf25dafb28ab9136589e7c19e2f34a24f8314a5f257d391f52e504",
        "0ce8519d559905dfbe1f3b983d8d4ed4ce36227039341d8611fc18896199425f0752de342bd037e098a484bae7d8bc81",
        "0a6f540067b71d0a4a24a3507cbd1bedce48ce228df41aec63ba765018dd330679fd77c8c1c23cfcb1f37593463c17a4",
        "03a292a22eee983b2077b8a3ef6ca43a292f237c0e44cb16d7d8b63f083f7d4b4bdb2e95769d248b7a8ed130e3dfdd9f",
        "0310305dfc42058974023bc4cdca468c8591c1d7b74b4296a92346826b62cf4a384fccb560e26a9e6f804756097b51e6",
    ];
    let encodings: Vec<[u8; 48]> = coordinates
        .iter()
        .flat_map(|x| [(x, 0x80), (x, 0xa0)])
        .map(|(x, flags)| {
            let mut bytes: [u8; 48] = hex::decode(x).unwrap().try_into().unwrap();
            bytes[0] |= flags;
            bytes
        })
        .collect();
    let expected: Vec<_> = encodings
        .iter()
        .map(|bytes| decompress_g1(bytes).map(|point| Affine::from_blst(&point)))
        .collect();
    assert!(expected.iter().all(Result::is_ok));
    let encodings: Vec<_> = encodings.iter().collect();
    for arithmetic in Arithmetic::supported() {
        let found = decompress_all(arithmetic, &encodings);
        assert_eq!(found, expected, "{arithmetic}");
    }
}
