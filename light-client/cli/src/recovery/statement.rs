//! `recovery-statement`: what recovery keys sign when the chain was reset, and who may sign it. (RECOVER-5)

use super::{
    cross::{failure_of, no_terms},
    shown::Shown,
};
use crate::{event::Event, parts, session::Session};
use duet_light_client::{decode, recovery_terms, ResetClaim};
use duet_light_rpc::{Failure, Fault, Kind, Missing, Server};
use duet_primitives::{
    suite::{RECOVERY_PALLET_NAME, RECOVERY_TERMS_STORAGE_KEY},
    Keyset, Pk1Bytes,
};
use duet_recovery::text::{self, MembersFile, StatementFile};
use sp_crypto_hashing::twox_128;
use std::{fs, path::Path};

/// The name of the storage item with the members of the recovery set. (RECOVER-3)
const MEMBERS_ITEM: &str = "Members";

impl Session {
    /// Makes the statement at the newest proven block from the first endpoint that knows of a reset after it.
    pub(crate) async fn recovery_statement(&mut self, members: &Path) -> Result<(), Failure> {
        let mut claims = Vec::new();
        for (index, server) in self.ask_all().await? {
            match self.reset_of(&server).await {
                Ok(claim) => claims.push((index, server, claim)),
                Err(fault) => self.endpoint_failed(index, fault, false)?,
            }
        }
        check_agreement(&claims)?;
        for (index, server, claim) in claims {
            match self.statement_of(&server, claim, members).await {
                Ok(()) => return Ok(()),
                Err(fault) => self.endpoint_failed(index, fault, false)?,
            }
        }
        Err(self.endpoints.verdict())
    }

    async fn statement_of(
        &self,
        server: &Server,
        claim: Option<ResetClaim>,
        path: &Path,
    ) -> Result<(), Fault> {
        let trusted = self.trusted()?;
        let members_key = [
            twox_128(RECOVERY_PALLET_NAME.as_bytes()),
            twox_128(MEMBERS_ITEM.as_bytes()),
        ]
        .concat();
        let keys = [RECOVERY_TERMS_STORAGE_KEY.as_slice(), &members_key];
        let parts = parts::fetch(server, trusted, None, &keys).await?;
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
        Ok(())
    }
}

/// Refuses to make a statement while endpoints name different resets: nothing proves which of them is right.
fn check_agreement(claims: &[(usize, Server, Option<ResetClaim>)]) -> Result<(), Failure> {
    let mut named = claims
        .iter()
        .filter_map(|(_, server, claim)| Some((&server.url, claim.as_ref()?)));
    let Some((one, first)) = named.next() else {
        return Ok(());
    };
    let Some((other, second)) = named.find(|(_, claim)| *claim != first) else {
        return Ok(());
    };
    let says = |claim: &ResetClaim| {
        let (block, hash, set) = (claim.block_number(), claim.block_hash(), claim.set().id);
        format!("the reset in block {block} ({hash:?}) with set {set}")
    };
    let message = format!(
        "RECOVER-5: {one} names {}, and {other} names {}: ask people you trust, and name only servers that say the truth",
        says(first),
        says(second)
    );
    Err(Failure::new(Kind::NoWay, message))
}

/// Writes the members of a recovery set for the tool that signs.
fn write_members(path: &Path, members: &MembersFile) -> Result<(), Failure> {
    let text = text::write(members) + "\n";
    fs::write(path, text)
        .map_err(|error| Failure::new(Kind::Local, format!("{}: {error}", path.display())))
}
