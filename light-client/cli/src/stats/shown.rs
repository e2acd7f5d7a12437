//! The output of a statistic.

use super::found::Found;
use duet_primitives::{BlockNumber, Keyset, Pk1Bytes, SetId, SignerIndex};
use serde::Serialize;

/// A verified statistic of the validators' own figures. Numbers that may exceed those of JSON parsers are in text.
#[derive(Debug, Serialize)]
pub(crate) struct Shown<'a> {
    url: &'a str,
    metric: &'static str,
    unit: &'static str,
    /// `mean` or `sum`.
    function: &'static str,
    value: String,
    set: SetId,
    /// The session in which the figures were signed; they are about the session before.
    session: u32,
    /// Its first block.
    block: BlockNumber,
    /// How many blocks the newest proven one is after that.
    age: u32,
    /// How many validators have a part.
    validators: usize,
    /// How many have a weight.
    of: usize,
    values: Vec<Value>,
    absent: Vec<Absent>,
    /// Validators that said two different things about one of the last sessions.
    contradicted: Vec<Pk1Bytes>,
}

#[derive(Debug, Serialize)]
struct Value {
    validator: Pk1Bytes,
    weight: u64,
    value: u64,
}

#[derive(Debug, Serialize)]
struct Absent {
    validator: Pk1Bytes,
    /// Whether it said two different things: nothing that it said counts.
    contradicted: bool,
}

impl<'a> Shown<'a> {
    pub(super) fn new(
        url: &'a str,
        newest: BlockNumber,
        set: &Keyset,
        found: &Found,
        sum: bool,
    ) -> Self {
        let (statistic, contradicted) = (&found.statistic, &found.contradicted);
        let period = statistic.period();
        let key = |member: SignerIndex| set.key(member).map(duet_primitives::Pk1::to_bytes);
        let values = statistic.values().iter().filter_map(|value| {
            Some(Value {
                validator: key(value.member)?,
                weight: value.weight,
                value: value.value,
            })
        });
        let absent = statistic.absent().iter().filter_map(|member| {
            Some(Absent {
                validator: key(*member)?,
                contradicted: contradicted.contains(member),
            })
        });
        let (function, value) = if sum {
            ("sum", statistic.total().to_string())
        } else {
            ("mean", statistic.mean().to_string())
        };
        Self {
            url,
            metric: statistic.metric().name(),
            unit: statistic.metric().unit(),
            function,
            value,
            set: period.set,
            session: period.session,
            block: period.block,
            age: newest.get().saturating_sub(period.block.get()),
            validators: statistic.values().len(),
            of: statistic
                .values()
                .len()
                .saturating_add(statistic.absent().len()),
            values: values.collect(),
            absent: absent.collect(),
            contradicted: contradicted
                .iter()
                .filter_map(|member| key(*member))
                .collect(),
        }
    }

    /// For people.
    pub(crate) fn text(&self) -> String {
        let Self {
            metric,
            unit,
            function,
            value,
            set,
            session,
            block,
            age,
            validators,
            of,
            ..
        } = self;
        let mut lines = vec![format!(
            "{metric}: {function} {value} {unit}, of {validators} of {of} validators of set {set}, signed as session {session} \
             began with block {block}, {age} blocks before the newest proven one"
        )];
        lines.extend(self.values.iter().map(|each| {
            let weight = match each.weight {
                1 => String::new(),
                weight => format!("  weight {weight}"),
            };
            format!("  {}  {}{weight}", each.validator, each.value)
        }));
        lines.extend(self.absent.iter().map(|absent| {
            let why = if absent.contradicted {
                "signed contradictory figures, and does not count"
            } else {
                "is not in it"
            };
            format!("  {}  {why}", absent.validator)
        }));
        lines.join("\n")
    }
}
