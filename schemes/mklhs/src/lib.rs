#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]

mod batch;
mod bounds;
mod combined;
#[allow(unsafe_code)]
mod curve;
mod equivocation;
mod error;
mod evaluate;
mod keys;
mod label;
mod program;
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
    EvidenceError, KeyError, LabelError, LabelField, ProgramError, SignError, SignatureError,
    StandingError, VerifyError,
};
pub use evaluate::{combine_disjoint, evaluate, evaluate_unchecked, Part};
pub use keys::{message_base, ProofOfPossession, PublicKey, SignerId, SigningKey};
pub use label::Label;
pub use program::{organize, Organized, PreparedProgram, Program};
pub use register::{labels_in_journal, LabelRegister, Recorded, RegisterError, RegisterFiles};
pub use scalar::{ParseScalarError, Scalar};
pub use signature::Signature;
pub use signers::{Signers, Standing};
pub use verify::{verify, Verified};
