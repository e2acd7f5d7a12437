//! The operations of `benches/wasm.rs` inside of WASM: one export per measured operation, from bytes to a verdict.
//!
//! The host writes the input where [`input`] points and calls an operation, which answers 1 when the input holds.
//! Memory is handed out upwards and taken back as a whole when the next operation starts, so that allocation costs
//! next to nothing, as a runtime's does.

#![no_std]

extern crate alloc;

#[cfg(feature = "rivals")]
mod rivals;

use alloc::vec::Vec;
use codec::DecodeAll;
use core::{
    alloc::{GlobalAlloc, Layout},
    cell::UnsafeCell,
    ptr::null_mut,
    sync::atomic::{AtomicUsize, Ordering},
};
use duet_primitives::{
    DualKeyBytes, EquivocationProof, KeysetCommitment, Pk1Bytes, PossessionProof, SetId, H256,
};

/// Bytes that an operation may allocate.
const HEAP_LEN: usize = 4 << 20;
/// Bytes that an input may have.
const INPUT_LEN: usize = 1 << 16;

/// Places that the host and the allocator write to. There is one thread.
struct Place<const N: usize>(UnsafeCell<[u64; N]>);

// There are no threads in this module.
unsafe impl<const N: usize> Sync for Place<N> {}

static HEAP: Place<{ HEAP_LEN / 8 }> = Place(UnsafeCell::new([0; HEAP_LEN / 8]));
static INPUT: Place<{ INPUT_LEN / 8 }> = Place(UnsafeCell::new([0; INPUT_LEN / 8]));
static USED: AtomicUsize = AtomicUsize::new(0);

struct Upwards;

// Each place of the heap is given out once between two resets.
unsafe impl GlobalAlloc for Upwards {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let start = USED
            .load(Ordering::Relaxed)
            .next_multiple_of(layout.align());
        let end = start + layout.size();
        if end > HEAP_LEN {
            return null_mut();
        }
        USED.store(end, Ordering::Relaxed);
        unsafe { HEAP.0.get().cast::<u8>().add(start) }
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static ALLOCATOR: Upwards = Upwards;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

/// Where the host writes the input.
#[no_mangle]
extern "C" fn input() -> *mut u8 {
    INPUT.0.get().cast()
}

/// Runs an operation on the first `len` bytes of the input.
fn answer(len: usize, operation: impl FnOnce(&[u8]) -> Option<bool>) -> u32 {
    USED.store(0, Ordering::Relaxed);
    // The host writes between calls only.
    let input = unsafe { core::slice::from_raw_parts(INPUT.0.get().cast::<u8>(), INPUT_LEN) };
    let holds = input.get(..len).and_then(operation);
    u32::from(holds == Some(true))
}

/// A key, a proof of possession and its owner.
fn registration(input: &[u8]) -> Option<(DualKeyBytes, PossessionProof, &[u8])> {
    let (key, rest) = input.split_at_checked(DualKeyBytes::LEN)?;
    let (proof, owner) = rest.split_at_checked(PossessionProof::LEN)?;
    Some((key.try_into().ok()?, proof.try_into().ok()?, owner))
}

/// By Duet.
#[no_mangle]
extern "C" fn possession_duet(len: usize) -> u32 {
    answer(len, |input| {
        let (key, proof, owner) = registration(input)?;
        Some(key.check_possession(owner, &proof).is_ok())
    })
}

/// Evidence of an equivocation against the commitment to its set.
#[no_mangle]
extern "C" fn equivocation_duet(len: usize) -> u32 {
    answer(len, |mut input| {
        let (evidence, set, genesis) =
            <(EquivocationProof, KeysetCommitment, H256)>::decode_all(&mut input).ok()?;
        Some(evidence.check(&set, genesis).is_ok())
    })
}

/// The commitment to a set of keys from chain state.
#[no_mangle]
extern "C" fn keyset_duet(len: usize) -> u32 {
    answer(len, |mut input| {
        let keys = <Vec<Pk1Bytes>>::decode_all(&mut input).ok()?;
        Some(KeysetCommitment::of_stored_unchecked(SetId::FIRST, &keys).is_ok())
    })
}
