//! A proxy in front of a server, which changes what the server sends, or stops sending it.

use std::{
    sync::{
        atomic::{AtomicUsize, Ordering},
        Arc,
    },
    time::Duration,
};
use tokio::{
    io::{copy, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinHandle,
};

/// What is done to each text message of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tampering {
    /// Nothing.
    None,
    /// An id that nobody asked under.
    WrongId,
    /// The same again.
    Twice,
    /// Only its first half.
    Cut,
    /// A result that is nested too deep.
    Deep,
    /// JSON that is no message of JSON-RPC.
    NotRpc,
    /// No JSON.
    NotJson,
    /// More bytes than any answer.
    TooLong,
    /// A WebSocket frame of a kind that there is not.
    BadFrame,
    /// Only the first half of what subscribers get.
    CutPush,
    /// Nothing, but each message comes so much later.
    Late(Duration),
    /// Nothing, but after the handshake a byte comes each second.
    Dripping,
    /// Nothing, but nothing comes after the handshake.
    Silent,
    /// Nothing, but of the handshake too a byte comes each second.
    DrippingAtOnce,
    /// Nothing, but nothing comes at all.
    SilentAtOnce,
}

/// A running proxy; it ends when it is dropped.
pub(crate) struct Proxy {
    pub(crate) url: String,
    frozen: watch::Sender<bool>,
    connections: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Proxy {
    pub(crate) async fn start(url: &str, tampering: Tampering) -> Self {
        let upstream = url.trim_start_matches("ws://").to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("ws://{}", listener.local_addr().expect("it listens"));
        let (frozen, is_frozen) = watch::channel(false);
        let connections = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&connections);
        let task = tokio::spawn(async move {
            loop {
                let (client, _) = listener.accept().await.expect("it listens");
                count.fetch_add(1, Ordering::Relaxed);
                let server = TcpStream::connect(&upstream).await.expect("it listens");
                tokio::spawn(pass_on(client, server, tampering, is_frozen.clone()));
            }
        });
        Self {
            url,
            frozen,
            connections,
            task,
        }
    }

    /// Passes nothing on any more, and closes nothing.
    pub(crate) fn freeze(&self) {
        self.frozen.send_replace(true);
    }

    /// How often somebody connected.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }
}

/// Passes on what both sides say until one of them ends, or for ever once it is frozen.
async fn pass_on(
    client: TcpStream,
    server: TcpStream,
    tampering: Tampering,
    mut frozen: watch::Receiver<bool>,
) {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let stays_open = tokio::select! {
        _ = copy(&mut from_client, &mut to_server) => false,
        _ = tamper(&mut from_server, &mut to_client, tampering) => false,
        frozen = async { frozen.wait_for(|frozen| *frozen).await.is_ok() } => frozen,
    };
    if stays_open {
        std::future::pending().await
    }
}

/// Passes on the handshake as it is, then each frame changed.
async fn tamper(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    tampering: Tampering,
) -> std::io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(from.read_u8().await?);
    }
    send(&head, to, tampering, true).await?;
    loop {
        let first = from.read_u8().await?;
        // A server masks nothing.
        let len = match from.read_u8().await? {
            126 => u64::from(from.read_u16().await?),
            127 => from.read_u64().await?,
            len => u64::from(len),
        };
        let mut payload = vec![0; usize::try_from(len).expect("it fits into memory")];
        from.read_exact(&mut payload).await?;
        let frames = match std::str::from_utf8(&payload) {
            Ok(text) if first == TEXT => changed(text, tampering),
            _ => vec![frame(first, &payload)],
        };
        for frame in frames {
            send(&frame, to, tampering, false).await?;
        }
    }
}

/// Sends the handshake or a frame, at the speed that is meant.
async fn send(
    bytes: &[u8],
    to: &mut (impl AsyncWrite + Unpin),
    tampering: Tampering,
    is_handshake: bool,
) -> std::io::Result<()> {
    match (tampering, is_handshake) {
        (Tampering::SilentAtOnce, _) | (Tampering::Silent, false) => std::future::pending().await,
        (Tampering::DrippingAtOnce, _) | (Tampering::Dripping, false) => {
            for byte in bytes {
                tokio::time::sleep(Duration::from_secs(1)).await;
                to.write_u8(*byte).await?;
            }
            return Ok(());
        }
        (Tampering::Late(delay), false) => tokio::time::sleep(delay).await,
        _ => {}
    }
    to.write_all(bytes).await
}

/// The first byte of a whole text message.
const TEXT: u8 = 0x81;
/// One of the kinds that are not used.
const RESERVED: u8 = 0x83;

fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let len = u64::try_from(payload.len()).expect("it fits");
    let mut frame = vec![first, 127];
    frame.extend(len.to_be_bytes());
    frame.extend(payload);
    frame
}

fn changed(text: &str, tampering: Tampering) -> Vec<Vec<u8>> {
    let half = &text[..text.len() / 2];
    let text = match tampering {
        Tampering::None
        | Tampering::Late(_)
        | Tampering::Dripping
        | Tampering::Silent
        | Tampering::DrippingAtOnce
        | Tampering::SilentAtOnce => text.to_owned(),
        Tampering::WrongId => text.replace("\"id\":", "\"id\":77"),
        Tampering::Twice => {
            let twice = frame(TEXT, text.as_bytes());
            return vec![twice.clone(), twice];
        }
        Tampering::CutPush if !text.contains("duet_justifications") => text.to_owned(),
        Tampering::Cut | Tampering::CutPush => half.to_owned(),
        Tampering::Deep => {
            let (open, close) = ("[".repeat(10_000), "]".repeat(10_000));
            format!("{{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{open}{close}}}")
        }
        Tampering::NotRpc => "{\"hello\":1}".to_owned(),
        Tampering::NotJson => "hello".to_owned(),
        Tampering::TooLong => " ".repeat(30_000_000),
        Tampering::BadFrame => return vec![frame(RESERVED, text.as_bytes())],
    };
    vec![frame(TEXT, text.as_bytes())]
}
