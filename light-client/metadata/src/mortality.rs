//! In which blocks a transaction can be included.

use crate::RuntimeMetadata;
use codec::{Compact, Decode};
use frame_decode::extrinsics::ExtrinsicTypeInfo;
use scale_decode::visitor::{decode_with_visitor, IgnoreVisitor};

/// The extension of transactions that has the era.
const EXTENSION: &str = "CheckMortality";
/// The first byte of a signed extrinsic of version 4, and of one of version 5, whose extensions have a version.
const SIGNED: u8 = 0x84;
const GENERAL: u8 = 0x45;

/// The era of a mortal transaction: it can be included in the `period` blocks from its birth on, whose number has the
/// remainder `phase` when it is divided by `period`. The bytes do not tell which of these blocks its birth is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mortality {
    /// A power of two, from 4 to 65 536.
    pub period: u32,
    /// Less than `period`.
    pub phase: u32,
}

impl RuntimeMetadata {
    /// The era of an extrinsic, which comes with its length in front; `None` if it is immortal, or has no era that this
    /// metadata knows.
    pub fn mortality(&self, extrinsic: &[u8]) -> Option<Mortality> {
        let mut rest = extrinsic;
        Compact::<u32>::decode(&mut rest).ok()?;
        let extensions = match u8::decode(&mut rest).ok()? {
            SIGNED => {
                let signature = self.metadata.extrinsic_signature_info().ok()?;
                self.skip(&mut rest, signature.address_id)?;
                self.skip(&mut rest, signature.signature_id)?;
                None
            }
            GENERAL => Some(u8::decode(&mut rest).ok()?),
            _ => return None,
        };
        let extensions = self.metadata.extrinsic_extension_info(extensions).ok()?;
        for extension in extensions.extension_ids {
            if extension.name == EXTENSION {
                return Mortality::decode(rest.get(..2)?.try_into().ok()?);
            }
            self.skip(&mut rest, extension.id)?;
        }
        None
    }

    fn skip(&self, bytes: &mut &[u8], of: u32) -> Option<()> {
        decode_with_visitor(bytes, of, self.metadata.types(), IgnoreVisitor::new()).ok()
    }
}

impl Mortality {
    /// As FRAME encodes an era: the period in the four low bits, the phase in the others, quantised for periods above
    /// 4 096. An immortal one is a zero byte.
    fn decode(era: [u8; 2]) -> Option<Self> {
        let era = u16::from_le_bytes(era);
        let period = 2_u32.checked_shl(u32::from(era & 15))?;
        let phase = u32::from(era >> 4).checked_mul((period >> 12).max(1))?;
        (period >= 4 && phase < period).then_some(Self { period, phase })
    }
}
