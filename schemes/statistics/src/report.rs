//! A validator's report about one period.

use crate::{
    certificate::Certificate, context::Context, error::ReportError, metric::Metric, period::Period,
};
use codec::{Decode, DecodeWithMemTracking, Encode, Input};
use duet_mklhs::{check_all, suite::SIGNATURE_LEN, Bounds, Signature, SignerId, Signers};
use duet_primitives::{decode_list, SignerIndex};
use rand_core::CryptoRngCore;

/// One signed number, unchecked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode, DecodeWithMemTracking)]
pub struct Figure {
    /// The metric.
    pub metric: Metric,
    /// The signature, with the number in it.
    pub signature: [u8; SIGNATURE_LEN],
}

/// The figures of one validator in one period, as they travel.
///
/// Encoding: SCALE; at most [`Report::MAX_LEN`] bytes.
#[derive(Clone, Debug, PartialEq, Eq, Encode)]
pub struct Report {
    /// The period.
    pub period: Period,
    /// Position of the validator in the set.
    pub member: SignerIndex,
    /// The key of the signatures.
    pub certificate: Certificate,
    /// The figures, in the order of [`Metric::ALL`]. Figures that a node cannot measure are left out.
    pub figures: Vec<Figure>,
}

impl Report {
    /// The longest encoding.
    pub const MAX_LEN: usize = 16 + 4 + 96 + 48 + 112 + 1 + Metric::ALL.len() * (1 + SIGNATURE_LEN);
}

impl Decode for Report {
    fn decode<I: Input>(input: &mut I) -> Result<Self, codec::Error> {
        let most = const {
            assert!(Metric::ALL.len() <= 63, "the list's length takes one byte");
            #[allow(clippy::cast_possible_truncation)]
            {
                Metric::ALL.len() as u32
            }
        };
        Ok(Self {
            period: Decode::decode(input)?,
            member: Decode::decode(input)?,
            certificate: Decode::decode(input)?,
            figures: decode_list(input, most, "more figures than there are metrics")?,
        })
    }
}

/// A report whose certificate and signatures hold.
#[derive(Clone, Debug)]
pub struct Checked {
    report: Report,
    signer: SignerId,
    signatures: Vec<(Metric, Signature)>,
}

impl Report {
    /// Checks everything, the cheapest first: period, member, order of figures, the Duet key's signature, the other
    /// key and its proof, and the figures' signatures together.
    ///
    /// Cost: a proof without a pairing, and two products of two pairings.
    ///
    /// # Errors
    /// [`ReportError`] with the first broken rule.
    ///
    /// # Security
    /// The maker of the report must not be able to predict `rng`.
    pub fn check(
        self,
        context: &Context<'_>,
        rng: &mut impl CryptoRngCore,
    ) -> Result<Checked, ReportError> {
        if self.period != context.period() {
            return Err(ReportError::OtherPeriod);
        }
        let unknown = ReportError::UnknownMember {
            member: self.member,
            len: context.len(),
        };
        let member = context.member(self.member).ok_or(unknown)?;
        if self.figures.is_empty() || !self.figures.is_sorted_by(|a, b| a.metric < b.metric) {
            return Err(ReportError::Order);
        }
        let mut signers = Signers::new();
        let signer = self.certificate.check(context, member, &mut signers)?;

        let (mut labels, mut decoded) = (Vec::new(), Vec::new());
        for Figure { metric, signature } in &self.figures {
            let metric = *metric;
            let signature = Signature::from_bytes(signature)
                .map_err(|error| ReportError::Figure { metric, error })?;
            if value(&signature).is_none() {
                return Err(ReportError::Range { metric });
            }
            labels.push(context.label(&member.to_bytes(), signer, metric)?);
            decoded.push(signature);
        }
        check_all(&signers, Bounds::Integers, &labels, &decoded, rng)?;
        let metrics = self.figures.iter().map(|figure| figure.metric);
        Ok(Checked {
            signatures: metrics.zip(decoded).collect(),
            signer,
            report: self,
        })
    }
}

/// The number in a signature, if it is one of a report.
fn value(signature: &Signature) -> Option<u64> {
    u64::try_from(signature.message().to_i128()?).ok()
}

impl Checked {
    /// The report as it travels.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Position of the validator in the set.
    pub fn member(&self) -> SignerIndex {
        self.report.member
    }

    /// The fingerprint of the key of the signatures.
    pub fn signer(&self) -> SignerId {
        self.signer
    }

    /// The number of a metric, if it was reported.
    pub fn value(&self, metric: Metric) -> Option<u64> {
        value(self.signature(metric)?)
    }

    /// The signature on the number of a metric.
    pub(crate) fn signature(&self, metric: Metric) -> Option<&Signature> {
        let mut signatures = self.signatures.iter();
        let found = signatures.find(|(of, _)| *of == metric);
        found.map(|(_, signature)| signature)
    }

    /// Whether this report has all figures of another one, under the same key. Signatures are deterministic, so that a figure that
    /// holds is equal if its number is.
    pub(crate) fn says_all_of(&self, other: &Report) -> bool {
        let mut figures = other.figures.iter();
        self.report.certificate.key == other.certificate.key
            && figures.all(|figure| self.report.figures.contains(figure))
    }

    /// Takes over the figures that are missing here, of a report under the same key; whether there were any.
    pub(crate) fn extend(&mut self, other: Self) -> bool {
        let before = self.signatures.len();
        for (figure, signature) in other.report.figures.into_iter().zip(other.signatures) {
            if self.signature(figure.metric).is_none() {
                self.report.figures.push(figure);
                self.signatures.push(signature);
            }
        }
        self.report.figures.sort_by_key(|figure| figure.metric);
        self.signatures.len() > before
    }

    pub(crate) fn signatures(&self) -> &[(Metric, Signature)] {
        &self.signatures
    }
}

impl ReportError {
    /// Whether only a forger of reports sends it. A report about another period is no such fault: nodes do not learn of
    /// a period at the same time.
    pub fn is_senders_fault(&self) -> bool {
        match self {
            Self::OtherPeriod => false,
            Self::UnknownMember { .. }
            | Self::Order
            | Self::Certificate(_)
            | Self::Figure { .. }
            | Self::Range { .. }
            | Self::Label(_)
            | Self::Signatures(_) => true,
        }
    }
}
