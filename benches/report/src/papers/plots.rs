//! The plots of the page, from the same rows as the tables. Each plot's name begins with its paper's.

use super::{
    data::{filled, Data},
    paper::Named,
    statistic::{Figure, Statistic},
};
use crate::{
    documents::Plots,
    svg::{Chart, Line, Marks},
};

/// Every plot that the rows have something for.
pub(super) fn all(data: &Data, papers: &[Named]) -> Plots {
    let charts = [
        ("mklhs-labels", labels(data)),
        ("mklhs-validators", validators(data)),
        ("polynomial-functions", functions(data)),
        ("polynomial-versions", versions(data)),
        ("searchable-sums", sums(data, papers)),
        ("searchable-ratio", ratio(data, papers)),
        ("sequential-length", lengths(data)),
        ("sequential-verification", verification(data)),
    ];
    charts
        .into_iter()
        .filter_map(|(name, chart)| Some((name, chart.draw()?)))
        .collect()
}

const MILLISECONDS: f64 = 1e-6;

/// The data of a line.
struct Series {
    /// The names, with a place for the number.
    template: String,
    statistic: Statistic,
    /// The factor from the measured to the shown unit.
    factor: f64,
}

impl Series {
    fn milliseconds(template: &str) -> Self {
        Self {
            template: template.to_owned(),
            statistic: Statistic::Median,
            factor: MILLISECONDS,
        }
    }

    fn mean(template: &str) -> Self {
        Self {
            statistic: Statistic::Mean,
            ..Self::milliseconds(template)
        }
    }

    fn at(&self, data: &Data, number: u32) -> Option<Figure> {
        let line = data.line(&filled(&self.template, number))?;
        let figure = self.statistic.of(line);
        // A logarithmic axis has no room for a deviation down to zero.
        let low = figure.low.max(line.row.fastest);
        Some(Figure { low, ..figure }.map(|value| value * self.factor))
    }

