//! A bound on the length of calls, because a waiting call keeps its parameters.

use super::{error::RpcError, Duet};
use futures::{future::ready, FutureExt};
use jsonrpsee::{
    core::RegisterMethodError, types::Id, MethodCallback, MethodResponse, Methods, RpcModule,
};
use std::sync::Arc;

/// The most bytes of a call's parameters and id, in JSON: enough for [`MAX_KEYS`](super::MAX_KEYS) keys of 500 bytes, and
/// for a finality proof of the largest set.
pub const MAX_CALL_LEN: usize = 64 * 1024;

/// The same methods. Those that may wait refuse longer calls at once.
///
/// # Errors
/// None in practice: the names of one module differ.
pub(super) fn bounded(module: &RpcModule<Duet>) -> Result<Methods, RegisterMethodError> {
    let mut methods = Methods::new();
    for name in module.method_names() {
        if let Some(method) = module.method(name) {
            methods.verify_and_insert(name, with_bound(method.clone()))?;
        }
    }
    Ok(methods)
}

fn with_bound(method: MethodCallback) -> MethodCallback {
    let MethodCallback::Async(answer) = method else {
        return method;
    };
    MethodCallback::Async(Arc::new(move |id, params, connection, size, ext| {
        let id_len = match &id {
            Id::Str(id) => id.len(),
            Id::Null | Id::Number(_) => 0,
        };
        let got = params.len_bytes().saturating_add(id_len);
        if got > MAX_CALL_LEN {
            let most = MAX_CALL_LEN;
            return ready(MethodResponse::error(id, RpcError::Length { most, got })).boxed();
        }
        answer(id, params, connection, size, ext)
    }))
}
