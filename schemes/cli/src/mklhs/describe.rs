//! The types and contents of the objects of `duet-schemes mklhs`.

use super::{formats, results, signer::decode_secret};
use crate::failure::Failure;
use duet_armour::{
    kinds::{
        MKLHS_COMBINED, MKLHS_EQUIVOCATION, MKLHS_PROGRAM, MKLHS_PUBLIC_KEY, MKLHS_RECORD,
        MKLHS_SECRET_KEY,
    },
    Object,
};
use duet_mklhs::{Program, Record};
use serde_json::{json, Value};

/// The type and content of an object of this scheme.
pub(crate) fn describe(object: &Object) -> Result<(Value, String), Failure> {
    let kind = object.kind();
    if *kind == MKLHS_SECRET_KEY {
        decode_secret(object)?;
        Ok((json!({}), "a secret".to_owned()))
    } else if *kind == MKLHS_PUBLIC_KEY {
        formats::check_public(object)?;
        let text = "its proof of possession is valid".to_owned();
        Ok((json!({ "possession": true }), text))
    } else if *kind == MKLHS_RECORD {
        let record = Record::from_bytes(object.content()?).map_err(Failure::refused)?;
        let (label, message) = (&record.label, record.signature.message().to_string());
        let mut value = formats::describe_label(label);
        value["message"] = message.as_str().into();
        Ok((value, format!("{message} under {label:?}, unverified")))
    } else if *kind == MKLHS_PROGRAM {
        let program = Program::from_bytes(object.content()?).map_err(Failure::input)?;
        Ok(results::describe_program(&program))
    } else if *kind == MKLHS_COMBINED {
        let file = formats::CombinedFile::from_bytes(object.content()?)?;
        let (digest, total) = (hex::encode(file.digest), file.combined.total().to_string());
        let text = format!("total {total} of program {digest}, unverified");
        Ok((json!({ "digest": digest, "total": total }), text))
    } else {
        debug_assert_eq!(*kind, MKLHS_EQUIVOCATION);
        let proof = formats::equivocation(object)?;
        let messages = proof.signatures().map(|it| it.message().to_string());
        let mut value = formats::describe_label(proof.label());
        value["messages"] = json!(messages);
        let [one, other] = messages;
        let text = format!("{one} and {other} under {:?}, unverified", proof.label());
        Ok((value, text))
    }
}
