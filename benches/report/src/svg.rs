//! Line charts with logarithmic axes, as SVG.

use std::fmt::Write;

/// What a chart shows.
pub(crate) struct Chart {
    pub(crate) title: &'static str,
    pub(crate) x: &'static str,
    pub(crate) y: &'static str,
    pub(crate) lines: Vec<Line>,
}

/// One line of a chart.
pub(crate) struct Line {
    pub(crate) label: &'static str,
    /// Ours are drawn thicker.
    pub(crate) ours: bool,
    /// Both coordinates above zero.
    pub(crate) points: Vec<(f64, f64)>,
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

/// One axis: whole decades around what is shown.
struct Axis {
    from: f64,
    to: f64,
    start: f64,
    length: f64,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64> + Clone, start: f64, length: f64) -> Self {
        let lowest = values.clone().fold(f64::INFINITY, f64::min);
        let highest = values.fold(0.0, f64::max);
        let from = lowest.log10().floor();
        Self {
            from,
            to: highest.log10().ceil().max(from + 1.0),
            start,
            length,
        }
    }

    fn at(&self, value: f64) -> f64 {
        self.start + self.length * (value.log10() - self.from) / (self.to - self.from)
    }

    fn decades(&self) -> impl Iterator<Item = f64> + '_ {
        std::iter::successors(Some(self.from), |exponent| Some(exponent + 1.0))
            .take_while(|exponent| *exponent <= self.to)
            .map(|exponent| 10_f64.powf(exponent))
    }
}

impl Chart {
    /// The chart, or `None` when there is nothing to show.
    pub(crate) fn draw(&self) -> Option<String> {
        let points = self.lines.iter().flat_map(|line| line.points.iter());
        points.clone().next()?;
        let (width, height) = (WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
        let x = Axis::new(points.clone().map(|(x, _)| *x), LEFT, width);
        let y = Axis::new(points.map(|(_, y)| *y), HEIGHT - BOTTOM, -height);
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

fn grid(svg: &mut String, x: &Axis, y: &Axis) {
    let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
    for decade in x.decades() {
        let at = x.at(decade);
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
            &tick(decade),
        );
    }
    for decade in y.decades() {
        let at = y.at(decade);
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
            &tick(decade),
        );
    }
}

fn tick(decade: f64) -> String {
    match decade {
        decade if decade >= 0.999e6 => format!("{:.0} M", decade / 1e6),
        decade if decade >= 0.999e3 => format!("{:.0} 000", decade / 1e3),
        decade if decade >= 0.999 => format!("{decade:.0}"),
        decade => {
            let digits = format!("{decade:.6}");
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
        };
        Chart {
            title: "t",
            x: "x",
            y: "y",
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
}
