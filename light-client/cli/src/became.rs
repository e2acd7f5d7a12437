//! What became of a transaction, as it is shown. (STATE-9)

use duet_light_metadata::{Event, Failure, Fee, Outcome};
use duet_light_rpc::shown;
use serde::{Serialize, Serializer};
use std::iter::once;

/// For programs: [`Outcome::json`], or nothing.
pub(crate) fn serialize<S: Serializer>(
    outcome: &Option<Outcome>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    outcome.as_ref().map(Outcome::json).serialize(serializer)
}

/// Lines for people, without a line end after the last.
pub(crate) fn text(outcome: &Outcome) -> String {
    let end = match &outcome.result {
        Ok(()) => "success".to_owned(),
        Err(Failure::Module {
            pallet,
            error,
            docs,
        }) => format!("failed: {pallet}.{error}: {docs}"),
        Err(Failure::Other(other)) => format!("failed: {other}"),
    };
    let fee = |Fee { paid, tip }| format!("fee          {paid}, of which the tip is {tip}");
    let event = |Event {
                     pallet,
                     name,
                     fields,
                 }: &Event| {
        let fields = shown(&fields.to_string());
        format!("event        {pallet}.{name} {fields}")
    };
    let lines = once(format!("outcome      {end}")).chain(outcome.fee.map(fee));
    let lines: Vec<_> = lines.chain(outcome.events.iter().map(event)).collect();
    lines.join("\n")
}
