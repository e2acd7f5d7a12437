#![doc = include_str!("../README.md")]

mod batch;
mod bounds;
mod check;
mod combined;
#[allow(unsafe_code, reason = "calls blst")]
mod curve;
mod equivocation;
mod error;
mod evaluate;
mod identity;
mod keys;
mod label;
mod program;
mod record;
mod register;
mod scalar;
mod signature;
mod signers;
pub mod suite;
mod verify;

pub use batch::check_all;
pub use bounds::{Bounds, Message};
pub use combined::Combined;
pub use equivocation::EquivocationProof;
pub use error::{
    AdmissionError, BadInputs, BatchError, CombineError, DecodeError, EquivocationError,
    EvidenceError, KeyError, KeyStatusError, LabelError, LabelField, MalformedProgram,
    ProgramError, SignError, SignatureError, VerifyError,
};
pub use evaluate::{combine_disjoint, evaluate, evaluate_unchecked, Part};
pub use identity::SignerId;
pub use keys::{message_base, ProofOfPossession, PublicKey, SigningKey};
pub use label::Label;
pub use program::{group_by_signer, PreparedProgram, Program, SignerGroups};
pub use record::Record;
pub use register::{FileError, FileFault, LabelRegister, Recorded, RegisterError, RegisterFiles};
pub use scalar::{ParseScalarError, Scalar};
pub use signature::Signature;
pub use signers::{KeyStatus, Signers};
pub use verify::{verify, Verified};
