//! Starts from an endpoint's proof: at the user's block, at the genesis, or at a block to which GRANDPA's proofs lead
//! from there. (LIGHT-1 to LIGHT-3)

use crate::{begin::is_newer, event::Event, parts::number_of, session::Session};
use duet_light_client::{Culprit, Trusted};
use duet_light_rpc::{Fault, Missing, Server};
use duet_primitives::H256;

impl Session {
    /// Makes sure that something is trusted, and that it is no older than the block that the user named.
    pub(crate) async fn begin(&mut self, server: &Server) -> Result<(), Fault> {
        if let Some(hash) = self.start {
            self.begin_at(hash, server).await?;
            self.start = None;
        }
        if self.trusted().is_err() {
            self.begin_at_genesis(server).await?;
        }
        self.check_start(server).await
    }

    /// Starts at this block, unless the stored state is newer.
    async fn begin_at(&mut self, hash: H256, server: &Server) -> Result<(), Fault> {
        if let Ok(kept) = self.trusted() {
            // Its header says how old it is: nodes keep that for longer than its state, which would prove its sets.
            let number = number_of(server, hash).await?;
            if !is_newer("--start", number, hash, kept)? {
                return Ok(());
            }
        }
        let proof = server.start_proof(Some(hash)).await?;
        let proof = proof.ok_or(Fault::Incomplete(Missing::Start(hash)))?;
        let trusted = Trusted::from_start(self.genesis, hash, &proof, self.mode)?;
        self.began(trusted, server);
        Ok(())
    }

    fn began(&mut self, trusted: Trusted, server: &Server) {
        self.output.event(&Event::began(&trusted, &server.url));
        self.set_trusted(trusted);
    }

    async fn begin_at_genesis(&mut self, server: &Server) -> Result<(), Fault> {
        let missing = match server.genesis_proof().await {
            Err(missing @ Fault::Incomplete(Missing::Genesis)) => missing,
            answer => {
                let trusted = Trusted::from_genesis(self.genesis, &answer?, self.mode)?;
                self.set_trusted(trusted);
                return Ok(());
            }
        };
        if self.begin_by_grandpa(server).await? {
            return Ok(());
        }
        let claim = server.start_claim(self.genesis).await?;
        Err(claim.map_or(missing, Fault::LaterStart))
    }

    /// Begins at the newest block that GRANDPA's proofs lead to from the genesis, if a set signs there; whether one does.
    async fn begin_by_grandpa(&mut self, server: &Server) -> Result<bool, Fault> {
        let Some(proven) = server.warp(self.genesis).await? else {
            return Ok(false);
        };
        let Some(proof) = server.start_proof(Some(proven.hash())).await? else {
            return Ok(false);
        };
        let trusted = match Trusted::from_start(self.genesis, proven.hash(), &proof, self.mode) {
            // The endpoint chose the block, and another one may know a newer.
            Err(error) if error.culprit() == Culprit::Nobody => return Ok(false),
            trusted => trusted?,
        };
        self.output.event(&Event::warped(&proven, &server.url));
        self.began(trusted, server);
        Ok(true)
    }
}
