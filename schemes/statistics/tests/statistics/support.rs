//! A set whose members report.

use duet_mklhs::{Message, SigningKey};
use duet_primitives::{
    testing::TestSet, BlockNumber, Keyset, PossessionProof, SetId, SignerIndex, H256,
};
use duet_statistics::{Certificate, Checked, Context, Figure, Metric, Period, Report};
use rand_chacha::{rand_core::SeedableRng, ChaCha20Rng};

pub(crate) struct Network {
    pub(crate) test: TestSet,
    pub(crate) genesis: H256,
    pub(crate) period: Period,
}

pub(crate) fn rng() -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(7)
}

/// The key that a member has for its statistics.
pub(crate) fn key_of(member: u32, generation: u8) -> SigningKey {
    let mut material = [generation; 32];
    material[..4].copy_from_slice(&member.to_le_bytes());
    SigningKey::generate(&material).unwrap()
}

impl Network {
    pub(crate) fn new(members: u64) -> Self {
        Self {
            test: TestSet::new(3, 0..members),
            genesis: H256::repeat_byte(9),
            period: Period {
                set: SetId::new(3),
                session: 12,
                block: BlockNumber::new(600),
            },
        }
    }

    pub(crate) fn set(&self) -> &Keyset {
        self.test.set.keyset()
    }

    pub(crate) fn context(&self) -> Context<'_> {
        Context::new(self.genesis, self.period, self.set()).unwrap()
    }

    pub(crate) fn certificate(&self, member: u32, key: &SigningKey) -> Certificate {
        let statement = self.context().statement(&key.public().to_bytes());
        let secret = &self.test.secrets[member as usize];
        let proof: PossessionProof = secret.prove_possession(&statement);
        Certificate::new(key, proof.ownership())
    }

    pub(crate) fn figure(
        &self,
        member: u32,
        key: &SigningKey,
        metric: Metric,
        number: u64,
    ) -> Figure {
        self.figure_of(member, key, metric, Message::from(number))
    }

    pub(crate) fn figure_of(
        &self,
        member: u32,
        key: &SigningKey,
        metric: Metric,
        number: Message,
    ) -> Figure {
        let pk1 = self.set().key(SignerIndex::new(member)).unwrap().to_bytes();
        let label = self.context().label(&pk1, key.id(), metric).unwrap();
        let signature = key.sign_unregistered(&label, number).unwrap();
        Figure {
            metric,
            signature: signature.to_bytes(),
        }
    }

    /// What a member says: its number for peers, and ten times that for memory.
    pub(crate) fn report(&self, member: u32, number: u64) -> Report {
        self.report_with(member, &key_of(member, 1), number)
    }

    pub(crate) fn report_with(&self, member: u32, key: &SigningKey, number: u64) -> Report {
        Report {
            period: self.period,
            member: SignerIndex::new(member),
            certificate: self.certificate(member, key),
            figures: vec![
                self.figure(member, key, Metric::Peers, number),
                self.figure(member, key, Metric::Memory, 10 * number),
            ],
        }
    }

    pub(crate) fn checked(&self, report: Report) -> Checked {
        report.check(&self.context(), &mut rng()).unwrap()
    }
}
