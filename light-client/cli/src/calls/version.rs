//! The version of a runtime.

use codec::Decode;
use duet_light_rpc::{hex, shown};
use serde_json::{json, Value};

/// The most interfaces of a runtime, more than any has.
const MAX_APIS: usize = 1_024;

#[derive(Decode)]
struct Version {
    spec_name: String,
    impl_name: String,
    authoring: u32,
    spec: u32,
    implementation: u32,
    apis: Vec<([u8; 8], u32)>,
    /// Runtimes of before do not have it.
    rest: Rest,
}

/// The last fields, which were added one by one.
struct Rest {
    transaction: u32,
    system: u8,
}

impl Decode for Rest {
    fn decode<I: codec::Input>(input: &mut I) -> Result<Self, codec::Error> {
        // As the SDK reads versions that lack them.
        Ok(Self {
            transaction: u32::decode(input).unwrap_or(1),
            system: u8::decode(input).unwrap_or(0),
        })
    }
}

/// As `state_getRuntimeVersion` answers; none when these bytes are no version.
pub(crate) fn version_json(mut bytes: &[u8]) -> Option<Value> {
    let version = Version::decode(&mut bytes).ok()?;
    let apis = version.apis.iter().take(MAX_APIS);
    let apis: Vec<_> = apis.map(|(id, of)| json!([hex(id), of])).collect();
    let Rest {
        transaction,
        system,
    } = version.rest;
    Some(json!({
        "specName": shown(&version.spec_name),
        "implName": shown(&version.impl_name),
        "authoringVersion": version.authoring,
        "specVersion": version.spec,
        "implVersion": version.implementation,
        "apis": apis,
        "transactionVersion": transaction,
        "systemVersion": system,
        "stateVersion": system,
    }))
}
