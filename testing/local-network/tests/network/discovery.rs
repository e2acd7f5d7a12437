//! Validators publish where their nodes are reached, and look each other up.

use crate::support::{scenario, SOON};
use duet_local_network::{wait, Error, Network, Node, Result};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

const VALIDATORS: usize = 4;

/// How many other validators a node has the addresses of.
const FOUND: &str = "substrate_authority_discovery_known_authorities_count";

#[tokio::test(flavor = "multi_thread")]
async fn every_validator_finds_the_addresses_of_the_others() {
    scenario(async {
        let network = Network::builder().validators(VALIDATORS).metrics(true);
        let network = network.start().await.expect("the network starts");
        for node in network.nodes() {
            let others = format!("{}", VALIDATORS - 1);
            wait::until(
                "the others",
                SOON,
                || metric(node, FOUND),
                |got| *got == others,
            )
            .await
            .expect("each of them has published its addresses");
        }
    })
    .await;
}

/// The value of a metric without labels but the chain's, as the node prints it.
async fn metric(node: &Node, name: &str) -> Result<String> {
    let port = node.metrics_port().expect("every node shows its metrics");
    let read = async {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
        let request = b"GET /metrics HTTP/1.0\r\n\r\n";
        stream.write_all(request).await?;
        let mut text = String::new();
        stream.read_to_string(&mut text).await?;
        Ok(text)
    };
    let text: std::io::Result<String> = read.await;
    let text = text.map_err(|error| Error::Io {
        what: "reading metrics".to_owned(),
        error,
    })?;
    let line = text.lines().find(|line| line.starts_with(name));
    let value = line.and_then(|line| line.rsplit_once(' '));
    Ok(value.map_or_else(String::new, |(_, value)| value.to_owned()))
}
