//! Line charts with logarithmic axes, as SVG.

use crate::text::grouped;
use plotters::{
    coord::{
        combinators::{BindKeyPoints, LogCoord, WithKeyPoints},
        Shift,
    },
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};

/// The content of a chart.
pub(crate) struct Chart {
    pub(crate) title: &'static str,
    pub(crate) x: &'static str,
    pub(crate) y: &'static str,
    /// The marks on the horizontal axis.
    pub(crate) marks: Marks,
    pub(crate) lines: Vec<Line>,
}

/// The marks on the horizontal axis.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Marks {
    /// Whole decades around the shown values.
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

/// Twice the size at which a page shows it: coordinates are whole numbers.
const SIZE: (u32, u32) = (1520, 860);
const LEFT: i32 = 184;
const RIGHT: i32 = 472;
const TOP: i32 = 88;
const BOTTOM: i32 = 108;
const MARGIN: i32 = 16;
/// From a mark of an axis to its text, about.
const TICK: i32 = 10;
/// From one line of the legend to the next.
const LEGEND_STEP: usize = 38;

const TEXT: RGBColor = RGBColor(0x22, 0x22, 0x22);
const GRID: RGBColor = RGBColor(0xdd, 0xdd, 0xdd);
/// The legend is in the order of the lines' ends, so that lines can be told apart without colours.
const COLOURS: [RGBColor; 8] = [
    RGBColor(0x0b, 0x6e, 0x99),
    RGBColor(0xc4, 0x39, 0x1d),
    RGBColor(0x2e, 0x7d, 0x32),
    RGBColor(0x8e, 0x44, 0xad),
    RGBColor(0xb9, 0x77, 0x0e),
    RGBColor(0x54, 0x6e, 0x7a),
    RGBColor(0xad, 0x14, 0x57),
    RGBColor(0x37, 0x47, 0x4f),
];

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;
type Axis = WithKeyPoints<LogCoord<f64>>;

impl Chart {
    /// The chart, or `None` when there is nothing to show.
    pub(crate) fn draw(&self) -> Option<String> {
        self.points().next()?;
        let mut svg = String::new();
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        self.draw_on(&area)
            .expect("a string takes every drawing; qed");
        drop(area);
        Some(svg)
    }

    fn draw_on(&self, area: &Area) -> Drawn {
        area.fill(&WHITE)?;
        let title = font(38, FontStyle::Bold);
        area.draw(&Text::new(self.title, (LEFT, TOP / 2), title))?;
        let mut chart = ChartBuilder::on(area)
            .margin(MARGIN)
            .margin_top(TOP)
            .margin_right(RIGHT)
            .y_label_area_size(LEFT - MARGIN)
            .x_label_area_size(BOTTOM - MARGIN)
            .build_cartesian_2d(self.places(), self.heights())?;
        let text = font(30, FontStyle::Normal);
        chart
            .configure_mesh()
            .axis_style(GRID)
            .bold_line_style(GRID.stroke_width(2))
            .set_all_tick_mark_size(TICK)
            .label_style(text)
            .x_desc(self.x)
            .y_desc(self.y)
            .x_label_formatter(&|value| tick(*value))
            .y_label_formatter(&|value| tick(*value))
            .draw()?;
        let shown = self.shown();
        for (line, colour) in &shown {
            let width = line.width();
            let style = colour.filled().stroke_width(width);
            let points = line.points.iter().copied();
            chart.draw_series(LineSeries::new(points, style).point_size(width + 2))?;
            let bars = line.bars.iter().map(|(x, low, high)| {
                let ends = vec![(*x, *low), (*x, *high)];
                PathElement::new(ends, colour.stroke_width(3))
            });
            chart.draw_series(bars)?;
        }
        draw_legend(area, &shown)?;
        area.present()
    }

    fn points(&self) -> impl Iterator<Item = &(f64, f64)> {
        self.lines.iter().flat_map(|line| &line.points)
    }

