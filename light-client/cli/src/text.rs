//! Events as text: one line, or a few for answers.

use crate::{
    became,
    event::{Event, Fee},
};
use duet_light_rpc::Kind;

impl Event<'_> {
    /// For people.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Start {
                genesis,
                mode,
                block,
                set,
                start,
            } => {
                let from = match (block, set, start) {
                    (Some(block), Some(set), None) => format!("block {block}, set {set}"),
                    (Some(block), Some(set), Some(start)) => {
                        format!("block {block}, set {set}, or block {start:?} if that is newer")
                    }
                    (_, _, Some(start)) => format!("block {start:?}"),
                    _ => "genesis".to_owned(),
                };
                format!("following {genesis:?} from {from} ({mode})")
            }
            Self::Began {
                block, hash, set, ..
            } => format!("began at block {block}  set {set}  {hash:?}"),
            Self::Warped {
                block,
                hash,
                changes,
                ..
            } => format!(
                "followed GRANDPA from genesis to block {block}  {changes} changes of its voters  {hash:?}"
            ),
            #[cfg(feature = "vouchers")]
            Self::Vouched(vouched) => vouched.text(),
            #[cfg(feature = "vouchers")]
            Self::Signed(signed) => signed.text(),
            #[cfg(feature = "statistics")]
            Self::Statistic(statistic) => statistic.text(),
            Self::Connected { url } => format!("connected to {url}"),
            Self::Proof {
                block,
                set,
                signers,
                of,
                bytes,
                millis,
                next_set,
                ..
            } => {
                let line = format!(
                    "block {block}  set {set}  signers {signers} of {of}  {bytes} bytes  {millis:.2} ms"
                );
                match next_set {
                    Some(next) => format!("{line}  next set {next}"),
                    None => line,
                }
            }
            Self::Behind { url, block, head } => {
                format!("behind: at block {block}, but {url} names {head} as its proven head")
            }
            Self::Synced {
                block,
                hash,
                set,
                age,
                ..
            } => {
                let age = age.map_or_else(|| "of unknown age".to_owned(), |age| format!("{age} s old"));
                format!("synced to block {block}  set {set}  {hash:?}  {age}")
            }
            Self::Silent { url, block, set } => format!(
                "warning: {url} says that no set signs its newest block: set {set}, trusted at block {block}, has expired \
                 (HANDOFF-5) or was ended (ACTIVE-3), and no proof comes before a reset or a new activation"
            ),
            Self::Ahead {
                url,
                block,
                seconds,
            } => format!(
                "warning: block {block} of {url} is {seconds} s in the future: this machine's clock is wrong, or that of the \
                 chain is; ages are shown as 0 s"
            ),
            Self::Endpoint {
                url,
                verdict,
                reason,
                next_step,
                ..
            } => {
                let verdict = verdict.replace('_', " ");
                match next_step {
                    Some(step) => format!("{url} {verdict}: {reason}; {step}"),
                    None => format!("{url} {verdict}: {reason}"),
                }
            }
            Self::NoTrustingPeriod { url } => format!(
                "{url} proves that its chain names no trusting period: give one with --trusting-period, so that this client \
                 does not continue from a block that is too old"
            ),
            Self::Stalled {
                url,
                block,
                chain,
                seconds,
                alone,
            } => {
                let others = if *alone {
                    "there is no other endpoint to compare with"
                } else {
                    "no other endpoint has a newer proof"
                };
                format!(
                    "{url} has had no new proof for {seconds} s, since block {block}; its chain is at block \
                     {chain}, and {others}"
                )
            }
            Self::Recovery(shown) => shown.text(),
            Self::Reported {
                url,
                block,
                hash,
                set,
                signers,
                verdict,
            } => format!(
                "{url}: the proof of block {block} {hash:?} by {signers} signers of set {set} {}",
                verdict.text()
            ),
            Self::Status { .. } => self.status_text(),
            Self::Header { .. }
            | Self::Storage { .. }
            | Self::Account { .. }
            | Self::Transaction { .. }
            | Self::Call { .. } => self.answer_text(),
            Self::Serving {
                address,
                strict,
                loopback,
            } => {
                let mode = if *strict { ", strict" } else { "" };
                let line = format!("serving on ws://{address} and http://{address}{mode}");
                if *loopback {
                    line
                } else {
                    line + "\nwarning: other machines can reach this address, and nothing is encrypted"
                }
            }
            Self::Request {
                method,
                class,
                error,
                millis,
            } => {
                let error = error.map(|code| format!("  error {code}"));
                format!(
                    "{method}  {class}  {millis:.2} ms{}",
                    error.unwrap_or_default()
                )
            }
            Self::Failed { kind, message, .. } if *kind == Kind::Interrupted.name() => {
                (*message).to_owned()
            }
            Self::Failed {
                message,
                evidence: Some([first, second]),
                ..
            } => {
                format!("error: {message}\nfirst proof:  {first}\nsecond proof: {second}")
            }
            Self::Failed { message, .. } => format!("error: {message}"),
        }
    }

    fn answer_text(&self) -> String {
        match self {
            Self::Header {
                block,
                hash,
                parent_hash,
                state_root,
                extrinsics_root,
                source,
            } => {
                let mut lines = vec![
                    format!("block            {block}"),
                    format!("hash             {hash:?}"),
                ];
                lines.extend(parent_hash.map(|hash| format!("parent           {hash:?}")));
                lines.push(format!("state root       {state_root:?}"));
                lines.push(format!("extrinsics root  {extrinsics_root:?}"));
                lines.extend(
                    source
                        .head_age
                        .map(|age| format!("proven           under a block that is {age} s old")),
                );
                lines.join("\n")
            }
            Self::Storage {
                value: Some(value),
                events: Some(events),
                length,
                block,
                ..
            } => format!(
                "{events} events in {} bytes after block {block}, not decoded\n{value}",
                length.unwrap_or_default()
            ),
            Self::Storage {
                value: Some(value), ..
            } => value.clone(),
            Self::Storage {
                value: None, block, ..
            } => {
                format!("the state after block {block} has no entry under this key")
            }
            Self::Account {
                exists: false,
                block,
                account,
                ..
            } => {
                format!("the state after block {block} has no account {account}")
            }
            Self::Account {
                block,
                hash,
                account,
                nonce,
                free,
                reserved,
                frozen,
                source,
                ..
            } => {
                let bound = if frozen == "0" {
                    ""
                } else {
                    "  of free and reserved together, which cannot be spent"
                };
                let account = format!(
                    "account   {account}\nblock     {block}  {hash:?}\nnonce     {nonce}\nfree      {free}\nreserved  \
                     {reserved}\nfrozen    {frozen}{bound}"
                );
                match source.head_age {
                    Some(age) => format!("{account}\nproven    under a block that is {age} s old"),
                    None => account,
                }
            }
            Self::Transaction {
                block,
                hash,
                transaction,
                index: Some(index),
                outcome,
                no_outcome,
                ..
            } => {
                let outcome = outcome.as_ref().map(became::text);
                let outcome = outcome.unwrap_or_else(|| {
                    let why = no_outcome.as_deref().unwrap_or_default();
                    format!("Whether its call succeeded is not proven: {why}.")
                });
                format!(
                    "transaction  {transaction:?}\nblock        {block}  {hash:?}\nindex        {index}\n{outcome}"
                )
            }
            Self::Transaction {
                block,
                hash,
                transaction,
                ..
            } => {
                format!("block {block}  {hash:?}  does not have the transaction {transaction:?}")
            }
            Self::Call {
                fee: Some(fee),
                block,
                hash,
                source,
                ..
            } => {
                let Fee {
                    fee,
                    class,
                    ref_time,
                    proof_size,
                } = fee;
                let class = class.name();
                let line = format!(
                    "fee       {fee}\nclass     {class}\nweight    {ref_time} ps, {proof_size} bytes of proof\nblock     \
                     {block}  {hash:?}"
                );
                match source.head_age {
                    Some(age) => format!("{line}\nproven    under a block that is {age} s old"),
                    None => line,
                }
            }
            Self::Call { output, .. } => output.clone(),
            _ => String::new(),
        }
    }

    fn status_text(&self) -> String {
        let Self::Status {
            genesis,
            mode,
            block,
            hash,
            mmr_root,
            set,
            validators,
            threshold,
            next_set,
            age,
            trusting_period,
            recovery,
            ..
        } = self
        else {
            return String::new();
        };
        let mut lines = vec![
            format!("genesis     {genesis:?}"),
            format!("mode        {mode}"),
            format!("block       {block}"),
            format!("hash        {hash:?}"),
        ];
        lines.extend(mmr_root.map(|root| format!("mmr root    {root:?}")));
        lines.push(format!("set         {set}"));
        lines.push(format!(
            "validators  {validators}, of which {threshold} make a proof"
        ));
        lines.extend(next_set.map(|next| format!("next set    {next}")));
        lines.extend(age.map(|age| match trusting_period {
            Some(period) => format!("age         {age} s, of {period} s in which proofs are taken"),
            None => format!("age         {age} s"),
        }));
        lines.extend(recovery.map(|recovery| format!("recovery    {}", recovery.text())));
        lines.join("\n")
    }
}
