//! What a node's process and its Prometheus endpoint show.

use crate::{Error, Result};
use std::{collections::BTreeMap, fs, net::SocketAddr, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

/// How long a node may take to show its metrics.
const LIMIT: Duration = Duration::from_secs(10);
/// The metrics that are kept begin with this.
const OURS: &str = "substrate_duet_";

/// The values of Duet's metrics at one moment, by their names without the beginning that all have.
pub type Gauges = BTreeMap<String, f64>;

/// Reads Duet's metrics of a node.
pub(crate) async fn read(address: SocketAddr) -> Result<Gauges> {
    let asked = async {
        let mut stream = TcpStream::connect(address).await?;
        stream
            .write_all(b"GET /metrics HTTP/1.0\r\nHost: node\r\n\r\n")
            .await?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await?;
        std::io::Result::Ok(String::from_utf8_lossy(&answer).into_owned())
    };
    let answer = timeout(LIMIT, asked).await;
    let answer = answer.unwrap_or_else(|_| Err(std::io::ErrorKind::TimedOut.into()));
    let what = format!("reading the metrics at {address}");
    Ok(parse(&answer.map_err(Error::io(what))?))
}

/// The values of each of our metrics, summed up over its labels.
fn parse(text: &str) -> Gauges {
    let mut gauges = Gauges::new();
    for line in text.lines() {
        let Some((key, value)) = line.rsplit_once(' ') else {
            continue;
        };
        let name = key.split_once('{').map_or(key, |(name, _)| name);
        if let (Some(name), Ok(value)) = (name.strip_prefix(OURS), value.parse::<f64>()) {
            *gauges.entry(name.to_owned()).or_default() += value;
        }
    }
    gauges
}

/// The resident memory of a process in bytes; `None` when it is gone.
pub(crate) fn resident_memory(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_metrics_are_read_and_summed_up_over_labels() {
        let text = "HTTP/1.0 200 OK\r\n\r\n# HELP substrate_duet_rounds rounds\n\
            substrate_duet_rounds{chain=\"c\"} 3\n\
            substrate_duet_peer_behaviour_total{behaviour=\"a\"} 1\n\
            substrate_duet_peer_behaviour_total{behaviour=\"b c\"} 2\n\
            substrate_block_height 9\n";
        let expected = [("rounds", 3.0), ("peer_behaviour_total", 3.0)];
        let expected = expected.map(|(name, value)| (name.to_owned(), value));
        assert_eq!(parse(text), Gauges::from(expected));
    }

    #[test]
    fn this_process_has_memory_and_nobody_has_the_id_zero() {
        assert!(resident_memory(std::process::id()).is_some_and(|bytes| bytes > 0));
        assert_eq!(resident_memory(0), None);
    }
}
