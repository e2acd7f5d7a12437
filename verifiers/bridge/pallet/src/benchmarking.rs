//! Benchmarks of the calls.

use crate::{
    chain::BridgedHeader, headers, Call, Config, Contradicted, FreeHeadersRemaining,
    ImportedHashesPointer, ImportedHeaders, InitializationData, Pallet,
};
use alloc::boxed::Box;
use bp_runtime::{BasicOperatingMode, HeaderId};
use duet_light_client::Conflict;
use duet_primitives::{
    testing::TestSet, Commitment, Keysets, RoundMessage, SetId, StatelessProof, H256,
};
use frame_benchmarking::v2::{instance_benchmarks, whitelisted_caller, BenchmarkError};
use frame_support::pallet_prelude::Get;
use frame_system::RawOrigin;
use sp_runtime::{traits::Header as _, Digest};

/// Members of a set with the maximum number of non-signers.
const MEMBERS: u32 = 512;
/// Half of the non-signers: one half has siblings that sign, the other siblings that do not.
const HALF: u32 = 85;

fn header<T: Config<I>, I: 'static>(number: u32) -> BridgedHeader<T, I> {
    let zero = H256::zero();
    BridgedHeader::<T, I>::new(number, zero, zero, zero, Digest::default())
}

fn set(id: u64, members: u32) -> TestSet {
    TestSet::new(id, 0..u64::from(members))
}

fn keysets(set: &TestSet) -> Keysets {
    Keysets::without_successor(set.set.commitment().clone())
}

/// The pallet follows a chain from block 0 on, which this set signs, and has no place left for another header.
fn follow<T: Config<I>, I: 'static>(set: &TestSet) -> Result<(), BenchmarkError> {
    let data = InitializationData {
        header: Box::new(header::<T, I>(0)),
        genesis_hash: H256::zero(),
        keysets: keysets(set),
        trusting_period: u64::MAX,
        operating_mode: BasicOperatingMode::Normal,
    };
    Pallet::<T, I>::initialize(RawOrigin::Root.into(), data)
        .map_err(|_| BenchmarkError::Stop("the pallet follows a chain already"))?;
    ImportedHashesPointer::<T, I>::kill();
    FreeHeadersRemaining::<T, I>::put(1);
    Ok(())
}

/// A header and its proof.
type Submitted<T, I> = (Box<BridgedHeader<T, I>>, Box<StatelessProof>);

/// A handoff in block 1 to a set of other keys that all but these members signed.
fn handoff<T: Config<I>, I: 'static>(
    set: &TestSet,
    absent: impl Fn(u32) -> bool,
) -> Result<Submitted<T, I>, BenchmarkError> {
    let header = header::<T, I>(1);
    let next = TestSet::new(1, [0]);
    let said = Commitment {
        block_hash: header.hash(),
        ..set.commitment(1, &next.set)
    };
    let message = RoundMessage::new(H256::zero(), said);
    let signers = (0..set.set.keyset().len()).filter(|index| !absent(*index));
    let justification = set.justify(&message, signers);
    let proof = StatelessProof::new(&justification, set.set.keyset())
        .map_err(|_| BenchmarkError::Stop("the proof is not of the set"))?;
    Ok((Box::new(header), Box::new(proof)))
}

#[instance_benchmarks]
mod calls {
    use super::{
        follow, handoff, header, headers, keysets, set, whitelisted_caller, BasicOperatingMode,
        BenchmarkError, Box, Call, Config, Conflict, Contradicted, Get, HeaderId,
        ImportedHashesPointer, ImportedHeaders, InitializationData, Keysets, Pallet, RawOrigin,
        SetId, TestSet, H256, HALF, MEMBERS,
    };
    use frame_benchmarking::impl_test_function;
    use sp_runtime::traits::Header as _;

    #[benchmark]
    fn initialize() -> Result<(), BenchmarkError> {
        let data = InitializationData {
            header: Box::new(header::<T, I>(0)),
            genesis_hash: H256::zero(),
            keysets: Keysets {
                next: TestSet::new(1, [0]).set.commitment().clone(),
                ..keysets(&set(0, 4))
            },
            trusting_period: u64::MAX,
            operating_mode: BasicOperatingMode::Normal,
        };

        #[extrinsic_call]
        _(RawOrigin::Root, data);

        assert!(Pallet::<T, I>::best_finalized().is_some());
        Ok(())
    }

    /// A mandatory header. `a` members of a set did not sign, and `l` more, each of whom has a sibling that did.
    #[benchmark]
    fn submit_finality_proof(
        a: Linear<0, { HALF }>,
        l: Linear<0, { HALF }>,
    ) -> Result<(), BenchmarkError> {
        let set = set(0, MEMBERS);
        follow::<T, I>(&set)?;
        let is_lonely = |index: u32| index < 2 * l && index.is_multiple_of(2);
        let is_in_line = |index: u32| (2 * l..2 * l + a).contains(&index);
        let (header, proof) = handoff::<T, I>(&set, |index| is_lonely(index) || is_in_line(index))?;
        assert_eq!(proof.non_signers.len(), (a + l) as usize);
        let id = HeaderId(*header.number(), header.hash());

        #[extrinsic_call]
        submit_finality_proof_ex(
            RawOrigin::Signed(whitelisted_caller()),
            header,
            proof,
            SetId::new(0),
            true,
        );

        assert_eq!(Pallet::<T, I>::best_finalized(), Some(id));
        Ok(())
    }

    /// After a contradiction, with `h` headers that are kept.
    #[benchmark]
    fn force_set_pallet_state(
        h: Linear<1, { T::HeadersToKeep::get() }>,
    ) -> Result<(), BenchmarkError> {
        let set = set(0, 4);
        follow::<T, I>(&set)?;
        ImportedHashesPointer::<T, I>::put(if h > 1 { 1 } else { 0 });
        for number in 1..h {
            let header = header::<T, I>(number);
            let id = HeaderId(number, header.hash());
            headers::insert::<T, I>(&header, id);
        }
        assert_eq!(ImportedHeaders::<T, I>::iter().count(), h as usize);
        Contradicted::<T, I>::put(Conflict::SameBlock);
        let next = TestSet::new(1, [0]).set.commitment().clone();
        let keysets = Keysets {
            next,
            ..keysets(&set)
        };

        #[extrinsic_call]
        _(RawOrigin::Root, keysets, Box::new(header::<T, I>(h)));

        assert_eq!(ImportedHeaders::<T, I>::iter().count(), 1);
        Ok(())
    }

    /// For the comparison with other bridges: a mandatory header that all `n` of a set signed.
    #[benchmark(extra)]
    fn submit_by_all(n: Linear<20, 1000>) -> Result<(), BenchmarkError> {
        let set = set(0, n);
        follow::<T, I>(&set)?;
        let (header, proof) = handoff::<T, I>(&set, |_| false)?;

        #[extrinsic_call]
        submit_finality_proof_ex(
            RawOrigin::Signed(whitelisted_caller()),
            header,
            proof,
            SetId::new(0),
            true,
        );

        assert_eq!(
            Pallet::<T, I>::best_finalized().map(|id| id.number()),
            Some(1)
        );
        Ok(())
    }

    impl_benchmark_test_suite!(Pallet, crate::mock::empty(), crate::mock::Test);
}
