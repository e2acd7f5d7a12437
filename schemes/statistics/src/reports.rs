//! The reports of one period, as a node collects them.

use crate::{
    answer::{Answer, Contribution},
    context::Context,
    error::AnswerError,
    evidence::{Conflict, Evidence},
    metric::Metric,
    period::Period,
    report::{Checked, Report},
    weights::Weights,
};
use duet_mklhs::{evaluate_unchecked, Bounds, Program};
use duet_primitives::SignerIndex;
use std::collections::BTreeMap;

/// The effect of adding a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// The first report of this validator, or figures that were missing in the first.
    New,
    /// It contradicts the existing report: the two are evidence.
    Conflict,
    /// Nothing.
    Nothing,
}

/// At most one report of each validator, and evidence against validators that contradicted themselves.
#[derive(Clone, Debug)]
pub struct Reports {
    period: Period,
    by_member: BTreeMap<SignerIndex, Checked>,
    evidence: BTreeMap<SignerIndex, Evidence>,
}

impl Reports {
    /// None yet.
    pub fn new(period: Period) -> Self {
        Self {
            period,
            by_member: BTreeMap::new(),
            evidence: BTreeMap::new(),
        }
    }

    /// The period.
    pub fn period(&self) -> Period {
        self.period
    }

    /// Whether all that this report says, or evidence against its member, is here. Costs no check.
    pub fn knows(&self, report: &Report) -> bool {
        let known = self.by_member.get(&report.member);
        self.evidence.contains_key(&report.member)
            || known.is_some_and(|known| known.says_all_of(report))
    }

    /// Adds a report. For a validator that contradicts itself only the evidence is kept.
    ///
    /// A second report that agrees with the first adds the missing figures: a relay can leave some out.
    pub fn add(&mut self, checked: Checked) -> Added {
        let member = checked.member();
        if checked.report().period != self.period || self.evidence.contains_key(&member) {
            return Added::Nothing;
        }
        let Some(known) = self.by_member.get_mut(&member) else {
            self.by_member.insert(member, checked);
            return Added::New;
        };
        let Some(conflict) = conflict(known, &checked) else {
            return if known.extend(checked) {
                Added::New
            } else {
                Added::Nothing
            };
        };
        self.by_member.remove(&member);
        let evidence = Evidence {
            period: self.period,
            member,
            conflict,
        };
        self.evidence.insert(member, evidence);
        Added::Conflict
    }

    /// The reports, in the order of the set.
    pub fn iter(&self) -> impl Iterator<Item = &Checked> {
        self.by_member.values()
    }

    /// How many validators have reported, and not contradicted themselves.
    pub fn len(&self) -> usize {
        self.by_member.len()
    }

    /// Whether nobody has.
    pub fn is_empty(&self) -> bool {
        self.by_member.is_empty()
    }

    /// The evidence, in the order of the set.
    pub fn evidence(&self) -> impl Iterator<Item = &Evidence> {
        self.evidence.values()
    }

    /// Combines the weighted members' figures of a metric under one signature.
    ///
    /// Cost: one multi-scalar multiplication, with scalars of the length of the weights. Signatures were checked before.
    ///
    /// # Errors
    /// [`AnswerError`]: weights that do not fit, no member that reported it, or more members than one program takes.
    pub fn answer(
        &self,
        context: &Context<'_>,
        metric: Metric,
        weights: &Weights,
    ) -> Result<Answer, AnswerError> {
        if context.period() != self.period {
            return Err(AnswerError::OtherPeriod);
        }
        weights.check(context)?;
        let (mut contributions, mut labels) = (Vec::new(), Vec::new());
        let (mut coefficients, mut signatures) = (Vec::new(), Vec::new());
        for (member, checked) in &self.by_member {
            let (Some(weight), Some(signature), Some(key)) = (
                weights.of(*member),
                checked.signature(metric),
                context.member(*member),
            ) else {
                continue;
            };
            labels.push(context.label(&key.to_bytes(), checked.signer(), metric)?);
            coefficients.push(weight.into());
            signatures.push(*signature);
            contributions.push(Contribution {
                member: *member,
                certificate: checked.report().certificate.clone(),
            });
        }
        if contributions.is_empty() {
            return Err(AnswerError::Nobody(metric));
        }
        let program = Program::new(Bounds::Integers, coefficients, labels)?;
        Ok(Answer {
            period: self.period,
            metric,
            contributions,
            combined: evaluate_unchecked(&program, &signatures)?.to_bytes(),
        })
    }
}

/// The contradiction between two reports of one validator, if any.
fn conflict(first: &Checked, second: &Checked) -> Option<Conflict> {
    let certificates = [first, second].map(|checked| checked.report().certificate.clone());
    if first.signer() != second.signer() {
        return Some(Conflict::Keys(certificates));
    }
    let (metric, signatures) = first.signatures().iter().find_map(|(metric, signature)| {
        let other = second.signature(*metric)?;
        let differs = other.message() != signature.message();
        differs.then(|| (*metric, [signature, other].map(|one| one.to_bytes())))
    })?;
    let [certificate, _] = certificates;
    Some(Conflict::Values {
        certificate,
        metric,
        signatures,
    })
}
