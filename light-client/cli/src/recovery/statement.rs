//! `recovery-statement`: what recovery keys sign when the chain was reset, and who may sign it. (RECOVER-5)

use super::{
    cross::{failure_of, no_terms},
    shown::Shown,
};
use crate::{event::Event, parts, session::Session};
use duet_light_client::{decode, recovery_terms, ResetClaim};
use duet_light_rpc::{Failure, Fault, Kind, Missing};
use duet_primitives::{
    suite::{RECOVERY_PALLET_NAME, RECOVERY_TERMS_STORAGE_KEY},
    Keyset, Pk1Bytes,
};
use duet_recovery::text::{self, MembersFile, StatementFile};
use sp_crypto_hashing::twox_128;
use std::{fs, path::Path, time::Instant};

/// The name of the storage item with the members of the recovery set. (RECOVER-3)
const MEMBERS_ITEM: &str = "Members";

impl Session {
    /// Makes the statement at the newest proven block from the first endpoint that knows of a reset after it.
    pub(crate) async fn recovery_statement(&mut self, members: &Path) -> Result<(), Failure> {
        if self.ask_all().await?.is_empty() {
            return Err(self.endpoints.verdict());
        }
        self.check_agreement().await?;
        for index in self.endpoints.all() {
            match self.statement_of(index, members).await {
                Ok(()) => return Ok(()),
                Err(fault) => self.endpoint_failed(index, fault, false)?,
            }
        }
        Err(self.endpoints.verdict())
    }

    /// Refuses to make a statement while endpoints name different resets: nothing proves which of them is right.
    async fn check_agreement(&mut self) -> Result<(), Failure> {
        let mut first: Option<(String, ResetClaim)> = None;
        for index in self.endpoints.all() {
            let (url, claim) = match self.claim_of(index).await {
                Ok((url, Some(claim))) => (url, claim),
                Ok((_, None)) => continue,
                Err(fault) => {
                    self.endpoint_failed(index, fault, false)?;
                    continue;
                }
            };
            match &first {
                Some((other, named)) if *named != claim => {
                    let says = |claim: &ResetClaim| {
                        let (block, hash, set) =
                            (claim.block_number(), claim.block_hash(), claim.set().id);
                        format!("the reset in block {block} ({hash:?}) with set {set}")
                    };
                    let message = format!(
                        "RECOVER-5: {other} names {}, and {url} names {}: ask people you trust, and name only servers that \
                         say the truth",
                        says(named),
                        says(&claim)
                    );
                    return Err(Failure::new(Kind::NoWay, message));
                }
                Some(_) => {}
                None => first = Some((url, claim)),
            }
        }
        Ok(())
    }

    async fn claim_of(&mut self, index: usize) -> Result<(String, Option<ResetClaim>), Fault> {
        let server = self.connect(index, self.request_timeout).await?;
        let claim = self.reset_of(&server).await?;
        Ok((server.url.clone(), claim))
    }

    async fn statement_of(&mut self, index: usize, path: &Path) -> Result<(), Fault> {
        let server = self.connect(index, self.request_timeout).await?;
        let trusted = self.trusted()?;
        let members_key = [
            twox_128(RECOVERY_PALLET_NAME.as_bytes()),
            twox_128(MEMBERS_ITEM.as_bytes()),
        ]
        .concat();
        let keys = [RECOVERY_TERMS_STORAGE_KEY.as_slice(), &members_key];
        let parts = parts::fetch(&server, trusted, None, &keys).await?;
        let value = |at: usize| parts.values.get(at).and_then(Option::as_deref);
        let block = trusted.best_number();
        let terms = recovery_terms(value(0)).ok_or_else(|| no_terms(block))?;
        let foreign = |reason: String| {
            let message = format!(
                "RECOVER-3: the state after block {block} has no members that this version can read: {reason}"
            );
            Failure::new(Kind::NoWay, message)
        };
        let keys: Vec<Pk1Bytes> =
            decode(value(1).unwrap_or_default()).map_err(|error| foreign(error.to_string()))?;
        Keyset::check(&terms.set, &keys).map_err(|error| foreign(error.to_string()))?;
        let claim = self.reset_of(&server).await?;
        let claim = claim.ok_or(Fault::Incomplete(Missing::Reset(trusted.latest_set().id)))?;
        let statement = trusted
            .recovery_statement(&terms, &claim)
            .map_err(failure_of)?;
        let members = MembersFile {
            genesis_hash: self.genesis,
            terms,
            keys,
        };
        write_members(path, &members)?;
        let compared = Shown::to_compare(&statement, &members.terms, &server.url);
        self.output.event(&Event::Recovery(compared));
        let file = StatementFile {
            genesis_hash: self.genesis,
            statement,
        };
        let statement = text::write(&file);
        let made = Shown::Statement { statement };
        self.output.event(&Event::Recovery(made));
        self.endpoints.succeeded(index, Instant::now());
        Ok(())
    }
}

/// Writes the members of a recovery set for the tool that signs.
fn write_members(path: &Path, members: &MembersFile) -> Result<(), Failure> {
    let text = text::write(members) + "\n";
    fs::write(path, text)
        .map_err(|error| Failure::new(Kind::Local, format!("{}: {error}", path.display())))
}
