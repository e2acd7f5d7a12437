//! A server that has figures of three of four validators.

use crate::support::{Host, World};
use codec::Encode;
use duet_mklhs::{Message, SigningKey};
use duet_primitives::{BlockNumber, SetId, SignerIndex, H256};
use duet_statistics::{Certificate, Context, Figure, Metric, Period, Report, Reports, Weights};
use jsonrpsee::{
    server::RpcModule,
    types::{ErrorCode, ErrorObject, ErrorObjectOwned},
};
use rand_core::OsRng;
use serde_json::{json, Value};

/// Who reported, and how many peers.
pub(crate) const MEMBERS: [(u32, u64); 3] = [(0, 20), (1, 21), (3, 23)];

/// What a terminal would show as a line of its own.
pub(crate) const FORGED_LINE: &str = "0x\n\u{1b}[2Kpeers: mean 7";

/// What is wrong with a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lie {
    None,
    /// A figure is another one.
    OtherFigure,
    /// A figure is said to be that of the member that did not report.
    OtherMember,
    /// The answer is about memory.
    OtherMetric,
    /// The answer has other weights.
    OtherWeights,
    /// The signature is missing.
    NoSignature,
    /// Evidence that shows nothing.
    FalseEvidence,
    /// Evidence that holds, more often than there can be.
    TooMuchEvidence,
    /// No lie: member 1 said two different things.
    Contradicted,
    /// It is a node without the feature.
    NoMethod,
    /// It refuses with a text that would forge a line.
    Refuses,
    /// It sends a text that is no bytes and would forge a line.
    Garbage,
}

/// The server.
pub(crate) struct Figures {
    pub(crate) host: Host,
}

struct State {
    genesis: H256,
    keys: Vec<u8>,
    set: duet_primitives::Keyset,
    reports: Reports,
    lie: Lie,
}

impl Figures {
    pub(crate) async fn start(world: &World, lie: Lie) -> Self {
        let set = world.set.set.keyset().clone();
        let mut reports = Reports::new(PERIOD);
        for (member, peers) in MEMBERS {
            reports.add(
                report(world, member, peers)
                    .check(&context(world), &mut OsRng)
                    .expect("it holds"),
            );
        }
        if matches!(lie, Lie::Contradicted | Lie::TooMuchEvidence) {
            reports.add(
                report(world, 1, 5)
                    .check(&context(world), &mut OsRng)
                    .expect("it holds"),
            );
        }
        let state = State {
            genesis: world.genesis(),
            keys: set.key_bytes().encode(),
            set,
            reports,
            lie,
        };
        let mut module = RpcModule::new(state);
        for method in [
            "chain_getBlockHash",
            "duet_getFinalizedHead",
            "duet_getKeys",
            "duet_getStatistic",
            "duet_getStatisticEvidence",
        ] {
            let answer = move |params: jsonrpsee::types::Params<'_>, state: &State, _: &_| {
                state.answer(method, &params)
            };
            module.register_method(method, answer).expect("once each");
        }
        Self {
            host: Host::start(module).await,
        }
    }
}

const PERIOD: Period = Period {
    set: SetId::new(0),
    session: 5,
    block: BlockNumber::ZERO,
};

fn context(world: &World) -> Context<'_> {
    Context::new(world.genesis(), PERIOD, world.set.set.keyset()).expect("of this set")
}

fn report(world: &World, member: u32, peers: u64) -> Report {
    let context = context(world);
    let key = SigningKey::generate(&[9 + u8::try_from(member).expect("few"); 32]).expect("a key");
    let statement = context.statement(&key.public().to_bytes());
    let proof = world.set.secrets[member as usize].prove_possession(&statement);
    let member = SignerIndex::new(member);
    let pk1 = world
        .set
        .set
        .keyset()
        .key(member)
        .expect("a member")
        .to_bytes();
    let label = context.label(&pk1, key.id(), Metric::Peers).expect("short");
    let signature = key
        .sign_unregistered(&label, Message::from(peers))
        .expect("its label");
    Report {
        period: PERIOD,
        member,
        certificate: Certificate::new(&key, proof.ownership()),
        figures: vec![Figure {
            metric: Metric::Peers,
            signature: signature.to_bytes(),
        }],
    }
}

fn hex(bytes: &[u8]) -> Value {
    json!(format!("0x{}", hex::encode(bytes)))
}

impl State {
    fn answer(
        &self,
        method: &str,
        params: &jsonrpsee::types::Params<'_>,
    ) -> Result<Value, ErrorObjectOwned> {
        match method {
            "chain_getBlockHash" => Ok(json!(self.genesis)),
            "duet_getFinalizedHead" => Err(ErrorObject::owned(9001, "none yet", None::<()>)),
            "duet_getKeys" => Ok(hex(&self.keys)),
            "duet_getStatistic" if self.lie == Lie::NoMethod => {
                Err(ErrorCode::MethodNotFound.into())
            }
            "duet_getStatistic" if self.lie == Lie::Refuses => {
                Err(ErrorObject::owned(-32000, FORGED_LINE, None::<()>))
            }
            "duet_getStatistic" if self.lie == Lie::Garbage => Ok(json!(FORGED_LINE)),
            "duet_getStatistic" => self.statistic(params),
            _ if self.lie == Lie::FalseEvidence => Ok(json!([hex(&[0; 40])])),
            _ => {
                let often = if self.lie == Lie::TooMuchEvidence {
                    9
                } else {
                    1
                };
                let evidence = self.reports.evidence().flat_map(|one| vec![one; often]);
                Ok(evidence.map(|one| hex(&one.encode())).collect())
            }
        }
    }

    fn statistic(&self, params: &jsonrpsee::types::Params<'_>) -> Result<Value, ErrorObjectOwned> {
        let (set, metric, weights): (u64, String, Option<Vec<u64>>) = params.parse()?;
        assert_eq!(set, 0);
        let metric: Metric = metric.parse().expect("the program knows the metrics");
        let weights = match (weights, self.lie) {
            (_, Lie::OtherWeights) => Weights::Each(vec![2, 1, 1, 1]),
            (Some(weights), _) => Weights::Each(weights),
            (None, _) => Weights::Equal,
        };
        let context = Context::new(self.genesis, PERIOD, &self.set).expect("of this set");
        let Ok(mut answer) = self.reports.answer(&context, metric, &weights) else {
            return Ok(Value::Null);
        };
        match self.lie {
            Lie::OtherFigure => *answer.combined.last_mut().expect("it is long") ^= 1,
            Lie::OtherMember => answer.contributions[1].member = SignerIndex::new(2),
            Lie::OtherMetric => answer.metric = Metric::Memory,
            Lie::NoSignature => answer.combined.clear(),
            _ => {}
        }
        Ok(hex(&answer.encode()))
    }
}
