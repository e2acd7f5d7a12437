//! What became of a transaction, as it is shown. (STATE-9)

use duet_light_metadata::{Event, Failure as CallFailure, Outcome};
use duet_light_rpc::shown;
use serde::Serialize;
use serde_json::Value;
use std::iter::once;

/// What became of a transaction, for programs.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Became {
    /// Whether its call succeeded.
    success: bool,
    /// Why not.
    error: Option<WhyNot>,
    /// What it paid.
    fee: Option<Paid>,
    /// Its events.
    events: Vec<Emitted>,
}

/// Why a call failed.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
enum WhyNot {
    Module {
        pallet: String,
        error: String,
        docs: String,
    },
    Other {
        other: Value,
    },
}

/// A fee in the chain's smallest unit, as decimal digits.
#[derive(Clone, Debug, Serialize)]
struct Paid {
    paid: String,
    tip: String,
}

#[derive(Clone, Debug, Serialize)]
struct Emitted {
    pallet: String,
    name: String,
    fields: Value,
}

impl From<CallFailure> for WhyNot {
    fn from(failure: CallFailure) -> Self {
        match failure {
            CallFailure::Module {
                pallet,
                error,
                docs,
            } => Self::Module {
                pallet,
                error,
                docs,
            },
            CallFailure::Other(other) => Self::Other { other },
        }
    }
}

impl From<Outcome> for Became {
    fn from(outcome: Outcome) -> Self {
        let event = |event: Event| Emitted {
            pallet: event.pallet,
            name: event.name,
            fields: event.fields,
        };
        Self {
            success: outcome.result.is_ok(),
            error: outcome.result.err().map(WhyNot::from),
            fee: outcome.fee.map(|fee| Paid {
                paid: fee.paid.to_string(),
                tip: fee.tip.to_string(),
            }),
            events: outcome.events.into_iter().map(event).collect(),
        }
    }
}

impl Became {
    /// Lines for people, without a line end after the last.
    pub(crate) fn text(&self) -> String {
        let end = match &self.error {
            None => "success".to_owned(),
            Some(WhyNot::Module {
                pallet,
                error,
                docs,
            }) => format!("failed: {pallet}.{error}: {docs}"),
            Some(WhyNot::Other { other }) => format!("failed: {other}"),
        };
        let fee = self.fee.as_ref();
        let fee =
            fee.map(|fee| format!("fee          {}, of which the tip is {}", fee.paid, fee.tip));
        let event = |event: &Emitted| {
            let Emitted {
                pallet,
                name,
                fields,
            } = event;
            let fields = shown(&fields.to_string());
            format!("event        {pallet}.{name} {fields}")
        };
        let lines = once(format!("outcome      {end}")).chain(fee);
        let lines: Vec<_> = lines.chain(self.events.iter().map(event)).collect();
        lines.join("\n")
    }
}
