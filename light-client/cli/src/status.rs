//! `status`: the trusted state in a state file.

use crate::{args::Status, event::Event, output::Output, state_file};
use duet_light_rpc::{CheckpointJson, Failure, Kind};

/// Shows the state, or prints the checkpoint in it.
pub(crate) fn show(args: &Status, output: &Output) -> Result<(), Failure> {
    let path = args.state.display();
    let trusted = state_file::read(&args.state)?
        .ok_or_else(|| Failure::new(Kind::Local, format!("there is no state file {path}")))?;
    if args.checkpoint {
        let json = serde_json::to_string_pretty(&CheckpointJson::of(&trusted))
            .map_err(|error| Failure::new(Kind::Local, error.to_string()))?;
        output.print(&json);
    } else {
        output.event(&Event::status(&trusted));
    }
    Ok(())
}
