//! `recovery-statement`: what recovery keys sign when the chain was reset, and who may sign it. (RECOVER-5)

use super::{
    cross::{failure_of, no_terms},
    shown::Shown,
};
use crate::{event::Event, parts, session::Session};
use duet_light_client::{decode, recovery_terms};
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
        for index in self.endpoints.all() {
            match self.statement_of(index, members).await {
                Ok(()) => return Ok(()),
                Err(fault) => self.endpoint_failed(index, fault, false)?,
            }
        }
        Err(self.endpoints.verdict())
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
        let set = trusted.latest_set().id;
        let header = server.reset(set).await?;
        let header = header.ok_or(Fault::Incomplete(Missing::Reset(set)))?;
        let claim = trusted.reset_claim(&header)?;
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
