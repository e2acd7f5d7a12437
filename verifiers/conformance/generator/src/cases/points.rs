//! Which bytes are a point or a key. (ENC-1 to ENC-4, KEY-1)

use super::builder::Builder;
use crate::format::{hexed, File};
use duet_curve::{
    testing::{Case, G1, G2},
    PointError,
};
use duet_primitives::{testing::secret, DualKeyBytes, Pk1Bytes, Pk2Bytes};
use serde_json::json;

pub(super) fn file() -> File {
    let mut builder = Builder::new(
        "points",
        "Which bytes are a point of G1 or G2, and which are a key.",
    );
    points(&mut builder, "G1", &G1);
    points(&mut builder, "G2", &G2);
    let good = secret(0).public();
    builder.holds("a key", "key", json!({ "key": hexed(good.0) }));
    for case in G1.iter().filter(|case| case.verdict.is_err()) {
        let key = DualKeyBytes::new(Pk1Bytes(case.bytes), good.pk2());
        let id = format!("a key whose pk1 is {}", case.name);
        builder.breaks("KEY-1", &id, "key", json!({ "key": hexed(key.0) }));
    }
    for case in G2.iter().filter(|case| case.verdict.is_err()) {
        let key = DualKeyBytes::new(good.pk1(), Pk2Bytes(case.bytes));
        let id = format!("a key whose pk2 is {}", case.name);
        builder.breaks("KEY-1", &id, "key", json!({ "key": hexed(key.0) }));
    }
    builder.file()
}

fn points<const N: usize>(builder: &mut Builder, group: &str, cases: &[Case<N>]) {
    for case in cases {
        let id = format!("{group}: {}", case.name);
        let input = json!({ "group": group, "bytes": hexed(case.bytes) });
        match case.verdict {
            Ok(()) => builder.holds(&id, "point", input),
            Err(error) => builder.breaks(rule(error), &id, "point", input),
        }
    }
}

pub(super) fn rule(error: PointError) -> &'static str {
    match error {
        PointError::NotCanonical => "ENC-1",
        PointError::Infinity => "ENC-2",
        PointError::NotOnCurve => "ENC-3",
        PointError::NotInSubgroup => "ENC-4",
    }
}
