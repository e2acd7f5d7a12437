//! Labels: the signer of a number, the chain, the time, and the measured quantity.

use crate::{
    curve::{self, G1Projective},
    error::{LabelError, LabelField},
    identity::SignerId,
    suite::{DST_LABEL, G1_LEN, ID_LEN, MAX_LABEL_FIELD_LEN},
};

/// Four fields, each preceded by its length in two bytes: `context ‖ signer ‖ dataset ‖ tag`.
///
/// The encoding is injective and includes the signer: another key cannot claim the label.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Label {
    bytes: Vec<u8>,
    signer: SignerId,
    context_len: usize,
    dataset_len: usize,
}

/// Bytes of the length of a field.
const LENGTH_LEN: usize = 2;

impl Label {
    /// Creates a label.
    ///
    /// `context` names the chain or the deployment, `dataset` the epoch or the height, `tag` the metric and its index.
    ///
    /// # Errors
    /// [`LabelError::FieldTooLong`] for fields of more than 65 535 bytes.
    pub fn new(
        context: &[u8],
        signer: SignerId,
        dataset: &[u8],
        tag: &[u8],
    ) -> Result<Self, LabelError> {
        let fields = [
            (LabelField::Context, context),
            (LabelField::Signer, signer.as_bytes()),
            (LabelField::Dataset, dataset),
            (LabelField::Tag, tag),
        ];
        let mut bytes = Vec::with_capacity(
            fields.len() * LENGTH_LEN + context.len() + ID_LEN + dataset.len() + tag.len(),
        );
        for (field, value) in fields {
            let got = value.len();
            let length = u16::try_from(got).map_err(|_| LabelError::FieldTooLong { field, got })?;
            bytes.extend(length.to_be_bytes());
            bytes.extend(value);
        }
        Ok(Self {
            bytes,
            signer,
            context_len: context.len(),
            dataset_len: dataset.len(),
        })
    }

    /// Decodes a label.
    ///
    /// # Errors
    /// [`LabelError::BadLength`] with the field whose length is wrong.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LabelError> {
        let mut rest = bytes;
        let mut field = |field| take_field(&mut rest).ok_or(LabelError::BadLength { field });
        let context = field(LabelField::Context)?;
        let signer = field(LabelField::Signer)?;
        let dataset = field(LabelField::Dataset)?;
        let tag = field(LabelField::Tag)?;
        let signer = signer.try_into().map_err(|_| LabelError::BadLength {
            field: LabelField::Signer,
        })?;
        if !rest.is_empty() {
            let field = LabelField::Tag;
            return Err(LabelError::BadLength { field });
        }
        Self::new(context, SignerId::from_bytes(signer), dataset, tag)
    }

    /// The encoding, which is hashed.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The signer.
    pub fn signer(&self) -> SignerId {
        self.signer
    }

    /// The chain or deployment.
    pub fn context(&self) -> &[u8] {
        self.field(LENGTH_LEN, self.context_len)
    }

    /// The epoch or height.
    pub fn dataset(&self) -> &[u8] {
        self.field(self.dataset_at(), self.dataset_len)
    }

    /// The metric and its index.
    pub fn tag(&self) -> &[u8] {
        let at = self.dataset_at() + self.dataset_len + LENGTH_LEN;
        self.field(at, MAX_LABEL_FIELD_LEN)
    }

    fn dataset_at(&self) -> usize {
        3 * LENGTH_LEN + self.context_len + ID_LEN
    }

    fn field(&self, at: usize, length: usize) -> &[u8] {
        let rest = self.bytes.get(at..).unwrap_or_default();
        rest.get(..length).unwrap_or(rest)
    }

    /// `H(label)`, compressed: the point that a signature on this label is based on.
    pub fn hash_to_curve(&self) -> [u8; G1_LEN] {
        curve::g1_to_bytes(&curve::one_to_affine(&self.point()))
    }

    /// `H(label)`.
    pub(crate) fn point(&self) -> G1Projective {
        curve::hash_to_g1(DST_LABEL, &self.bytes)
    }
}

impl AsRef<[u8]> for Label {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl std::fmt::Debug for Label {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Label")
            .field("context", &self.context().escape_ascii().to_string())
            .field("signer", &self.signer)
            .field("dataset", &self.dataset().escape_ascii().to_string())
            .field("tag", &self.tag().escape_ascii().to_string())
            .finish()
    }
}

fn take_field<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, after) = rest.split_first_chunk::<LENGTH_LEN>()?;
    let (field, after) = after.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
    *rest = after;
    Some(field)
}
