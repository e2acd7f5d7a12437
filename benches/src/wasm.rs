//! Runs operations inside of WASM, as a node runs its runtime: the same engine and the same settings.
//!
//! The module is the crate in `wasm/`, which stands outside of the workspace. It is built here, when the first
//! operation is asked for, with the optimisation of a runtime.

mod host;

use std::{
    env, io,
    path::{Path, PathBuf},
    process::Command,
};
use wasmtime::{Config, Engine, Instance, Linker, Memory, Module, OptLevel, Store, TypedFunc};

/// The target that runtimes are built for.
const TARGET: &str = "wasm32v1-none";
const MODULE: &str = "duet_wasm_guest.wasm";

/// Why there is nothing to measure.
#[derive(Debug)]
pub enum Error {
    /// cargo could not be started.
    NoCargo(io::Error),
    /// The module was not built; cargo has said why.
    NotBuilt,
    /// The engine refused the module or an operation.
    Engine(wasmtime::Error),
}

impl From<wasmtime::Error> for Error {
    fn from(error: wasmtime::Error) -> Self {
        Self::Engine(error)
    }
}

/// Where pairings are worked out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairings {
    /// In the module, which then has the rivals, too.
    Inside,
    /// By the host, as the SDK's host functions for elliptic curves do.
    ByHost,
}

impl Pairings {
    /// The folder of the build, and what makes its module.
    fn build(self) -> (&'static str, &'static [&'static str], &'static str) {
        match self {
            Self::Inside => ("wasm", &[], ""),
            // The interfaces of host functions are those of a runtime only where this is said.
            Self::ByHost => (
                "wasm-hosted",
                &["--no-default-features", "--features", "host-functions"],
                "--cfg substrate_runtime",
            ),
        }
    }
}

/// Builds the module. cargo does nothing when nothing has changed.
fn build(pairings: Pairings) -> Result<PathBuf, Error> {
    let (name, features, flags) = pairings.build();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("wasm");
    let target = env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| folder.join("../../target"), PathBuf::from)
        .join(name);
    let status = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["build", "--release", "--locked", "--target", TARGET])
        .args(features)
        .current_dir(&folder)
        .env("CARGO_TARGET_DIR", &target)
        .env("RUSTFLAGS", flags)
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .status()
        .map_err(Error::NoCargo)?;
    let module = target.join(TARGET).join("release").join(MODULE);
    status.success().then_some(module).ok_or(Error::NotBuilt)
}

/// As `sc-executor-wasmtime` has it.
fn engine() -> Result<Engine, Error> {
    let mut config = Config::new();
    config
        .cranelift_opt_level(OptLevel::SpeedAndSize)
        .wasm_simd(false)
        .wasm_relaxed_simd(false)
        .wasm_bulk_memory(false)
        .wasm_multi_value(false)
        .wasm_multi_memory(false)
        .wasm_memory64(false)
        .wasm_tail_call(false)
        .wasm_extended_const(false);
    Ok(Engine::new(&config)?)
}

/// The module, compiled.
pub struct Guest {
    engine: Engine,
    module: Module,
}

impl Guest {
    /// Builds and compiles it.
    ///
    /// # Errors
    /// [`Error`].
    pub fn new(pairings: Pairings) -> Result<Self, Error> {
        let path = build(pairings)?;
        let engine = engine()?;
        let module = Module::from_file(&engine, path)?;
        Ok(Self { engine, module })
    }

    /// An operation with its input in place, in an instance of its own.
    ///
    /// # Errors
    /// [`Error::Engine`] when the module has no such export.
    pub fn operation(&self, name: &str, input: &[u8]) -> Result<Operation, Error> {
        let mut store = Store::new(&self.engine, ());
        let mut linker = Linker::new(&self.engine);
        host::link(&mut linker)?;
        let instance = linker.instantiate(&mut store, &self.module)?;
        let len = place(&mut store, &instance, input)?;
        let function = instance.get_typed_func(&mut store, name)?;
        Ok(Operation {
            store,
            function,
            len,
        })
    }
}

/// Copies `input` to where the module wants it; its length.
fn place(store: &mut Store<()>, instance: &Instance, input: &[u8]) -> Result<u32, Error> {
    let at: TypedFunc<(), u32> = instance.get_typed_func(&mut *store, "input")?;
    let at = at.call(&mut *store, ())?;
    let memory: Memory = instance
        .get_memory(&mut *store, "memory")
        .ok_or_else(|| wasmtime::Error::msg("the module exports no memory"))?;
    let at = usize::try_from(at).map_err(wasmtime::Error::from)?;
    memory
        .write(store, at, input)
        .map_err(wasmtime::Error::from)?;
    Ok(u32::try_from(input.len()).map_err(wasmtime::Error::from)?)
}

/// An operation, ready to run again and again.
pub struct Operation {
    store: Store<()>,
    function: TypedFunc<u32, u32>,
    len: u32,
}

impl Operation {
    /// Whether the input holds; a trap is a no.
    pub fn run(&mut self) -> bool {
        self.function
            .call(&mut self.store, self.len)
            .is_ok_and(|answer| answer == 1)
    }
}
