//! One call of JSON-RPC over HTTP, to a node on this machine.

use crate::result::Result;
use serde_json::{json, Value};
use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

const PATIENCE: Duration = Duration::from_secs(10);

/// The result of a method call.
///
/// # Errors
/// When nothing answers, or the answer is an error.
pub(crate) fn call(node: SocketAddr, method: &str, arguments: &Value) -> Result<Value> {
    let body =
        json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": arguments }).to_string();
    let mut stream = TcpStream::connect_timeout(&node, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let head = format!("POST / HTTP/1.1\r\nHost: {node}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len());
    stream.write_all(format!("{head}{body}").as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let (_, body) = answer
        .split_once("\r\n\r\n")
        .ok_or_else(|| format!("not an HTTP response: {answer}"))?;
    let mut answer: Value = serde_json::from_str(body)?;
    match answer.get_mut("result") {
        Some(result) => Ok(result.take()),
        None => Err(format!("{method}: {}", answer["error"]).into()),
    }
}
