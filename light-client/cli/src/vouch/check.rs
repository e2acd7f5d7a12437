//! Whether enough of the user's list vouch for the checkpoint that a run begins from.

use super::{
    args::Vouching,
    files,
    shown::Vouched,
    subject::{now, subject},
};
use crate::{event::Event, output::Output};
use duet_light_client::Checkpoint;
use duet_light_rpc::{Failure, Kind};
use duet_vouch::{List, Terms, Verdict};

/// How many seconds a voucher's clock may be ahead of this one.
const TOLERANCE: u64 = 300;

/// Shows the vouchers of a checkpoint, and refuses it when there are too few.
pub(crate) fn check(
    args: &Vouching,
    checkpoint: &Checkpoint,
    output: &Output,
) -> Result<(), Failure> {
    let Some(list) = &args.vouchers else {
        return Ok(());
    };
    let list = files::list(list)?;
    if args.require > list.names() {
        return Err(Failure::new(
            Kind::Usage,
            format!(
                "--require is {}, but the list has {} names",
                args.require,
                list.names()
            ),
        ));
    }
    let verdict = judge(args, checkpoint, &list)?;
    let shown = Vouched::new(checkpoint, &verdict, (args.require, list.names()));
    output.event(&Event::Vouched(shown));
    verdict
        .require(args.require)
        .map_err(|error| Failure::new(Kind::Unvouched, error.to_string()))
}

/// The verdict of all records together.
fn judge(args: &Vouching, checkpoint: &Checkpoint, list: &List) -> Result<Verdict, Failure> {
    let subject = subject(checkpoint);
    let terms = Terms {
        now: now()?,
        tolerance: TOLERANCE,
        max_age: args.vouched_within.as_secs(),
    };
    let mut all = Verdict::default();
    for path in &args.vouched {
        let verdict = files::record(path)?.verify(&subject, list, &terms);
        let verdict = verdict.map_err(|error| {
            Failure::new(Kind::Unvouched, format!("{}: {error}", path.display()))
        })?;
        all = all.join(verdict);
    }
    Ok(all)
}
