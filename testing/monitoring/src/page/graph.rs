//! Lines over time, as SVG.

use super::number;
use crate::panels::Panel;

/// The size of a drawing, and what is kept free for the scales.
const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 150.0;
const LEFT: f64 = 46.0;
const BOTTOM: f64 = 16.0;
const TOP: f64 = 6.0;

/// Colours of the lines, in turn.
const COLOURS: [&str; 10] = [
    "#73bf69", "#f2cc0c", "#5794f2", "#ff9830", "#b877d9", "#8ab8ff", "#f2495c", "#37872d",
    "#fade2a", "#ffa6b0",
];

/// A line and its name.
pub(super) struct Series {
    pub(super) name: String,
    /// Seconds since 1970, and the value then.
    pub(super) points: Vec<(f64, f64)>,
}

impl Series {
    /// The last value that is one.
    pub(super) fn last(&self) -> Option<f64> {
        let values = self.points.iter().rev().map(|(_, value)| *value);
        values.into_iter().find(|value| value.is_finite())
    }
}

/// The drawing and its legend.
pub(super) fn draw(panel: &Panel, series: &[Series], [start, end]: [u64; 2]) -> String {
    let values = series.iter().flat_map(|series| &series.points);
    let values: Vec<_> = values
        .map(|(_, value)| *value)
        .filter(|value| value.is_finite())
        .collect();
    let scale = Scale::new(&values, [start, end]);
    let mut drawn = scale.axes(panel);
    let mut legend = String::new();
    for (series, colour) in series.iter().zip(COLOURS.iter().cycle()) {
        drawn.push_str(&scale.line(series, colour));
        let last = series
            .last()
            .map_or("–".to_owned(), |value| number::text(value, &panel.unit));
        let name = number::escape(&series.name);
        legend.push_str(&format!(
            "<b><span style=\"color: {colour}\">▬</span> {name} {last}</b> "
        ));
    }
    if values.is_empty() {
        let (x, y) = (WIDTH / 2.0, HEIGHT / 2.0);
        drawn.push_str(&format!(
            "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">no data</text>"
        ));
    }
    format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\">{drawn}</svg><div class=\"legend\">{legend}</div>"
    )
}

/// Where a moment and a value are in the drawing.
struct Scale {
    from: f64,
    to: f64,
    low: f64,
    high: f64,
}

impl Scale {
    /// From 0, unless all values are in the upper half.
    fn new(values: &[f64], [start, end]: [u64; 2]) -> Self {
        let highest = values.iter().copied().fold(0.0, f64::max);
        let lowest = values.iter().copied().fold(highest, f64::min);
        let low = if lowest > highest / 2.0 && highest - lowest > 2.0 {
            lowest.floor()
        } else {
            lowest.min(0.0)
        };
        let high = if highest > low { highest } else { low + 1.0 };
        // Seconds since 1970 are exact in `f64` for a very long time.
        #[allow(clippy::cast_precision_loss)]
        let [from, to] = [start as f64, end as f64];
        Self {
            from,
            to: to.max(from + 1.0),
            low,
            high,
        }
    }

    fn x(&self, at: f64) -> f64 {
        LEFT + (at - self.from) / (self.to - self.from) * (WIDTH - LEFT)
    }

    fn y(&self, value: f64) -> f64 {
        let height = HEIGHT - TOP - BOTTOM;
        TOP + height * (1.0 - (value - self.low) / (self.high - self.low))
    }

    /// Lines with their values, the time, and the threshold.
    fn axes(&self, panel: &Panel) -> String {
        let mut drawn = String::new();
        for part in [0.0, 0.5, 1.0] {
            let value = self.low + part * (self.high - self.low);
            let (y, right) = (self.y(value), LEFT - 4.0);
            let text = number::text(value, &panel.unit);
            drawn.push_str(&format!(
                "<line x1=\"{LEFT}\" x2=\"{WIDTH}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#2c3235\"/>\
                 <text x=\"{right}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
                y + 3.0
            ));
        }
        for (from, _) in panel.steps.iter() {
            let shown = from.filter(|from| (self.low..=self.high).contains(from));
            if let Some(y) = shown.map(|from| self.y(from)) {
                drawn.push_str(&format!(
                    "<line x1=\"{LEFT}\" x2=\"{WIDTH}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#ff9830\" stroke-dasharray=\"4 4\"/>"
                ));
            }
        }
        let seconds = self.to - self.from;
        let bottom = HEIGHT - 4.0;
        drawn
            + &format!(
                "<text x=\"{LEFT}\" y=\"{bottom}\">−{seconds:.0} s</text>\
             <text x=\"{WIDTH}\" y=\"{bottom}\" text-anchor=\"end\">now</text>"
            )
    }

    /// A line, with gaps where there is no value.
    fn line(&self, series: &Series, colour: &str) -> String {
        let mut path = String::new();
        let mut pen = 'M';
        for (at, value) in &series.points {
            if value.is_finite() {
                path.push_str(&format!("{pen}{:.1} {:.1}", self.x(*at), self.y(*value)));
                pen = 'L';
            } else {
                pen = 'M';
            }
        }
        format!("<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.3\"/>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_gap_where_there_is_no_value() {
        let scale = Scale::new(&[0.0, 10.0], [100, 110]);
        let points = vec![(100.0, 0.0), (105.0, f64::NAN), (110.0, 10.0)];
        let series = Series {
            name: "a".into(),
            points,
        };
        assert_eq!(
            scale.line(&series, "red"),
            "<path d=\"M46.0 134.0M420.0 6.0\" fill=\"none\" stroke=\"red\" stroke-width=\"1.3\"/>"
        );
        assert_eq!(series.last(), Some(10.0));
    }

    #[test]
    fn a_scale_begins_at_zero_unless_all_values_are_far_above_it() {
        for (values, low, high) in [
            (vec![1.0, 4.0], 0.0, 4.0),
            (vec![90.5, 100.0], 90.0, 100.0),
            (vec![0.0, 0.0], 0.0, 1.0),
            (vec![], 0.0, 1.0),
        ] {
            let scale = Scale::new(&values, [0, 1]);
            assert_eq!((scale.low, scale.high), (low, high), "{values:?}");
        }
    }
}
