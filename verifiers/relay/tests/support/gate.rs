//! A proxy before an endpoint of JSON-RPC, for answers that anvil never gives.

use std::{
    io::{Error, ErrorKind, Result},
    sync::{Arc, Mutex},
};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// How requests are answered instead.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    /// By an error of JSON-RPC.
    Overloaded,
    /// By a page for browsers.
    Page,
    /// By a status of HTTP.
    Unavailable,
    /// By the end of the connection.
    HangsUp,
    /// Not at all.
    Silent,
    /// One transaction is refused as nodes do that ask for a tenth more of both fees; anvil is content with less.
    Underpriced,
    /// Nobody is told what waits in the pool.
    NoPool,
    /// Questions for the gas of a call are refused.
    NoEstimate,
    /// The gas of a call is said to be this, as by nodes that cap it.
    Capped(u64),
    /// Questions for events are refused, as by nodes that bound the range of blocks.
    NoEvents,
}

/// It passes everything on unless it has a fault, and ends when it is dropped.
pub struct Gate {
    /// Where it listens.
    pub url: String,
    fault: Arc<Mutex<Option<Fault>>>,
    listening: JoinHandle<()>,
}

impl Gate {
    /// A gate before the server at a URL.
    pub async fn start(url: &str) -> Self {
        let server = url.trim_start_matches("http://").to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.expect("a port is free");
        let address = listener.local_addr().expect("it listens");
        let fault = Arc::default();
        let given = Arc::clone(&fault);
        let listening = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(pass(client, server.clone(), Arc::clone(&given)));
            }
        });
        Self {
            url: format!("http://{address}"),
            fault,
            listening,
        }
    }

    /// From now on.
    pub fn set(&self, fault: Option<Fault>) {
        *self.fault.lock().expect("nothing panics with it") = fault;
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

/// Until one of both ends the connection.
async fn pass(client: TcpStream, server: String, fault: Arc<Mutex<Option<Fault>>>) -> Result<()> {
    let mut client = BufReader::new(client);
    loop {
        let request = message(&mut client).await?;
        let answer = match take(&fault, &request) {
            Some(fault) => answer(fault).await?,
            None => {
                let mut server = BufReader::new(TcpStream::connect(&server).await?);
                server.write_all(&request).await?;
                message(&mut server).await?
            }
        };
        client.write_all(&answer).await?;
    }
}

/// A request or an answer of HTTP.
async fn message(stream: &mut BufReader<TcpStream>) -> Result<Vec<u8>> {
    let (mut bytes, mut length) = (Vec::new(), 0);
    let mut line = String::new();
    while line != "\r\n" {
        line.clear();
        if stream.read_line(&mut line).await? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        bytes.extend_from_slice(line.as_bytes());
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().map_err(Error::other)?;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    Ok([bytes, body].concat())
}

/// What is wrong with the answer to a request.
fn take(fault: &Mutex<Option<Fault>>, request: &[u8]) -> Option<Fault> {
    let mut fault = fault.lock().expect("nothing panics with it");
    let method = match (*fault)? {
        Fault::Underpriced => "eth_sendRawTransaction",
        Fault::NoEvents => "eth_getLogs",
        // The other way to learn it is not known to anvil.
        Fault::NoPool => "eth_getTransactionBySenderAndNonce",
        Fault::NoEstimate | Fault::Capped(_) => "eth_estimateGas",
        _ => "",
    };
    if !String::from_utf8_lossy(request).contains(method) {
        return None;
    }
    match *fault {
        Some(Fault::Underpriced) => fault.take(),
        other => other,
    }
}

async fn answer(fault: Fault) -> Result<Vec<u8>> {
    let error = |code: i32, message: &str| {
        let error = serde_json::json!({ "code": code, "message": message });
        serde_json::json!({ "jsonrpc": "2.0", "id": 0, "error": error }).to_string()
    };
    let (status, body) = match fault {
        Fault::Overloaded => ("200 OK", error(-32603, "overloaded")),
        Fault::Underpriced => (
            "200 OK",
            error(-32000, "replacement transaction underpriced"),
        ),
        Fault::NoPool => ("200 OK", error(-32601, "the method does not exist")),
        Fault::NoEstimate => ("200 OK", error(-32000, "gas estimation is overloaded")),
        Fault::Capped(gas) => {
            let answer =
                serde_json::json!({ "jsonrpc": "2.0", "id": 0, "result": format!("{gas:#x}") });
            ("200 OK", answer.to_string())
        }
        Fault::NoEvents => ("200 OK", error(-32005, "block range is too wide")),
        Fault::Page => ("200 OK", "<!doctype html><p>Welcome".to_owned()),
        Fault::Unavailable => ("503 Service Unavailable", String::new()),
        Fault::HangsUp => return Err(ErrorKind::ConnectionReset.into()),
        Fault::Silent => std::future::pending().await,
    };
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}", body.len());
    Ok(format!("{head}\r\n\r\n{body}").into_bytes())
}
