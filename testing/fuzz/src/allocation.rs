//! How much memory a piece of code takes at most: decoders must not let a stranger choose that.

// An allocator is unsafe by its signature; this one only counts.
#![allow(unsafe_code)]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

thread_local! {
    static LIVE: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
}

fn took(bytes: usize) {
    // While a thread ends its counters are gone, and nobody asks for them any more.
    let _ = LIVE.try_with(|live| {
        live.set(live.get().wrapping_add(bytes));
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(live.get())));
    });
}

fn gave_back(bytes: usize) {
    // What another thread took may be given back here, so that the count stops at zero.
    let _ = LIVE.try_with(|live| live.set(live.get().saturating_sub(bytes)));
}

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        // SAFETY: as of the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        // SAFETY: as of the caller.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        gave_back(layout.size());
        // SAFETY: as of the caller.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        gave_back(layout.size());
        took(size);
        // SAFETY: as of the caller.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// What `work` returns, and the most bytes that this thread held at once for it.
pub(crate) fn peak_of<R>(work: impl FnOnce() -> R) -> (R, usize) {
    let before = LIVE.get();
    PEAK.set(before);
    let result = work();
    (result, PEAK.get() - before)
}

#[cfg(test)]
mod tests {
    use super::peak_of;

    #[test]
    fn the_peak_is_the_most_that_was_held_at_once() {
        let (_, peak) = peak_of(|| {
            drop(vec![0_u8; 1000]);
            drop(vec![0_u8; 3000]);
            vec![0_u8; 100]
        });
        assert_eq!(peak, 3000);
    }
}
