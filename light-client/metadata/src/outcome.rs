//! What became of a transaction, by the events of its block.

use crate::{
    json::{fields_as_json, printable},
    MetadataError, RuntimeMetadata,
};
use alloc::{
    string::{String, ToString},
    vec::Vec,
};
use scale_decode::visitor::{decode_with_visitor, IgnoreVisitor};
use scale_value::{scale::decode_as_type, Composite, Value, ValueDef};
use serde_json::{json, Value as Json};

/// What became of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How its call ended. Fees are paid and the nonce rises in either case.
    pub result: Result<(), Failure>,
    /// The fee that it paid, where `TransactionPayment` tells it.
    pub fee: Option<Fee>,
    /// Its events in their order, that of its end included.
    pub events: Vec<Event>,
}

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// An error of a pallet.
    Module {
        /// The pallet's name.
        pallet: String,
        /// The error's name.
        error: String,
        /// The first line of its documentation.
        docs: String,
    },
    /// Another error, such as `BadOrigin`, as in [`Event::fields`].
    Other(Json),
}

/// What a transaction paid, in the chain's smallest unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fee {
    /// All of it.
    pub paid: u128,
    /// The part that its sender added.
    pub tip: u128,
}

/// An event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The pallet that emitted it.
    pub pallet: String,
    /// Its name.
    pub name: String,
    /// Its fields as JSON: bytes as 0x-hex, larger integers than 2^53 − 1 as decimal strings, a wrapper of one field as
    /// that field, and a variant as its name, or as an object whose one key is the name.
    pub fields: Json,
}

const EVENTS: &str = "System.Events";

impl Outcome {
    /// The outcome as JSON: `success`, `error` (`{ pallet, error, docs }` or `{ other }`, else `null`), `fee`
    /// (`{ paid, tip }` as decimal digits, or `null`), and `events` (`{ pallet, name, fields }` each).
    pub fn json(&self) -> Json {
        let error = self.result.as_ref().err().map(|failure| match failure {
            Failure::Module {
                pallet,
                error,
                docs,
            } => json!({ "pallet": pallet, "error": error, "docs": docs }),
            Failure::Other(other) => json!({ "other": other }),
        });
        let fee = self
            .fee
            .map(|Fee { paid, tip }| json!({ "paid": paid.to_string(), "tip": tip.to_string() }));
        let event = |Event {
                         pallet,
                         name,
                         fields,
                     }: &Event| json!({ "pallet": pallet, "name": name, "fields": fields });
        let events: Vec<_> = self.events.iter().map(event).collect();
        json!({ "success": self.result.is_ok(), "error": error, "fee": fee, "events": events })
    }
}

impl RuntimeMetadata {
    /// What became of the extrinsic at `index` of a block, by the block's entry `System.Events`. (STATE-9)
    ///
    /// # Errors
    /// [`MetadataError::Bytes`] where the entry is not of the type in the metadata, [`MetadataError::NoOutcome`] where
    /// the block has no such extrinsic, [`MetadataError::Missing`].
    ///
    /// # Security
    /// The entry has to be proven under the block, and the metadata under its parent.
    pub fn outcome(&self, events: &[u8], index: u32) -> Result<Outcome, MetadataError> {
        let mut emitted = Vec::new();
        let mut result = None;
        let mut fee = None;
        for (pallet, event) in self.events(events, index)? {
            match (pallet.as_str(), event.name.as_str()) {
                ("System", "ExtrinsicSuccess") => result = Some(Ok(())),
                ("System", "ExtrinsicFailed") => {
                    let error = field(&event.values, 0);
                    result = error.map(|error| Err(self.failure(error)));
                }
                ("TransactionPayment", "TransactionFeePaid") => {
                    let amount = |place| field(&event.values, place)?.as_u128();
                    fee = amount(1)
                        .zip(amount(2))
                        .map(|(paid, tip)| Fee { paid, tip });
                }
                _ => {}
            }
            emitted.push(Event {
                fields: fields_as_json(&event.values, None, self.metadata.types()),
                name: event.name,
                pallet,
            });
        }
        Ok(Outcome {
            result: result.ok_or(MetadataError::NoOutcome { index })?,
            fee,
            events: emitted,
        })
    }

    /// The events of an extrinsic, each with the name of its pallet.
    fn events(
        &self,
        mut bytes: &[u8],
        index: u32,
    ) -> Result<Vec<(String, scale_value::Variant<u32>)>, MetadataError> {
        let wrong = MetadataError::Bytes { of: EVENTS };
        let entry = self.system()?.storage();
        let entry = entry.and_then(|storage| storage.entry_by_name("Events"));
        let entry = entry.ok_or(MetadataError::Missing { what: EVENTS })?;
        let (records, types) = (entry.value_ty(), self.metadata.types());
        // Skipped once before anything is allocated by the lengths that the bytes claim.
        let mut rest = bytes;
        let skipped = decode_with_visitor(&mut rest, records, types, IgnoreVisitor::new());
        if skipped.is_err() || !rest.is_empty() {
            return Err(wrong);
        }
        let records = decode_as_type(&mut bytes, records, types).map_err(|_| wrong.clone())?;
        let ValueDef::Composite(Composite::Unnamed(records)) = records.value else {
            return Err(wrong);
        };
        let mut found = Vec::new();
        for record in records {
            let ValueDef::Composite(Composite::Named(record)) = record.value else {
                return Err(wrong);
            };
            let mut phase = None;
            let mut event = None;
            for (name, value) in record {
                match (name.as_str(), value.value) {
                    ("phase", ValueDef::Variant(variant)) => phase = Some(variant),
                    ("event", ValueDef::Variant(variant)) => event = Some(variant),
                    _ => {}
                }
            }
            let (phase, event) = phase.zip(event).ok_or(wrong.clone())?;
            let of = field(&phase.values, 0).and_then(Value::as_u128);
            if phase.name != "ApplyExtrinsic" || of != Some(index.into()) {
                continue;
            }
            let inner = event.values.into_values().next().map(|inner| inner.value);
            let Some(ValueDef::Variant(inner)) = inner else {
                return Err(wrong);
            };
            found.push((event.name, inner));
        }
        Ok(found)
    }

    /// A `DispatchError`. One of a module has the pallet's index, and the variant of its error in the first of four
    /// bytes.
    fn failure(&self, error: &Value<u32>) -> Failure {
        let module = match &error.value {
            ValueDef::Variant(variant) if variant.name == "Module" => field(&variant.values, 0),
            _ => None,
        };
        module
            .and_then(|module| self.module_error(module))
            .unwrap_or_else(|| Failure::Other(crate::json::json(error, self.metadata.types())))
    }

    fn module_error(&self, module: &Value<u32>) -> Option<Failure> {
        let ValueDef::Composite(fields) = &module.value else {
            return None;
        };
        let index = field(fields, 0)?.as_u128()?.try_into().ok()?;
        let ValueDef::Composite(code) = &field(fields, 1)?.value else {
            return None;
        };
        let code = field(code, 0)?.as_u128()?.try_into().ok()?;
        let pallet = self.metadata.pallet_by_error_index(index)?;
        let error = pallet.error_variant_by_index(code)?;
        Some(Failure::Module {
            pallet: pallet.name().to_string(),
            error: error.name.clone(),
            docs: error
                .docs
                .first()
                .map(|line| printable(line))
                .unwrap_or_default(),
        })
    }
}

fn field(fields: &Composite<u32>, place: usize) -> Option<&Value<u32>> {
    fields.values().nth(place)
}
