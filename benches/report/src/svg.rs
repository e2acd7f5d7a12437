//! Line charts with logarithmic axes, as SVG.

use crate::text::grouped;
use std::fmt::Write;

/// What a chart shows.
pub(crate) struct Chart {
    pub(crate) title: &'static str,
    pub(crate) x: &'static str,
    pub(crate) y: &'static str,
    /// What is marked on the horizontal axis.
    pub(crate) marks: Marks,
    pub(crate) lines: Vec<Line>,
}

/// What is marked on the horizontal axis.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Marks {
    /// Whole decades around what is shown.
    Decades,
    /// Each place where a line has a point; the axis ends at the outermost ones.
    Points,
}

/// One line of a chart.
pub(crate) struct Line {
    pub(crate) label: &'static str,
    /// Ours are drawn thicker.
    pub(crate) ours: bool,
    /// Both coordinates above zero.
    pub(crate) points: Vec<(f64, f64)>,
    /// Place, lower and upper end of the bars that show how far samples spread; all above zero.
    pub(crate) bars: Vec<(f64, f64, f64)>,
}

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 430.0;
const LEFT: f64 = 92.0;
const RIGHT: f64 = 236.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 54.0;

/// The legend is in the order of the lines' ends, so that lines can be told apart without colours.
const COLOURS: [&str; 8] = [
    "#0b6e99", "#c4391d", "#2e7d32", "#8e44ad", "#b9770e", "#546e7a", "#ad1457", "#37474f",
];

/// One axis, between two powers of ten.
struct Axis {
    from: f64,
    to: f64,
    start: f64,
    length: f64,
    marks: Vec<f64>,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64> + Clone, start: f64, length: f64) -> Self {
        let lowest = values.clone().fold(f64::INFINITY, f64::min);
        let highest = values.fold(0.0, f64::max);
        let from = lowest.log10().floor();
        let to = highest.log10().ceil().max(from + 1.0);
        let decades = std::iter::successors(Some(from), |exponent| Some(exponent + 1.0));
        let decades = decades.take_while(|exponent| *exponent <= to);
        Self {
            from,
            to,
            start,
            length,
            marks: decades.map(|exponent| 10_f64.powf(exponent)).collect(),
        }
    }

    /// From the lowest value to the highest, with a mark at each.
    fn of_points(values: impl Iterator<Item = f64>, start: f64, length: f64) -> Self {
        let mut marks: Vec<f64> = values.collect();
        marks.sort_by(f64::total_cmp);
        marks.dedup();
        let ends = (marks.first().copied(), marks.last().copied());
        let (lowest, highest) = (ends.0.unwrap_or(1.0), ends.1.unwrap_or(1.0));
        Self {
            from: lowest.log10(),
            to: highest.log10().max(lowest.log10() + 0.1),
            start,
            length,
            marks,
        }
    }

    fn at(&self, value: f64) -> f64 {
        self.start + self.length * (value.log10() - self.from) / (self.to - self.from)
    }
}

impl Chart {
    /// The chart, or `None` when there is nothing to show.
    pub(crate) fn draw(&self) -> Option<String> {
        let points = self.lines.iter().flat_map(|line| line.points.iter());
        points.clone().next()?;
        let (width, height) = (WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
        let places = points.clone().map(|(x, _)| *x);
        let x = match self.marks {
            Marks::Decades => Axis::new(places, LEFT, width),
            Marks::Points => Axis::of_points(places, LEFT, width),
        };
        let bars = self.lines.iter().flat_map(|line| line.bars.iter());
        let bars = bars.flat_map(|(_, low, high)| [*low, *high]);
        let heights = points.map(|(_, y)| *y).chain(bars);
        let y = Axis::new(heights, HEIGHT - BOTTOM, -height);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n"
        );
        text(
            &mut svg,
            (LEFT, 24.0),
            "font-size=\"15\" font-weight=\"bold\"",
            self.title,
        );
        grid(&mut svg, &x, &y);
        let middle = LEFT + width / 2.0;
        text(
            &mut svg,
            (middle, HEIGHT - 12.0),
            "text-anchor=\"middle\"",
            self.x,
        );
        let middle = TOP + height / 2.0;
        let turned = format!("text-anchor=\"middle\" transform=\"rotate(-90 16 {middle:.1})\"");
        text(&mut svg, (16.0, middle), &turned, self.y);
        self.draw_lines(&mut svg, &x, &y);
        svg.push_str("</svg>\n");
        Some(svg)
    }

