//! The cost of the generic lattice attack, by the usual estimates: the root Hermite factor that a forgery needs, the
//! block size that achieves it, and 0.292 bits per dimension of a block.

mod support;

use duet_polynomial::research::{Dimension, NormBound, Polynomial, PublicKey};
use num_traits::ToPrimitive;
use support::{generated, limits};

/// The root Hermite factor of reduction with blocks of this size.
fn root_hermite(block: f64) -> f64 {
    use std::f64::consts::{E, PI};
    ((PI * block).powf(1.0 / block) * block / (2.0 * PI * E)).powf(1.0 / (2.0 * (block - 1.0)))
}

/// The smallest block size that achieves a root Hermite factor; 2 is plain LLL.
fn block_size(factor: f64) -> u32 {
    if factor >= 1.0219 {
        return 2;
    }
    (40..5000)
        .find(|block| root_hermite(f64::from(*block)) <= factor)
        .unwrap_or(5000)
}

/// Keys as in the paper, or with the shortest generators and the smallest width that can sign.
#[derive(Clone, Copy, PartialEq)]
enum Parameters {
    Paper,
    Shortest,
}

/// The logarithm of the cost of a forgery, for functions of this degree in 20 values with coefficients of one.
fn forgery(n: u32, degree: u32, parameters: Parameters) -> u32 {
    let dimension = f64::from(n);
    let lg = f64::log2;
    let deviation = match parameters {
        Parameters::Paper => dimension / 3f64.sqrt(),
        Parameters::Shortest => (8f64 / 3.0).sqrt(),
    };
    let generator = lg(deviation) + lg(dimension) / 2.0;
    // The n-th root of the norm is less than the length, by a constant of the Rayleigh distribution.
    let volume = 2.0 * (generator - 0.42);
    let width = match parameters {
        Parameters::Paper => 4.0 * lg(dimension) + lg(lg(dimension)),
        Parameters::Shortest => {
            let smoothing =
                ((2.0 * dimension * (1.0 + 64f64.exp2())).ln() / std::f64::consts::PI).sqrt();
            2.0 * generator + 0.5 + lg(smoothing)
        }
    };
    let terms = if degree == 1 { 20.0 } else { 230.0 };
    let degree = f64::from(degree);
    let bound =
        lg(terms) + (degree - 1.0) * lg(dimension) / 2.0 + degree * (width + lg(dimension) / 2.0);
    let factor = ((bound - volume) / dimension).exp2();
    (f64::from(block_size(factor)) * 0.292)
        .round()
        .to_u32()
        .unwrap()
}

#[test]
fn linear_functions_need_dimension_8192_with_the_paper_s_parameters() {
    let costs = [1024, 2048, 4096, 8192].map(|n| forgery(n, 1, Parameters::Paper));
    assert_eq!(costs, [12, 31, 89, 219]);
}

#[test]
fn quadratic_functions_need_dimension_32768_with_the_paper_s_parameters() {
    let costs = [8192, 16384, 32768].map(|n| forgery(n, 2, Parameters::Paper));
    assert_eq!(costs, [33, 94, 230]);
}

#[test]
fn shorter_keys_save_a_factor_of_two_in_the_dimension() {
    let linear = [1024, 2048, 4096].map(|n| forgery(n, 1, Parameters::Shortest));
    assert_eq!(linear, [34, 99, 246]);
    let quadratic = [4096, 8192, 16384].map(|n| forgery(n, 2, Parameters::Shortest));
    assert_eq!(quadratic, [42, 114, 277]);
}

/// The root Hermite factor that a forgery of one value needs under a real key.
fn factor_asked_for(key: &PublicKey) -> f64 {
    let one = Polynomial::linear(&[1]).unwrap();
    let bound = NormBound::Tight.squared(key, &one).to_f64().unwrap().log2() / 2.0;
    let n = f64::from(u32::try_from(key.dimension().get()).unwrap());
    let volume = (key.message_modulus() * key.identifier_modulus()).bits();
    let spacing = f64::from(u32::try_from(volume).unwrap()) / n;
    ((bound - spacing) / n).exp2()
}

#[test]
fn plain_lattice_reduction_suffices_at_every_dimension_on_offer() {
    for n in [4, 8, 16, 32, 64, 128] {
        assert!(Dimension::new(n).is_ok());
        let key = generated(n, limits()).signing.public().clone();
        let factor = factor_asked_for(&key);
        assert_eq!(block_size(factor), 2, "n = {n}: {factor}");
    }
    assert!(Dimension::new(256).is_err());
}
