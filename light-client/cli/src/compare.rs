//! Whether the followed endpoint lags behind another endpoint that claims newer blocks.

use crate::{heads::Claim, session::Session};
use duet_light_rpc::{Failure, Fault, Missing, Server};
use duet_primitives::BlockNumber;
use std::time::Duration;
use tokio::time::timeout;

/// How long an endpoint that claims to be ahead of another one may prove nothing. Meanwhile nobody is followed.
const CLAIM_TIMEOUT: Duration = Duration::from_secs(5);
/// How long the followed endpoint may take to name its head after that.
const HEAD_TIMEOUT: Duration = Duration::from_secs(2);

impl Session {
    /// Asks an endpoint that claims newer blocks to prove them. When it does, it is followed from then on, and the one that
    /// was followed lags if it still names no such block. What is not proven is held against the one that claimed it.
    pub(crate) async fn compare(&mut self, index: usize, claim: Claim) -> Result<(), Failure> {
        let Claim { rival, head } = claim;
        let best = self.trusted()?.best_number();
        let start = self.proofs;
        let claimed = loop {
            let before = self.proofs;
            match timeout(CLAIM_TIMEOUT, self.prove_head(rival)).await {
                Ok(proved) => break proved,
                // It has a long way to prove.
                Err(_) if self.proofs > before => {}
                Err(_) => break Ok(()),
            }
        };
        let proven = self.trusted()?.best_number();
        if let Some(heads) = &self.heads {
            heads.board().clear(rival);
        }
        if proven >= head {
            if self.named_by(index).await.is_none_or(|own| own < head) {
                let other = self.endpoints.url(rival).unwrap_or_default().to_owned();
                let after = self.asking.lag_after;
                let fault = Fault::Lagging {
                    best,
                    other,
                    proven,
                    after,
                };
                self.endpoint_failed(index, fault, true)?;
            }
            self.endpoints.prefer(rival);
        }
        let fault = match claimed {
            Ok(()) if proven >= head || self.is_done() => return Ok(()),
            // Also when it claimed something and took too long to prove it: it is not asked again at once.
            Ok(()) | Err(Fault::Unreachable(_)) => Fault::Incomplete(Missing::Proof(head)),
            Err(fault) => fault,
        };
        self.endpoint_failed(rival, fault, self.proofs > start)
    }

    /// Verifies what an endpoint proves up to its head.
    async fn prove_head(&mut self, index: usize) -> Result<(), Fault> {
        let within = self.request_timeout.min(CLAIM_TIMEOUT);
        let server = self.connect(index, within).await?;
        self.catch_up(&server).await
    }

    /// The head that an endpoint names now: another one may have claimed its block before anybody could prove it.
    async fn named_by(&self, index: usize) -> Option<BlockNumber> {
        let asked = async {
            let url = self.endpoints.url(index).unwrap_or_default();
            Server::connect(url, HEAD_TIMEOUT).await?.head().await
        };
        let named = timeout(HEAD_TIMEOUT, asked).await.ok()?.ok()??;
        Some(named.0)
    }
}
