//! The host's side of pairings: the same as `sp_crypto_ec_utils::bls12_381`, by the same arkworks.
//! The crate itself would turn threads on in arkworks for everybody who is measured here.

use ark_bls12_381::{Bls12_381, G1Affine, G2Affine};
use ark_ec::pairing::{MillerLoopOutput, Pairing};
use ark_serialize::{CanonicalDeserialize, CanonicalSerialize};
use wasmtime::{Caller, Extern, Linker, Memory};

type Target = <Bls12_381 as Pairing>::TargetField;

const MODULE: &str = "env";
const MILLER_LOOP: &str = "ext_host_calls_bls12_381_multi_miller_loop_version_1";
const FINAL_EXPONENTIATION: &str = "ext_host_calls_bls12_381_final_exponentiation_version_1";

/// The success code of the SDK's interface.
const OK: u32 = 0;
const DECODE: u32 = 2;

/// Offers both functions.
pub(super) fn link(linker: &mut Linker<()>) -> wasmtime::Result<()> {
    let miller_loop = |mut caller: Caller<'_, ()>, g1: u64, g2: u64, out: u64| {
        let memory = memory(&mut caller)?;
        let (g1, g2) = (read(&caller, memory, g1)?, read(&caller, memory, g2)?);
        answer(&mut caller, memory, out, multi_miller_loop(&g1, &g2))
    };
    let final_exponentiation = |mut caller: Caller<'_, ()>, in_out: u64| {
        let memory = memory(&mut caller)?;
        let target = read(&caller, memory, in_out)?;
        answer(&mut caller, memory, in_out, exponentiate(&target))
    };
    linker.func_wrap(MODULE, MILLER_LOOP, miller_loop)?;
    linker.func_wrap(MODULE, FINAL_EXPONENTIATION, final_exponentiation)?;
    Ok(())
}

fn multi_miller_loop(g1: &[u8], g2: &[u8]) -> Option<Target> {
    let g1: Vec<G1Affine> = decode(g1)?;
    let g2: Vec<G2Affine> = decode(g2)?;
    Some(Bls12_381::multi_miller_loop(g1, g2).0)
}

fn exponentiate(target: &[u8]) -> Option<Target> {
    Bls12_381::final_exponentiation(MillerLoopOutput(decode(target)?)).map(|output| output.0)
}

fn decode<T: CanonicalDeserialize>(bytes: &[u8]) -> Option<T> {
    T::deserialize_uncompressed_unchecked(bytes).ok()
}

fn memory(caller: &mut Caller<'_, ()>) -> wasmtime::Result<Memory> {
    caller
        .get_export("memory")
        .and_then(Extern::into_memory)
        .ok_or_else(|| wasmtime::Error::msg("the module exports no memory"))
}

/// Where a pointer points that has its length in the upper half.
fn place(fat: u64) -> (usize, usize) {
    let half = |bits: u64| usize::try_from(bits & u64::from(u32::MAX)).unwrap_or(usize::MAX);
    (half(fat), half(fat >> 32))
}

fn read(caller: &Caller<'_, ()>, memory: Memory, fat: u64) -> wasmtime::Result<Vec<u8>> {
    let (at, len) = place(fat);
    let mut bytes = vec![0; len];
    memory.read(caller, at, &mut bytes)?;
    Ok(bytes)
}

fn answer(
    caller: &mut Caller<'_, ()>,
    memory: Memory,
    out: u64,
    target: Option<Target>,
) -> wasmtime::Result<u32> {
    let Some(target) = target else {
        return Ok(DECODE);
    };
    let (at, len) = place(out);
    let mut bytes = Vec::with_capacity(target.uncompressed_size());
    target.serialize_uncompressed(&mut bytes)?;
    if bytes.len() > len {
        return Err(wasmtime::Error::msg(
            "the module's buffer is too small for the answer",
        ));
    }
    memory.write(caller, at, &bytes)?;
    Ok(OK)
}
