//! Clients in one chain, each in another state, and proofs for them.

use crate::{
    common::{checkpoint, prove_with, GENESIS},
    reading::REPORT,
    state::{Slots, State},
};
use duet_calldata::{abi, constructor, constructor_with_owner, proof_bytes, restart};
use duet_evm_tests::{Chain, FORKS, TRUSTING_PERIOD};
use duet_light_client::{Checkpoint, Outcome};
use duet_primitives::{testing::TestSet, BlockNumber, Keysets, StatelessProof, H256};
use revm::primitives::Address;

const OWNER: Address = Address::repeat_byte(1);
/// The id of the first set.
const FIRST: u64 = 3;
/// How many members each set has.
const MEMBERS: [u64; 7] = [4, 20, 7, 258, 4, 1, 4];
/// From this many members on, few proofs are made.
const MANY: u64 = 100;

/// A proof, and the place of its set.
#[derive(Clone)]
pub(crate) struct Signed {
    pub(crate) proof: StatelessProof,
    pub(crate) by: usize,
}

pub(crate) struct Situation {
    pub(crate) name: &'static str,
    pub(crate) client: Address,
    pub(crate) state: State,
}

impl Situation {
    /// The place of the set that signs.
    pub(crate) fn signing(&self) -> usize {
        let id = self.state.trusted.signing().id.get();
        usize::try_from(id - FIRST).expect("few sets")
    }
}

pub(crate) struct World {
    pub(crate) sets: Vec<TestSet>,
    /// For each set, another one with its id.
    pub(crate) others: Vec<TestSet>,
    /// Valid proofs of each set.
    pub(crate) proofs: Vec<Vec<Signed>>,
    pub(crate) chain: Chain,
    pub(crate) situations: Vec<Situation>,
}

impl World {
    pub(crate) fn new() -> Self {
        let ids = || (FIRST..).zip(MEMBERS);
        let sets: Vec<_> = ids().map(|(id, n)| TestSet::new(id, id..id + n)).collect();
        let others = ids().map(|(id, n)| TestSet::new(id, id + 300..id + 300 + n.min(4)));
        let begin = checkpoint(GENESIS, sets[0].set.commitment());
        let mut world = Self {
            others: others.collect(),
            proofs: Vec::new(),
            chain: Chain::new(FORKS[1], &begin).expect("deployed"),
            situations: Vec::new(),
            sets,
        };
        world.proofs = (0..MEMBERS.len()).map(|by| world.proofs_of(by)).collect();
        world.deploy(&begin);
        world
    }

    /// The history first: two blocks and the handoff. Then later blocks.
    fn proofs_of(&self, by: usize) -> Vec<Signed> {
        let set = &self.sets[by];
        let most = (set.set.commitment().len - 1) / 3;
        let next = self.sets.get(by + 1).unwrap_or(set);
        let other = self.others.get(by + 1).unwrap_or(set);
        let at = 10 * u32::try_from(by).expect("few sets");
        let few = most.min(5);
        let all = [
            (at + 1, set, few, 0),
            (at + 2, set, 0, 0),
            (at + 5, next, few, 0),
            (at + 205, next, 0, 0),
            (at + 200, set, 0, 0),
            (at + 200, set, most, 1),
            (at + 201, set, most.min(1), 0),
            (at + 202, set, 0, 0),
            (at + 205, next, most.min(1), 1),
            (at + 206, other, 0, 0),
            (at + 1, set, 0, 1),
            (0, set, 0, 0),
        ];
        let count = if MEMBERS[by] < MANY { all.len() } else { 4 };
        let prove = |(block, next, absent, salt)| Signed {
            proof: prove_with(set, block, next, absent, salt),
            by,
        };
        all.into_iter().take(count).map(prove).collect()
    }

    /// The first proofs of a set: the blocks before its handoff, and that.
    fn history(&self, by: usize, count: usize) -> Vec<Signed> {
        self.proofs[by][..count].to_vec()
    }