    /// At every number that was measured, of those in `only` where it is given.
    fn line(&self, data: &Data, (label, ours): (&'static str, bool), only: &[u32]) -> Line {
        let numbers = data.numbers(&self.template);
        let shown = numbers
            .into_iter()
            .filter(|number| only.is_empty() || only.contains(number));
        let figures: Vec<_> = shown
            .filter_map(|number| Some((f64::from(number), self.at(data, number)?)))
            .collect();
        measured(label, ours, &figures)
    }
}

/// A line through measured figures, with a bar for the spread of each.
fn measured(label: &'static str, ours: bool, figures: &[(f64, Figure)]) -> Line {
    let points = figures.iter().map(|(x, figure)| (*x, figure.value));
    let bars = figures
        .iter()
        .map(|(x, figure)| (*x, figure.low, figure.high));
    Line {
        label,
        ours,
        points: points.collect(),
        bars: bars.collect(),
    }
}

fn chart(title: &'static str, (x, y): (&'static str, &'static str), lines: Vec<Line>) -> Chart {
    Chart {
        title,
        x,
        y,
        marks: Marks::Points,
        lines,
    }
}

fn labels(data: &Data) -> Chart {
    let rival = "mklhs::verify/signers=10,labels={n},scheme=cmlhs";
    let shown = data.numbers(rival);
    let line = |label, template: &str| {
        let is_ours = template.contains("scheme=duet");
        Series::milliseconds(template).line(data, (label, is_ours), &shown)
    };
    chart(
        "Verifying a result of 10 signers, by their labels",
        ("labels of each signer", "ms"),
        vec![
            line("Duet", "mklhs::verify/signers=10,labels={n},scheme=duet"),
            line(
                "Duet, online half",
                "mklhs::online/signers=10,labels={n},scheme=duet",
            ),
            line(
                "plain blst",
                "mklhs::verify/signers=10,labels={n},scheme=blst",
            ),
            line("CMLHS", rival),
            line(
                "CMLHS, equations together",
                "mklhs::verify/signers=10,labels={n},scheme=cmlhs,equations=together",
            ),
            line(
                "CMLHS, online half",
                "mklhs::online/signers=10,labels={n},scheme=cmlhs,equations=together",
            ),
        ],
    )
}

fn validators(data: &Data) -> Chart {
    let line = |label, ours, template| {
        Series::milliseconds(template).line(data, (label, ours), &[100, 300, 1000])
    };
    chart(
        "An epoch’s metric, by the number of validators",
        ("validators", "ms"),
        vec![
            line(
                "mean",
                true,
                "mklhs::metric/validators={n},stat=mean,step=verify",
            ),
            line(
                "variance",
                true,
                "mklhs::metric/validators={n},stat=variance,step=verify",
            ),
            line(
                "mean, labels prepared",
                true,
                "mklhs::online/signers={n},labels=1,scheme=duet",
            ),
            line(
                "mean, plain blst",
                false,
                "mklhs::verify/signers={n},labels=1,scheme=blst",
            ),
            line(
                "combining anew",
                true,
                "mklhs::metric/validators={n},step=reweigh",
            ),
        ],
    )
}

/// Figure 4.1 of the thesis.
fn functions(data: &Data) -> Chart {
    let line = |label, template| Series::mean(template).line(data, (label, true), &[]);
    chart(
        "The four functions, 20 values, mean and deviation",
        ("n", "ms"),
        vec![
            line("GenerateKey", "polynomial::keygen/n={n},keys=30,threads=1"),
            line("Sign", "polynomial::sign/n={n},values=20"),
            line(
                "Evaluate, linear",
                "polynomial::evaluate/n={n},values=20,function=linear",
            ),
            line(
                "Verify, linear",
                "polynomial::verify/n={n},values=20,function=linear",
            ),
        ],
    )
}

/// Figures 4.2 to 4.4 of the thesis.
fn versions(data: &Data) -> Chart {
    let line = |label, ours, template| Series::mean(template).line(data, (label, ours), &[]);
    let candidate = |number| {
        let keys = data.line(&filled(
            "polynomial::keygen/n={n},keys=30,threads=1",
            number,
        ))?;
        let tested = data.line(&filled("polynomial::candidates/n={n}", number))?;
        let each = keys.row.mean * 30.0 / tested.row.mean;
        Some((f64::from(number), each * MILLISECONDS))
    };
    let candidates = Line {
        label: "candidate, all of it, here",
        ours: true,
        points: data
            .numbers("polynomial::candidates/n={n}")
            .into_iter()
            .filter_map(candidate)
            .collect(),
        bars: Vec::new(),
    };
    chart(
        "The thesis’s versions: a candidate’s norm, a signature",
        ("n", "ms"),
        vec![
            line(
                "norm, rational numbers",
                false,
                "polynomial::norm/n={n},by=rational",
            ),
            line(
                "norm, modulo primes",
                false,
                "polynomial::norm/n={n},by=modular",
            ),
            candidates,
            line("exact basis", false, "polynomial::exact/n={n},step=basis"),
            line(
                "Sign, from an exact basis",
                false,
                "polynomial::exact/n={n},step=sign",
            ),
            Series {
                factor: MILLISECONDS / 20.0,
                ..Series::mean("polynomial::sign/n={n},values=20")
            }
            .line(data, ("Sign, here", true), &[]),
        ],
    )
}

const SUMS: &str = "searchable::meval/inputs={n},check=all,threads=1";

/// The figures of a paper's rows, by the number in the name of our bench.
fn of_paper(papers: &[Named], data: &Data, has_ratio: impl Fn(bool) -> bool) -> Vec<(f64, f64)> {
    let numbers = data.numbers(SUMS);
    let rows = papers.iter().flat_map(|(_, paper)| &paper.rows);
    let mut points: Vec<_> = rows
        .filter(|row| has_ratio(row.over.is_some()))
        .filter_map(|row| {
            let name = row.over.as_ref().or(row.bench.as_ref())?;
            let number = numbers
                .iter()
                .find(|number| filled(SUMS, **number) == *name)?;
            Some((f64::from(*number), row.paper?))
        })
        .collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
}

/// Figure 2: the times.
fn sums(data: &Data, papers: &[Named]) -> Chart {
    let line = |label, template| Series::milliseconds(template).line(data, (label, true), &[]);
    let eval = data.line("searchable::eval/check=all");
    let repeated = |number: u32| {
        let times = f64::from(number) - 1.0;
        Some((f64::from(number), eval?.row.median * MILLISECONDS * times))
    };
    chart(
        "Adding up encrypted numbers of one keyword",
        ("ciphertexts, L", "ms"),
        vec![
            line("mEval", SUMS),
            line(
                "mEval of tested ones",
                "searchable::meval/inputs={n},check=none,threads=1",
            ),
            Line {
                label: "Eval, L − 1 times",
                ours: false,
                points: data
                    .numbers(SUMS)
                    .into_iter()
                    .filter_map(repeated)
                    .collect(),
                bars: Vec::new(),
            },
            Line {
                label: "mEval, the paper’s",
                ours: false,
                points: of_paper(papers, data, |has_ratio| !has_ratio),
                bars: Vec::new(),
            },
        ],
    )
}

/// Figure 2: the ratio.
fn ratio(data: &Data, papers: &[Named]) -> Chart {
    let figures: Vec<_> = papers
        .iter()
        .flat_map(|(_, paper)| &paper.rows)
        .filter_map(|row| {
            let sums = data.numbers(SUMS).into_iter();
            let number = sums
                .into_iter()
                .find(|number| row.over.as_deref() == Some(&filled(SUMS, *number)))?;
            Some((f64::from(number), row.figure(data, Statistic::Median)?))
        })
        .collect();
    chart(
        "(L − 1) times Eval over one mEval",
        ("ciphertexts, L", "ratio"),
        vec![
            measured("here", true, &figures),
            Line {
                label: "the paper’s",
                ours: false,
                points: of_paper(papers, data, |has_ratio| has_ratio),
                bars: Vec::new(),
            },
        ],
    )
}

fn of_schemes(data: &Data, operation: &str, factor: f64) -> Vec<Line> {
    [
        ("sequential aggregate, 2048", 2048, "duet"),
        ("RSA, 2048", 2048, "rsa"),
        ("ECDSA, P-256", 256, "ecdsa"),
        ("BGLS, BLS12-381", 381, "bgls"),
    ]
    .map(|(label, bits, scheme)| {
        let template = format!("sequential::{operation}/bits={bits},n={{n}},scheme={scheme}");
        let series = Series {
            template,
            statistic: Statistic::Median,
            factor,
        };
        series.line(
            data,
            (label, scheme == "duet"),
            &[1, 2, 3, 4, 5, 6, 8, 10, 16, 32],
        )
    })
    .into()
}

fn lengths(data: &Data) -> Chart {
    chart(
        "Bytes of the signatures of a path",
        ("hops", "bytes"),
        of_schemes(data, "length", 1.0),
    )
}

fn verification(data: &Data) -> Chart {
    chart(
        "Verifying a path",
        ("hops", "ms"),
        of_schemes(data, "verify", MILLISECONDS),
    )
}