    /// The lines that have points, in the order of their ends.
    fn shown(&self) -> Vec<(&Line, RGBColor)> {
        let shown = self.lines.iter().zip(COLOURS.into_iter().cycle());
        let mut shown: Vec<_> = shown.filter(|(line, _)| !line.points.is_empty()).collect();
        let end = |line: &Line| line.points.last().map_or(0.0, |(_, y)| *y);
        shown.sort_by(|(a, _), (b, _)| end(b).total_cmp(&end(a)));
        shown
    }

    fn places(&self) -> Axis {
        let mut places: Vec<_> = self.points().map(|(x, _)| *x).collect();
        places.sort_by(f64::total_cmp);
        places.dedup();
        match self.marks {
            Marks::Decades => decades(&places),
            Marks::Points => axis(places),
        }
    }

    fn heights(&self) -> Axis {
        let bars = self.lines.iter().flat_map(|line| &line.bars);
        let bars = bars.flat_map(|(_, low, high)| [*low, *high]);
        let heights: Vec<_> = self.points().map(|(_, y)| *y).chain(bars).collect();
        decades(&heights)
    }
}

impl Line {
    fn width(&self) -> u32 {
        if self.ours {
            7
        } else {
            3
        }
    }
}

fn draw_legend(area: &Area, shown: &[(&Line, RGBColor)]) -> Drawn {
    let from = SIZE.0.cast_signed() - RIGHT + 28;
    for ((line, colour), y) in shown.iter().zip((TOP + 16..).step_by(LEGEND_STEP)) {
        let ends = vec![(from, y), (from + 40, y)];
        area.draw(&PathElement::new(ends, colour.stroke_width(line.width())))?;
        let weight = if line.ours {
            FontStyle::Bold
        } else {
            FontStyle::Normal
        };
        area.draw(&Text::new(line.label, (from + 52, y), font(30, weight)))?;
    }
    Ok(())
}

/// Between two powers of ten, with a mark at each.
fn decades(values: &[f64]) -> Axis {
    let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = values.iter().copied().fold(0.0, f64::max);
    let from = lowest.log10().floor();
    let to = highest.log10().ceil().max(from + 1.0);
    let decades = std::iter::successors(Some(from), |exponent| Some(exponent + 1.0));
    let decades = decades.take_while(|exponent| *exponent <= to);
    axis(decades.map(|exponent| 10_f64.powf(exponent)).collect())
}

/// From the first mark to the last.
fn axis(marks: Vec<f64>) -> Axis {
    let ends = (marks.first().copied(), marks.last().copied());
    let (lowest, highest) = (ends.0.unwrap_or(1.0), ends.1.unwrap_or(1.0));
    let range = lowest..highest.max(lowest * 1.25);
    range.log_scale().with_key_points(marks)
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

fn font(size: i32, style: FontStyle) -> TextStyle<'static> {
    let middle = Pos::new(HPos::Left, VPos::Center);
    let font = ("sans-serif", size, style).into_text_style(&SIZE);
    font.color(&TEXT).pos(middle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use plotters::coord::ranged1d::Ranged;

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

    fn has(svg: &str, text: &str) -> bool {
        svg.contains(&format!(">\n{text}\n</text>"))
    }

    #[test]
    fn a_chart_without_points_is_none() {
        assert!(chart(Vec::new()).draw().is_none());
    }

    #[test]
    fn decades_are_evenly_apart_and_labels_are_escaped() {
        let axis = decades(&[10.0, 1000.0]);
        assert_eq!(axis.map(&100.0, (0, 200)), 100);
        let svg = chart(vec![(10.0, 0.01), (1000.0, 5.0)])
            .draw()
            .expect("points");
        assert!(svg.contains("a &lt; b") && has(&svg, "0.01") && has(&svg, "1 000"));
    }

    #[test]
    fn marks_at_points_end_the_axis_and_bars_widen_the_other() {
        let mut chart = chart(vec![(4.0, 2.0), (2048.0, 5.0)]);
        chart.marks = Marks::Points;
        chart.lines[0].bars = vec![(4.0, 0.5, 20.0)];
        let svg = chart.draw().expect("points");
        assert!(has(&svg, "4") && has(&svg, "2 048") && !has(&svg, "1 000"));
        assert!(has(&svg, "0.1") && has(&svg, "100"));
    }
}
