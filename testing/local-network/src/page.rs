//! The page on which a browser verifies this network's proofs, served on loopback.
//!
//! The output of `cargo xtask web` is read once and served from memory, so no request address becomes a path. The
//! server answers `GET` only, one answer per connection.

use crate::{Error, Result};
use duet_runtime::Hash;
use std::{
    collections::HashMap,
    fs,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    task::JoinHandle,
    time::timeout,
};

/// The page's own file with the chain and its nodes.
const NETWORK: &str = "network.json";
/// The largest request in bytes; browsers stay well below it.
const MAX_REQUEST: usize = 8 << 10;
/// The most concurrent connections.
const MAX_CONNECTIONS: usize = 64;
/// The time limit for one request.
const LIMIT: Duration = Duration::from_secs(10);

type Files = HashMap<String, (&'static str, Vec<u8>)>;

/// The page, served until this is dropped.
#[derive(Debug)]
pub struct Page {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl Drop for Page {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Page {
    /// Serves the page for this chain and these nodes on a free port; `None` when the page was not built.
    ///
    /// # Errors
    /// [`Error::Io`] when a file of the page cannot be read, or no port is free.
    pub async fn serve(genesis: Hash, endpoints: &[String]) -> Result<Option<Self>> {
        let folder = Self::folder();
        if !folder.join("index.html").exists() {
            return Ok(None);
        }
        let mut files = read(&folder)?;
        let network = serde_json::json!({
            "name": "The demo on this machine",
            "genesisHash": format!("{genesis:?}"),
            "endpoints": endpoints,
        });
        files.insert(
            format!("/{NETWORK}"),
            (media_type(NETWORK), network.to_string().into()),
        );
        Self::of(files).await.map(Some)
    }

    /// The folder where `cargo xtask web` puts the page.
    pub fn folder() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../verifiers/web/dist/page")
    }

    /// The page's address for a browser on this machine.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    async fn of(files: Files) -> Result<Self> {
        let failed = || Error::io("serving the page");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
        let listener = listener.map_err(failed())?;
        let address = listener.local_addr().map_err(failed())?;
        let task = tokio::spawn(accept(listener, Arc::new(files)));
        Ok(Self { address, task })
    }
}

fn read(folder: &Path) -> Result<Files> {
    let mut files = Files::new();
    add_all(folder, "", &mut files)?;
    if let Some(index) = files.get("/index.html").cloned() {
        files.insert("/".to_owned(), index);
    }
    Ok(files)
}

/// Adds the files of a folder and its subfolders, under addresses that begin with `address`.
fn add_all(folder: &Path, address: &str, files: &mut Files) -> Result<()> {
    let failed = |path: &Path| Error::io(format!("reading {} of the page", path.display()));
    for entry in fs::read_dir(folder).map_err(failed(folder))? {
        let path = entry.map_err(failed(folder))?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        let address = format!("{address}/{name}");
        if path.is_dir() {
            add_all(&path, &address, files)?;
        } else {
            let bytes = fs::read(&path).map_err(failed(&path))?;
            files.insert(address, (media_type(name), bytes));
        }
    }
    Ok(())
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("json") => "application/json",
        _ => "text/plain; charset=utf-8",
    }
}

async fn accept(listener: TcpListener, files: Arc<Files>) {
    let seats = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(seat) = seats.clone().acquire_owned().await else {
            return;
        };
        let Ok((stream, _)) = listener.accept().await else {
            continue;
        };
        let files = files.clone();
        tokio::spawn(async move {
            // The client is gone or too slow, so the error is ignored.
            let _ = timeout(LIMIT, answer(stream, &files)).await;
            drop(seat);
        });
    }
}

async fn answer(mut stream: TcpStream, files: &Files) -> std::io::Result<()> {
    let (status, (media_type, body)) = match request(&mut stream).await? {
        Some(request) => match path(&request) {
            Ok(path) => match files.get(path) {
                Some((media_type, body)) => ("200 OK", (*media_type, body.as_slice())),
                None => ("404 Not Found", NOTHING),
            },
            Err(status) => (status, NOTHING),
        },
        None => ("400 Bad Request", NOTHING),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {media_type}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nContent-Security-Policy: frame-ancestors 'none'\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body).await?;
    stream.shutdown().await
}

const NOTHING: (&str, &[u8]) = ("text/plain; charset=utf-8", &[]);

/// The head of a request; `None` when it is too long or not text.
async fn request(stream: &mut TcpStream) -> std::io::Result<Option<String>> {
    let mut head = Vec::new();
    let mut part = [0; 1024];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let length = stream.read(&mut part).await?;
        head.extend(part.iter().take(length));
        if length == 0 || head.len() > MAX_REQUEST {
            return Ok(None);
        }
    }
    Ok(String::from_utf8(head).ok())
}

/// The requested path, without the query string.
fn path(request: &str) -> std::result::Result<&str, &'static str> {
    let line = request.lines().next().unwrap_or_default();
    let mut words = line.split(' ');
    match (words.next(), words.next(), words.next(), words.next()) {
        (Some("GET"), Some(target), Some("HTTP/1.1" | "HTTP/1.0"), None) => {
            Ok(target.split('?').next().unwrap_or(target))
        }
        (Some(_), Some(_), Some(_), None) => Err("405 Method Not Allowed"),
        _ => Err("400 Bad Request"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn page() -> Page {
        let file = |text: &str| ("text/plain", text.as_bytes().to_vec());
        let files = [("/", file("index")), ("/a.js", file("script"))];
        let files = files.map(|(name, file)| (name.to_owned(), file));
        Page::of(files.into()).await.expect("a free port")
    }

    async fn ask(page: &Page, request: &str) -> String {
        let mut stream = TcpStream::connect(page.address).await.expect("it listens");
        stream
            .write_all(request.as_bytes())
            .await
            .expect("it reads");
        let mut answer = String::new();
        stream
            .read_to_string(&mut answer)
            .await
            .expect("it answers");
        answer
    }

    #[tokio::test]
    async fn a_file_of_the_table_is_served_on_loopback() {
        let page = page().await;
        assert!(page.address.ip().is_loopback());
        let answer = ask(&page, "GET /a.js?x HTTP/1.1\r\nHost: here\r\n\r\n").await;
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        assert!(answer.ends_with("\r\n\r\nscript"), "{answer}");
    }

    #[tokio::test]
    async fn no_path_leads_out_of_the_table() {
        let page = page().await;
        for path in [
            "/../Cargo.toml",
            "/%2e%2e/Cargo.toml",
            "//etc/passwd",
            "/b.js",
            "a.js",
            "*",
        ] {
            let answer = ask(&page, &format!("GET {path} HTTP/1.1\r\n\r\n")).await;
            assert!(answer.starts_with("HTTP/1.1 404 "), "{path}: {answer}");
        }
    }

    #[tokio::test]
    async fn only_get_is_answered() {
        let page = page().await;
        let answer = ask(&page, "POST / HTTP/1.1\r\n\r\n").await;
        assert!(answer.starts_with("HTTP/1.1 405 "), "{answer}");
        let answer = ask(&page, "nonsense\r\n\r\n").await;
        assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    }

    #[tokio::test]
    async fn a_request_without_end_is_refused() {
        let page = page().await;
        let answer = ask(&page, &"x".repeat(MAX_REQUEST + 1)).await;
        assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    }
}
