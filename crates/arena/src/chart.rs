//! Charts as inline SVG; the page's style sheet sets the colours.

use crate::interval::Estimate;
use ggp_game::escaped;
use std::fmt::Write as _;

/// A named value with its confidence interval: one row of a chart.
pub(crate) struct Whisker {
    pub(crate) name: String,
    pub(crate) estimate: Estimate,
}

/// A named series of points (x, y): one line of a chart.
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) points: Vec<(u64, f64)>,
}

const WIDTH: f64 = 960.0;

/// The opening tag of a chart's container, which scrolls sideways on narrow screens.
const OPEN: &str = "<div class=\"scroll\">";

/// The width of the column that shows the names of a chart's rows or lines, in SVG user units. Names that do
/// not fit are cut.
const NAMES: f64 = 190.0;

/// The number of characters of a name that fit into a column of the width [`NAMES`].
const NAME_CHARS: usize = 24;

/// The distance between neighbouring ticks of an axis. It is 1, 2 or 5 times a power of ten. `range` is the
/// length of the axis, and `most` is about the largest number of ticks that the axis may have.
fn step(range: f64, most: f64) -> f64 {
    let rough = (range / most).max(1e-9);
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().find(|m| m * power >= rough).unwrap_or(10.0);
    step * power
}

fn ticks(low: f64, high: f64, step: f64) -> impl Iterator<Item = f64> {
    let first = (low / step).ceil() as i64;
    let last = (high / step).floor() as i64;
    (first..=last).map(move |n| n as f64 * step)
}

/// Formats a value as an integer with its sign: `+100`, `−100`, `0`.
fn signed(value: f64) -> String {
    let sign = if value < 0.0 {
        "−"
    } else if value > 0.0 {
        "+"
    } else {
        ""
    };
    format!("{sign}{:.0}", value.abs())
}

fn label(name: &str) -> String {
    match name.char_indices().nth(NAME_CHARS) {
        Some((end, _)) => format!("{}…", escaped(&name[..end])),
        None => escaped(name),
    }
}

/// A chart with one row for each element of `all`. In a row, a dot marks the element's estimate, and a
/// horizontal line spans its confidence interval.
pub(crate) fn whiskers(all: &[Whisker], caption: &str) -> String {
    let (row, top, bottom) = (26.0, 10.0, 44.0);
    let height = top + row * all.len() as f64 + bottom;
    let low = all.iter().map(|w| w.estimate.low).fold(0.0, f64::min);
    let high = all.iter().map(|w| w.estimate.high).fold(0.0, f64::max);
    let pad = ((high - low) * 0.04).max(1.0);
    let (low, high) = (low - pad, high + pad);
    let x = |value: f64| NAMES + (value - low) / (high - low) * (WIDTH - NAMES - 20.0);
    let floor = height - bottom + 4.0;
    let mut svg = format!(
        "{OPEN}<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\">\n",
        escaped(caption)
    );
    for tick in ticks(low, high, step(high - low, 9.0)) {
        let class = if tick == 0.0 { "zero" } else { "grid" };
        let at = x(tick);
        let _ = writeln!(
            svg,
            "<line class=\"{class}\" x1=\"{at:.1}\" y1=\"{top}\" x2=\"{at:.1}\" y2=\"{floor:.1}\"/>\
             <text class=\"tick\" x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            floor + 15.0,
            signed(tick)
        );
    }
    for (number, Whisker { name, estimate }) in all.iter().enumerate() {
        let y = top + row * (number as f64 + 0.5);
        let (from, to, at) = (x(estimate.low), x(estimate.high), x(estimate.value));
        let _ = writeln!(
            svg,
            "<g><title>{}: {:+.0}, from {:+.0} to {:+.0}</title>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\
             <path class=\"whisker\" d=\"M{from:.1} {y:.1}H{to:.1}M{from:.1} {a:.1}V{b:.1}M{to:.1} {a:.1}V{b:.1}\"/>\
             <circle class=\"dot\" cx=\"{at:.1}\" cy=\"{y:.1}\" r=\"5\"/></g>",
            escaped(name),
            estimate.value,
            estimate.low,
            estimate.high,
            NAMES - 14.0,
            y + 4.5,
            label(name),
            a = y - 5.0,
            b = y + 5.0
        );
    }
    let _ = writeln!(
        svg,
        "<text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n</svg></div>",
        f64::midpoint(NAMES, WIDTH),
        height - 6.0,
        escaped(caption)
    );
    svg
}

