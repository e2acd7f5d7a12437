//! Whether the followed endpoint lags behind another endpoint that claims newer blocks.

use crate::{heads::Claim, session::Session};
use duet_light_rpc::{Failure, Fault, Missing};
use std::time::Duration;

/// How long an endpoint that claims to be ahead of another one may take over an answer about it.
const CLAIM_TIMEOUT: Duration = Duration::from_secs(5);

impl Session {
    /// Asks an endpoint that claims newer blocks to prove them. With a proof, the followed endpoint lags and is
    /// dropped. Without one, the claim is ignored.
    pub(crate) async fn compare(&mut self, index: usize, claim: Claim) -> Result<(), Failure> {
        let Claim { rival, head } = claim;
        let best = self.trusted()?.best_number();
        let before = self.proofs;
        let timeout = self.request_timeout.min(CLAIM_TIMEOUT);
        let claimed = match self.connect(rival, timeout).await {
            Ok(server) => self.catch_up(&server).await,
            Err(fault) => Err(fault),
        };
        let proven = self.trusted()?.best_number();
        if let Some(heads) = &self.heads {
            heads.board().clear(rival);
        }
        if self.proofs > before {
            let other = self.endpoints.url(rival).unwrap_or_default().to_owned();
            let after = self.asking.lag_after;
            let fault = Fault::Lagging {
                best,
                other,
                proven,
                after,
            };
            self.endpoint_failed(index, fault, true)?;
            self.endpoints.prefer(rival);
        }
        let fault = match claimed {
            Ok(()) if proven > best => return Ok(()),
            // Also when it claimed something and took too long to prove it: it is not asked again at once.
            Ok(()) | Err(Fault::Unreachable(_)) => Fault::Incomplete(Missing::Proof(head)),
            Err(fault) => fault,
        };
        self.endpoint_failed(rival, fault, self.proofs > before)
    }
}