    fn draw_lines(&self, svg: &mut String, x: &Axis, y: &Axis) {
        let shown = self.lines.iter().zip(COLOURS.iter().cycle());
        let mut shown: Vec<_> = shown.filter(|(line, _)| !line.points.is_empty()).collect();
        let end = |line: &Line| line.points.last().map_or(0.0, |(_, y)| *y);
        shown.sort_by(|(a, _), (b, _)| end(b).total_cmp(&end(a)));
        let mut legend = TOP + 8.0;
        for (line, colour) in shown {
            let width = if line.ours { 3.5 } else { 1.5 };
            let place = |(x_value, y_value): &(f64, f64)| (x.at(*x_value), y.at(*y_value));
            let path: Vec<_> = line
                .points
                .iter()
                .map(place)
                .map(|(x, y)| format!("{x:.1},{y:.1}"))
                .collect();
            add(svg, format_args!(
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\"/>\n",
                path.join(" ")
            ));
            for (x, y) in line.points.iter().map(place) {
                add(
                    svg,
                    format_args!(
                        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{}\" fill=\"{colour}\"/>\n",
                        width + 1.0
                    ),
                );
            }
            draw_bars(svg, line, colour, (x, y));
            let from = WIDTH - RIGHT + 14.0;
            add(
                svg,
                format_args!(
                "<line x1=\"{from}\" x2=\"{}\" y1=\"{legend}\" y2=\"{legend}\" stroke=\"{colour}\" \
                 stroke-width=\"{width}\"/>\n",
                from + 20.0
            ),
            );
            let weight = if line.ours {
                "font-weight=\"bold\""
            } else {
                ""
            };
            text(svg, (from + 26.0, legend + 4.0), weight, line.label);
            legend += 19.0;
        }
    }
}

fn draw_bars(svg: &mut String, line: &Line, colour: &str, (x, y): (&Axis, &Axis)) {
    for (place, low, high) in &line.bars {
        let (x, low, high) = (x.at(*place), y.at(*low), y.at(*high));
        add(
            svg,
            format_args!(
                "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{low:.1}\" y2=\"{high:.1}\" stroke=\"{colour}\" \
                 stroke-width=\"1.5\"/>\n"
            ),
        );
    }
}

fn grid(svg: &mut String, x: &Axis, y: &Axis) {
    let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
    for mark in &x.marks {
        let at = x.at(*mark);
        add(
            svg,
            format_args!(
            "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{bottom}\" stroke=\"#ddd\"/>\n"
        ),
        );
        text(
            svg,
            (at, bottom + 18.0),
            "text-anchor=\"middle\"",
            &tick(*mark),
        );
    }
    for mark in &y.marks {
        let at = y.at(*mark);
        add(
            svg,
            format_args!(
            "<line x1=\"{LEFT}\" x2=\"{right}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>\n"
        ),
        );
        text(
            svg,
            (LEFT - 8.0, at + 4.0),
            "text-anchor=\"end\"",
            &tick(*mark),
        );
    }
}

fn tick(value: f64) -> String {
    match value {
        value if value >= 0.999e6 => format!("{:.0} M", value / 1e6),
        value if value >= 0.999e3 => grouped(format!("{value:.0}")).replace('\u{a0}', " "),
        value if value >= 0.999 => format!("{value:.0}"),
        value => {
            let digits = format!("{value:.6}");
            digits.trim_end_matches('0').to_owned()
        }
    }
}

fn text(svg: &mut String, (x, y): (f64, f64), attributes: &str, content: &str) {
    let content = content.replace('&', "&amp;").replace('<', "&lt;");
    add(
        svg,
        format_args!("<text x=\"{x:.1}\" y=\"{y:.1}\" {attributes}>{content}</text>\n"),
    );
}

fn add(svg: &mut String, piece: std::fmt::Arguments<'_>) {
    svg.write_fmt(piece)
        .expect("a string takes every character; qed");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(points: Vec<(f64, f64)>) -> Chart {
        let line = Line {
            label: "a < b",
            ours: true,
            points,
            bars: Vec::new(),
        };
        Chart {
            title: "t",
            x: "x",
            y: "y",
            marks: Marks::Decades,
            lines: vec![line],
        }
    }

    #[test]
    fn a_chart_without_points_is_none() {
        assert!(chart(Vec::new()).draw().is_none());
    }

    #[test]
    fn decades_are_evenly_apart_and_labels_are_escaped() {
        let axis = Axis::new([10.0, 1000.0].into_iter(), 0.0, 200.0);
        assert!((axis.at(100.0) - 100.0).abs() < 1e-9);
        let svg = chart(vec![(10.0, 0.01), (1000.0, 5.0)])
            .draw()
            .expect("points");
        assert!(svg.contains("a &lt; b") && svg.contains(">0.01<") && svg.contains(">1 000<"));
    }

    #[test]
    fn marks_at_points_end_the_axis_and_bars_widen_the_other() {
        let mut chart = chart(vec![(4.0, 2.0), (2048.0, 5.0)]);
        chart.marks = Marks::Points;
        chart.lines[0].bars = vec![(4.0, 0.5, 20.0)];
        let svg = chart.draw().expect("points");
        assert!(svg.contains(">4<") && svg.contains(">2 048<") && !svg.contains(">1 000<"));
        assert!(svg.contains(">0.1<") && svg.contains(">100<"));
    }
}