/// A line chart of series whose values lie between 0 and 100. The name of each series stands to the right of
/// its line.
pub(crate) fn lines(all: &[Line], caption: &str) -> String {
    let (left, top, bottom, height) = (40.0, 12.0, 44.0, 320.0);
    let right = WIDTH - NAMES;
    let most = all.iter().flat_map(|l| &l.points).map(|(n, _)| *n).max().unwrap_or(1).max(2) as f64;
    let floor = height - bottom;
    let x = |number: f64| left + number / most * (right - left);
    let y = |value: f64| floor - value / 100.0 * (floor - top);
    let mut svg = format!(
        "{OPEN}<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"mean goal by {}\">\n",
        escaped(caption)
    );
    for tick in ticks(0.0, 100.0, 25.0) {
        let at = y(tick);
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{left}\" y1=\"{at:.1}\" x2=\"{right}\" y2=\"{at:.1}\"/>\
             <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{tick:.0}</text>",
            left - 8.0,
            at + 4.0
        );
    }
    for tick in ticks(0.0, most, step(most, 8.0).max(1.0)) {
        let _ = writeln!(
            svg,
            "<text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{tick:.0}</text>",
            x(tick),
            floor + 18.0
        );
    }
    let places = spread(all.iter().map(|l| y(l.points.last().map_or(0.0, |p| p.1))).collect(), 17.0);
    for (number, Line { name, points }) in all.iter().enumerate() {
        let mut path = String::new();
        for (place, (n, value)) in points.iter().enumerate() {
            let _ =
                write!(path, "{}{:.1} {:.1}", if place == 0 { "M" } else { "L" }, x(*n as f64), y(*value));
        }
        let end = points.last().copied().unwrap_or_default();
        let _ = writeln!(
            svg,
            "<path class=\"course\" style=\"stroke:var(--c{number})\" d=\"{path}\"/>\
             <circle style=\"fill:var(--c{number})\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\"/>\
             <text style=\"fill:var(--c{number})\" x=\"{:.1}\" y=\"{:.1}\">{:.1} {}</text>",
            x(end.0 as f64),
            y(end.1),
            right + 12.0,
            places[number] + 4.5,
            end.1,
            label(name)
        );
    }
    let _ = writeln!(
        svg,
        "<text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n</svg></div>",
        f64::midpoint(left, right),
        height - 6.0,
        escaped(caption)
    );
    svg
}

/// Moves labels apart. `places` holds their coordinates; in the result, any two differ by at least `gap`. The
/// labels are visited in ascending order of coordinate. A label closer than `gap` to the one before it is
/// moved up to exactly that distance.
fn spread(places: Vec<f64>, gap: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|&a, &b| places[a].total_cmp(&places[b]));
    let mut out = places;
    for pair in order.windows(2) {
        out[pair[1]] = out[pair[1]].max(out[pair[0]] + gap);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_round_steps() {
        assert!((step(100.0, 9.0) - 20.0).abs() < 1e-12);
        assert!((step(9.0, 9.0) - 1.0).abs() < 1e-12);
        assert!((step(0.3, 9.0) - 0.05).abs() < 1e-12);
        assert_eq!(ticks(-25.0, 45.0, 20.0).collect::<Vec<_>>(), [-20.0, 0.0, 20.0, 40.0]);
    }

    #[test]
    fn labels_do_not_lie_on_each_other() {
        assert_eq!(spread(vec![50.0, 10.0, 12.0], 17.0), [50.0, 10.0, 27.0]);
        assert_eq!(spread(vec![], 17.0), [] as [f64; 0]);
    }
}
