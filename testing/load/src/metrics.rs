//! A node's metrics, as its Prometheus endpoint shows them.

use crate::{Error, Result};
use std::{collections::BTreeMap, net::Ipv4Addr, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

/// How long a node may take to show them.
const LIMIT: Duration = Duration::from_secs(20);

/// One value.
#[derive(Clone, Debug, PartialEq)]
struct Sample {
    name: String,
    labels: BTreeMap<String, String>,
    value: f64,
}

/// All values of one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metrics(Vec<Sample>);

impl Metrics {
    /// Reads those of a node on this machine.
    ///
    /// # Errors
    /// [`Error::Io`] when nobody answers there in time.
    pub async fn read(port: u16) -> Result<Self> {
        let what = format!("reading the metrics at port {port}");
        let read = async {
            let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await?;
            let request = b"GET /metrics HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n";
            stream.write_all(request).await?;
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer).await?;
            std::io::Result::Ok(String::from_utf8_lossy(&answer).into_owned())
        };
        let answer = timeout(LIMIT, read).await;
        let answer = answer.unwrap_or_else(|_| Err(std::io::ErrorKind::TimedOut.into()));
        Ok(Self::parse(&answer.map_err(Error::io(what))?))
    }

    /// What a text in the format of Prometheus holds; other lines are passed over.
    fn parse(text: &str) -> Self {
        Self(text.lines().filter_map(parse_line).collect())
    }

    /// The sum of the values with this name; zero if there is none.
    pub fn value(&self, name: &str) -> f64 {
        self.with_name(name).map(|sample| sample.value).sum()
    }

    /// The values with this name, summed up by one of their labels.
    pub fn by_label(&self, name: &str, label: &str) -> BTreeMap<String, f64> {
        let mut sums = BTreeMap::new();
        for sample in self.with_name(name) {
            let by = sample.labels.get(label).cloned().unwrap_or_default();
            *sums.entry(by).or_default() += sample.value;
        }
        sums
    }

    /// The values whose name contains this, by name.
    pub fn containing(&self, part: &str) -> BTreeMap<String, f64> {
        let mut found = BTreeMap::new();
        for sample in self.0.iter().filter(|sample| sample.name.contains(part)) {
            *found.entry(sample.name.clone()).or_default() += sample.value;
        }
        found
    }

    fn with_name<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Sample> {
        self.0.iter().filter(move |sample| sample.name == name)
    }
}

/// `name{label="value",…} number`.
fn parse_line(line: &str) -> Option<Sample> {
    if line.starts_with('#') {
        return None;
    }
    let (key, value) = line.rsplit_once(' ')?;
    let value = value.parse().ok()?;
    let (name, labels) = match key.split_once('{') {
        Some((name, labels)) => (name, labels.strip_suffix('}')?),
        None => (key, ""),
    };
    let labels = labels.split("\",").filter_map(|label| {
        let (label, value) = label.split_once("=\"")?;
        Some((label.to_owned(), value.trim_end_matches('"').to_owned()))
    });
    Some(Sample {
        name: name.to_owned(),
        labels: labels.collect(),
        value,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "HTTP/1.0 200 OK\r
content-type: text/plain\r
\r
# HELP bytes Total bandwidth
# TYPE bytes counter
bytes{chain=\"c\",direction=\"in\"} 5
bytes{chain=\"c\",direction=\"out\"} 7.5
plain 3
loop_pause_seconds_max{chain=\"c\"} 0.004
";

    #[test]
    fn values_are_found_by_name_and_by_label() {
        let metrics = Metrics::parse(TEXT);
        assert_eq!(metrics.value("bytes"), 12.5);
        assert_eq!(metrics.value("plain"), 3.0);
        assert_eq!(metrics.value("none"), 0.0);
        let by_direction = metrics.by_label("bytes", "direction");
        assert_eq!(by_direction["in"], 5.0);
        assert_eq!(by_direction["out"], 7.5);
        let loops = metrics.containing("loop");
        assert_eq!(
            loops.into_iter().collect::<Vec<_>>(),
            [("loop_pause_seconds_max".to_owned(), 0.004)]
        );
    }
}