    fn deploy(&mut self, begin: &Checkpoint) {
        let plain = constructor(begin, TRUSTING_PERIOD);
        let owned = constructor_with_owner(begin, TRUSTING_PERIOD, OWNER.into_array());
        let next = self.sets[1].set.commitment().clone();
        let named = Checkpoint {
            keysets: Keysets {
                next,
                ..begin.keysets.clone()
            },
            ..begin.clone()
        };
        let names_next = constructor(&named, TRUSTING_PERIOD);
        // As far as this many proofs of the set at this place.
        let until = |by, count| -> Vec<_> {
            let before = (0..by).flat_map(|by| self.history(by, 3));
            before.chain(self.history(by, count)).collect()
        };
        let (block, handoff, second) = (until(0, 2), until(0, 3), until(1, 2));
        let (long, longest) = (until(3, 1), until(4, 3));
        let clients = [
            ("at its checkpoint", "DuetLightClient", &plain, Vec::new()),
            (
                "with a successor",
                "DuetLightClient",
                &names_next,
                Vec::new(),
            ),
            ("at a block", "DuetLightClient", &plain, block.clone()),
            ("at a handoff", "DuetLightClient", &plain, handoff.clone()),
            ("second set", "DuetLightClient", &plain, second.clone()),
            ("fourth set", "DuetLightClient", &plain, long),
            ("fifth set", "DuetLightClient", &plain, longest),
            ("owned", "OwnedDuetLightClient", &owned, handoff.clone()),
            ("restarted", "OwnedDuetLightClient", &owned, handoff.clone()),
            ("recoverable", "RecoverableDuetLightClient", &plain, handoff),
            (
                "recoverable, second set",
                "RecoverableDuetLightClient",
                &plain,
                second,
            ),
            ("frozen", "DuetLightClient", &plain, block),
        ];
        for (name, contract, arguments, history) in clients {
            let client = self.chain.add(contract, arguments).expect("deployed");
            let checkpoint = if name == "with a successor" {
                &named
            } else {
                begin
            };
            let state = State::new(checkpoint.clone(), 1, self.slots());
            let mut situation = Situation {
                name,
                client,
                state,
            };
            for signed in history {
                self.follow(&mut situation, signed);
            }
            match name {
                "restarted" => self.restart(&mut situation),
                "frozen" => self.freeze(&mut situation),
                _ => {}
            }
            assert_eq!(*situation.state.slots(), self.slots(), "{name}");
            self.situations.push(situation);
        }
    }

    /// The storage of the client that was deployed last.
    fn slots(&self) -> Slots {
        std::array::from_fn(|slot| self.chain.slot(slot as u64))
    }

    /// The bytes of a proof with its set.
    pub(crate) fn bytes(&self, signed: &Signed) -> Vec<u8> {
        proof_bytes(&signed.proof, self.sets[signed.by].set.commitment())
    }

    fn follow(&mut self, situation: &mut Situation, signed: Signed) {
        let bytes = self.bytes(&signed);
        assert!(self.chain.submit(&bytes).1.ok);
        match situation.state.trusted.verify(signed.proof) {
            Ok(Outcome::New(verified)) => situation.state.take(*verified, true),
            other => panic!("a newer block: {other:?}"),
        }
    }

    /// Behind a reset, at the third set.
    fn restart(&mut self, situation: &mut Situation) {
        let behind = Checkpoint {
            block_number: BlockNumber::new(100),
            block_hash: H256::repeat_byte(100),
            ..checkpoint(GENESIS, self.sets[2].set.commitment())
        };
        let stranger = std::mem::replace(&mut self.chain.caller, OWNER);
        assert!(self.chain.call_raw(restart(&behind)).ok);
        self.chain.caller = stranger;
        situation.state = State::new(behind, 1, self.slots());
    }

    fn freeze(&mut self, situation: &mut Situation) {
        let proofs = [4, 5].map(|i| self.bytes(&self.proofs[0][i]));
        assert!(self.chain.call_raw(abi::call(REPORT, &proofs)).ok);
        situation.state.freeze();
    }
}
