//! The tables. One line per set and share of garbage senders, the schemes side by side.

use super::{
    figures::{PerNode, Report, Row},
    text::{bytes, time},
};
use crate::Scheme;
use duet_bench_report::text::{grouped, short, table};

impl Report {
    /// The tables, in Markdown. Each processor time stands beside that of pairings in the same rounds.
    pub fn tables(&self) -> String {
        let tables = [
            intro(self),
            costs(self),
            processor(self),
            first_proof(self),
            last_proof(self),
            traffic(self),
            checks(self),
            garbage(self),
        ];
        tables.join("\n")
    }
}

fn intro(report: &Report) -> String {
    let model = &report.model;
    let events: u64 = report.rows.iter().map(|row| row.events).sum();
    format!(
        "{} networks per line, seeds {} to {}; {} events. Links: {} dialled per node, {} ms median one way \
         (log-normal, σ {}), {} kB on their way at most, {} Mbit/s per node. {} threads check. Votes start within {} ms. \
         Garbage: {} bad votes a second on each link. Costs from {}.\n",
        report.seeds.len(),
        report.seeds.iter().min().copied().unwrap_or_default(),
        report.seeds.iter().max().copied().unwrap_or_default(),
        grouped(events),
        model.out_peers,
        short(model.latency_median as f64 / 1e6),
        model.latency_sigma,
        short(model.window as f64 / 1e3),
        model.bandwidth / 1_000_000,
        model.threads,
        model.start_spread / 1_000_000,
        grouped(model.garbage_rate),
        report.costs.machine,
    )
}

fn costs(report: &Report) -> String {
    let mut rows = Vec::new();
    for set in &report.costs.sets {
        let unit = set.pairings.vote.max(1) as f64;
        let in_units = |nanoseconds: u64| short(nanoseconds as f64 / unit);
        for scheme in Scheme::ALL {
            let costs = set.of(scheme);
            let [.., together] = costs.in_batch;
            let figures = [
                costs.vote,
                together,
                costs.strange_vote,
                costs.bad_vote,
                costs.prepare,
                costs.aggregation,
                costs.proof,
            ];
            let mut row = vec![grouped(set.validators), scheme.label().to_owned()];
            row.extend(figures.map(in_units));
            row.push(time(costs.vote));
            row.push(time(together));
            rows.push(row);
        }
        let mut row = vec![grouped(set.validators), "a duplicate, with any".to_owned()];
        row.push(in_units(set.message));
        row.extend((0..6).map(|_| "–".to_owned()));
        row.extend([time(set.message), "–".to_owned()]);
        rows.push(row);
    }
    table(
        "What went in: measured costs, in verifications of one signature by blst",
        &[
            "validators",
            "scheme",
            "vote",
            "of 256",
            "not prepared",
            "bad vote",
            "preparing",
            "aggregation",
            "proof",
            "vote, absolute",
            "of 256, absolute",
        ],
        &rows,
    )
}

/// The rows of one set and share, in the order of the schemes.
struct Line<'a> {
    heads: [String; 2],
    rows: Vec<&'a Row>,
    pairings: &'a Row,
}

fn lines(report: &Report) -> Vec<Line<'_>> {
    let same = |a: &Row, b: &Row| (a.validators, a.garbage) == (b.validators, b.garbage);
    report
        .rows
        .chunk_by(same)
        .filter_map(|rows| {
            let first = rows.first()?;
            Some(Line {
                heads: [grouped(first.validators), format!("{} %", first.garbage)],
                pairings: rows.iter().find(|row| row.scheme == Scheme::Pairings)?,
                rows: rows.iter().collect(),
            })
        })
        .collect()
}

/// One cell per scheme.
fn by_scheme(report: &Report, title: &str, cell: impl Fn(&Row, &Row) -> String) -> String {
    let mut heads = vec!["validators", "garbage senders"];
    heads.extend(Scheme::ALL.map(Scheme::label));
    let rows: Vec<_> = lines(report)
        .into_iter()
        .map(|line| {
            let cells = line.rows.iter().map(|row| cell(row, line.pairings));
            line.heads.iter().cloned().chain(cells).collect()
        })
        .collect();
    table(title, &heads, &rows)
}

fn share(part: u64, whole: u64) -> String {
    format!("{} %", short(100.0 * part as f64 / whole.max(1) as f64))
}

fn both(figure: PerNode, show: impl Fn(u64) -> String) -> String {
    format!("{} / {}", show(figure.median), show(figure.most))
}

fn processor(report: &Report) -> String {
    by_scheme(
        report,
        "Processor time per node: median node / busiest node, in shares of the median node's with pairings",
        |row, pairings| {
            let shares = both(row.cpu, |cpu| share(cpu, pairings.cpu.median));
            format!("{shares} ({})", both(row.cpu, time))
        },
    )
}

fn first_proof(report: &Report) -> String {
    by_scheme(
        report,
        "Time to the first proof: median network (least to most), and the median in shares of that with pairings",
        |row, pairings| match (row.first_proof, pairings.first_proof) {
            (Some(proof), Some(rival)) => format!(
                "{} ({} to {}), {}",
                time(proof.median),
                time(proof.least),
                time(proof.most),
                share(proof.median, rival.median),
            ),
            _ => "no proof".to_owned(),
        },
    )
}

fn last_proof(report: &Report) -> String {
    by_scheme(
        report,
        "Time until every honest node has a proof: median network, and its share of that with pairings",
        |row, pairings| match (row.last_proof, pairings.last_proof) {
            (Some(proof), Some(rival)) => {
                let share = share(proof.median, rival.median);
                format!("{}, {share}", time(proof.median))
            }
            _ => "never".to_owned(),
        },
    )
}

fn traffic(report: &Report) -> String {
    by_scheme(
        report,
        "Bytes per node: sent / received by the median node; most sent / most received by one",
        |row, _| {
            let median = [row.sent.median, row.received.median].map(bytes);
            let most = [row.sent.most, row.received.most].map(bytes);
            format!("{}; {}", median.join(" / "), most.join(" / "))
        },
    )
}

fn checks(report: &Report) -> String {
    by_scheme(
        report,
        "Checks of good votes by the median node: votes in batches / batches; votes alone before the node had prepared \
         their commitment; votes that all nodes together dropped for lack of room",
        |row, _| {
            format!(
                "{} / {}; {}; {}",
                grouped(row.batched_votes.median),
                grouped(row.batches.median),
                grouped(row.strange_votes.median),
                grouped(row.dropped_votes),
            )
        },
    )
}

fn garbage(report: &Report) -> String {
    by_scheme(
        report,
        "Bad votes checked per node (median / most), links of garbage senders that were closed, longest wait of a \
         message for its turn, share of the processor time that duplicates took",
        |row, _| {
            let closed = match row.garbage_links {
                0 => "no such links".to_owned(),
                links => format!("{} closed", share(row.closed_links, links)),
            };
            format!(
                "{}, {closed}, {}, {} %",
                both(row.bad_votes, grouped),
                time(row.longest_wait.most),
                short(row.duplicates_share as f64 / 1e4),
            )
        },
    )
}
