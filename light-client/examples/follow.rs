//! A program around the verifier: it asks, the verifier judges, and the errors tell what to ask next. Here the server
//! is a chain in memory; replace it by a network.
//!
//! `cargo run -p duet-light-client --example follow --features testing`

use codec::Encode;
use duet_light_client::{
    decode, testing::TestChain, Culprit, Error, HandoffProof, Mode, NextStep, Outcome, StartProof,
    Trusted,
};
use duet_primitives::{SetId, UncheckedJustification};

/// A server that answers in bytes.
struct Server(TestChain);

impl Server {
    fn genesis_proof(&self) -> Vec<u8> {
        self.0.genesis_proof().encode()
    }

    fn newest_proof(&self) -> Vec<u8> {
        let number = self.0.head().block_number.get();
        self.0
            .justification(number)
            .expect("the head has a proof")
            .encode()
    }

    fn handoff_proofs(&self, from_set: SetId) -> Vec<u8> {
        self.0.handoff_proofs(from_set.get(), 4).encode()
    }
}

fn main() -> Result<(), Error> {
    let server = Server(TestChain::new(10, 7, 0));
    let genesis_hash = server.0.genesis_hash;

    let proof: StartProof = decode(&server.genesis_proof())?;
    let mut trusted = Trusted::from_genesis(genesis_hash, &proof, Mode::Full)?;
    println!(
        "genesis holds: set 0 has {} validators",
        trusted.signing().len
    );

    let newest: UncheckedJustification = decode(&server.newest_proof())?;
    loop {
        match trusted.verify(newest.clone()) {
            Ok(Outcome::New(verified)) => {
                let signers = verified.signers();
                trusted = verified.trusted;
                println!("block {} is final: {signers} signed", trusted.best_number());
                return Ok(());
            }
            Ok(Outcome::Known) => return Ok(()),
            Err(error) => match error.next_step() {
                NextStep::FetchHandoffProofs { from_set } => {
                    println!("{error}; {}", error.next_step());
                    let proofs: Vec<HandoffProof> = decode(&server.handoff_proofs(from_set))?;
                    trusted = walk(trusted, proofs)?;
                }
                _ => {
                    assert_ne!(error.culprit(), Culprit::Sender, "the server lies: {error}");
                    return Err(error);
                }
            },
        }
    }
}

fn walk(mut trusted: Trusted, proofs: Vec<HandoffProof>) -> Result<Trusted, Error> {
    for proof in proofs {
        if let Outcome::New(verified) = trusted.verify(proof)? {
            trusted = verified.trusted;
            let next = trusted.latest_set();
            println!(
                "block {}: set {} takes over",
                trusted.best_number(),
                next.id
            );
        }
    }
    Ok(trusted)
}
