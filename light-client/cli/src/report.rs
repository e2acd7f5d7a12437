//! `report`: has nodes report false finality proofs, so that their chain punishes the signers.
//!
//! This program cannot tell which proof is false: both verify. A node compares them with its own chain.

use crate::{args::Report, event::Event, output::Output, verdict::Verdict};
use duet_light_rpc::{decode_hex, shown, Failure, Fault, Kind, Server};
use duet_primitives::UncheckedJustification;
use jsonrpsee::rpc_params;

/// Submits every proof to every node. Succeeds when a node calls a proof false.
pub(crate) async fn report(args: &Report, output: &Output) -> Result<(), Failure> {
    let proofs = args.proofs.iter().map(|text| read(text));
    let proofs = proofs.collect::<Result<Vec<_>, Failure>>()?;
    let (mut reached, mut reported) = (false, false);
    for url in &args.urls {
        let server = match Server::connect(url, args.request_timeout).await {
            Ok(server) => server,
            Err(fault) => {
                output.event(&Event::endpoint_failed(url, &fault));
                continue;
            }
        };
        reached = true;
        for (text, proof) in &proofs {
            match hand_in(&server, text).await {
                Ok(verdict) => {
                    reported |= verdict == Verdict::False;
                    output.event(&Event::reported(url, proof, verdict));
                }
                Err(fault) => output.event(&Event::endpoint_failed(url, &fault)),
            }
        }
    }
    match (reported, reached) {
        (true, _) => Ok(()),
        (false, true) => Err(Failure::new(
            Kind::NoWay,
            "no endpoint says that one of these proofs is false",
        )),
        (false, false) => Err(Failure::new(
            Kind::Unreachable,
            "no endpoint could be reached",
        )),
    }
}

/// The proof as the user gave it, and decoded.
fn read(text: &str) -> Result<(&str, UncheckedJustification), Failure> {
    let proof = decode_hex(text)
        .map_err(|fault| Failure::new(Kind::Usage, format!("not a finality proof: {fault}")))?;
    Ok((text, proof))
}

async fn hand_in(server: &Server, proof: &str) -> Result<Verdict, Fault> {
    let answer = server.call("duet_reportProof", rpc_params![proof]).await?;
    answer.map_err(|refusal| {
        Fault::Incompatible(format!(
            "the node refused the proof: {}",
            shown(refusal.message())
        ))
    })
}
