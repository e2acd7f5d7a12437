//! Asks for a statistic, and verifies it against the set that is trusted.

use super::{args::Asked, found::Found, shown::Shown, weights};
use crate::{event::Event, session::Session};
use codec::DecodeAll;
use duet_light_client::{Error, Trusted};
use duet_light_rpc::{bytes_of, Failure, Fault, Lie, Missing, Server};
use duet_primitives::{Keyset, SignerIndex};
use duet_statistics::{Answer, Context, Evidence, Statistic, Weights};
use jsonrpsee::rpc_params;
use std::{collections::BTreeSet, time::Instant};

impl Session {
    /// Shows a statistic, from the first endpoint with a verified one that meets the user's limits.
    pub(crate) async fn statistic(&mut self, args: &Asked) -> Result<(), Failure> {
        for index in self.endpoints.all() {
            match self.ask_for_statistic(index, args).await {
                Ok(()) => return Ok(()),
                Err(fault) => self.endpoint_failed(index, fault, false)?,
            }
        }
        Err(self.endpoints.verdict())
    }

    async fn ask_for_statistic(&mut self, index: usize, args: &Asked) -> Result<(), Fault> {
        let url = self.endpoints.url(index).unwrap_or_default().to_owned();
        let server = Server::connect(&url, self.request_timeout).await?;
        let trusted = self.trusted()?;
        let set = keys(&server, trusted).await?;
        let weights = match &args.weights {
            Some(path) => weights::read(path, &set)?,
            None => Weights::Equal,
        };
        let found = Found {
            statistic: statistic(&server, trusted, &set, args, &weights).await?,
            contradicted: contradicted(&server, trusted, &set).await?,
        };
        found.is_enough(trusted, args)?;
        let shown = Shown::new(&url, trusted.best_number(), &set, &found, args.sum);
        self.output.event(&Event::Statistic(shown));
        self.endpoints.succeeded(index, Instant::now());
        Ok(())
    }
}

/// The keys of the signing set, checked against the trusted state.
async fn keys(server: &Server, trusted: &Trusted) -> Result<Keyset, Fault> {
    let signing = trusted.signing();
    let keys = server.keys(signing.id).await?;
    let keys = keys.ok_or(Fault::Incomplete(Missing::Keys(signing.id)))?;
    Keyset::check(signing, &keys).map_err(|error| {
        lie(
            &format!("the keys of set {}", signing.id),
            &error.to_string(),
        )
    })
}

async fn statistic(
    server: &Server,
    trusted: &Trusted,
    set: &Keyset,
    args: &Asked,
    weights: &Weights,
) -> Result<Statistic, Fault> {
    let asked = match weights {
        Weights::Equal => None,
        Weights::Each(weights) => Some(weights),
    };
    let method = "duet_getStatistic";
    let params = rpc_params![set.id(), args.metric.name(), asked];
    let answer: Option<String> = server.ask(method, params).await?;
    let what = format!("{} of set {}", args.metric, set.id());
    let answer = answer.ok_or(Fault::Incomplete(Missing::Statistic(set.id())))?;
    let answer: Answer = decode("answer", &answer)?;
    let verified = answer
        .context(trusted.genesis_hash(), set)
        .and_then(|context| answer.verify(&context, args.metric, weights));
    verified.map_err(|error| lie(&what, &error.to_string()))
}

/// The members against which the endpoint has evidence that holds.
async fn contradicted(
    server: &Server,
    trusted: &Trusted,
    set: &Keyset,
) -> Result<BTreeSet<SignerIndex>, Fault> {
    let method = "duet_getStatisticEvidence";
    let params = rpc_params![set.id()];
    let sent: Vec<String> = server.ask(method, params).await?;
    let what = format!("evidence against members of set {}", set.id());
    // One for each member in each of two periods.
    let most = set.len().saturating_mul(2);
    if u32::try_from(sent.len()).map_or(true, |got| got > most) {
        return Err(lie(
            &what,
            &format!("{} items, above the limit of {most}", sent.len()),
        ));
    }
    let member = |text: &String| {
        let evidence: Evidence = decode("evidence", text)?;
        Context::new(trusted.genesis_hash(), evidence.period, set)
            .map_err(|error| error.to_string())
            .and_then(|context| evidence.check(&context).map_err(|error| error.to_string()))
            .map_err(|error| lie(&what, &error))?;
        Ok(evidence.member)
    };
    sent.iter().map(member).collect()
}

fn decode<T: DecodeAll>(object: &'static str, text: &str) -> Result<T, Fault> {
    let bytes = bytes_of(object, text)?;
    T::decode_all(&mut &bytes[..]).map_err(|error| {
        let reason = error.to_string();
        Error::Malformed { object, reason }.into()
    })
}

/// The fault of an endpoint whose data does not hold.
fn lie(asked: &str, why: &str) -> Fault {
    let (asked, got) = (asked.to_owned(), format!("an invalid answer: {why}"));
    Lie::OtherAnswer { asked, got }.into()
}
