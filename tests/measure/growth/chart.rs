//! A chart with logarithmic axes as SVG, for the pages of the book.

use std::fmt::Write as _;

/// The name of a family and its points (ground rules, CPU seconds), all of them positive.
pub(super) struct Line {
    pub(super) name: &'static str,
    pub(super) points: Vec<(f64, f64)>,
}

/// The colours of the lines, in their order, distinct also for people who see few colours.
const COLOURS: [&str; 5] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00"];

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 460.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 740.0;
const TOP: f64 = 16.0;
const FLOOR: f64 = 404.0;

/// A logarithmic axis from the value `low` at the coordinate `from` to the value `high` at `to`.
struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// An axis with room for all `values`.
    fn over(values: impl Iterator<Item = f64> + Clone, from: f64, to: f64) -> Axis {
        let low = values.clone().fold(f64::INFINITY, f64::min);
        let high = values.fold(0.0, f64::max);
        Axis { low: low / 1.3, high: high * 1.3, from, to }
    }

    fn at(&self, value: f64) -> f64 {
        self.from + (value / self.low).ln() / (self.high / self.low).ln() * (self.to - self.from)
    }

    /// The powers of ten, and their multiples by 2 and 5, on the axis.
    fn ticks(&self) -> Vec<f64> {
        let powers = self.low.log10().floor() as i32..=self.high.log10().ceil() as i32;
        let all = powers.flat_map(|power| [1.0, 2.0, 5.0].map(|times| times * 10f64.powi(power)));
        all.filter(|tick| (self.low..=self.high).contains(tick)).collect()
    }
}

/// The chart of `lines`. A dashed line shows the slope of linear growth. Empty without points.
pub(super) fn draw(lines: &[Line]) -> String {
    let points = || lines.iter().flat_map(|line| &line.points);
    if points().next().is_none() {
        return String::new();
    }
    let x = Axis::over(points().map(|point| point.0), LEFT, RIGHT);
    let y = Axis::over(points().map(|point| point.1), FLOOR, TOP);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         aria-label=\"build time against ground rules\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n"
    );
    for tick in x.ticks() {
        let at = x.at(tick);
        let _ = writeln!(
            svg,
            "<path stroke=\"#ddd\" d=\"M{at:.1} {TOP}V{FLOOR}\"/>\
             <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{tick}</text>",
            FLOOR + 18.0
        );
    }
    for tick in y.ticks() {
        let at = y.at(tick);
        let _ = writeln!(
            svg,
            "<path stroke=\"#ddd\" d=\"M{LEFT} {at:.1}H{RIGHT}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{tick}</text>",
            LEFT - 8.0,
            at + 4.0
        );
    }
    // Linear growth from the lower left corner, until it leaves the chart.
    let times = (x.high / x.low).min(y.high / y.low);
    let _ = writeln!(
        svg,
        "<path stroke=\"#888\" stroke-dasharray=\"5 5\" d=\"M{LEFT} {FLOOR}L{:.1} {:.1}\"/>",
        x.at(x.low * times),
        y.at(y.low * times)
    );
    for (number, line) in lines.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let places: Vec<(f64, f64)> =
            line.points.iter().map(|point| (x.at(point.0), y.at(point.1))).collect();
        let path: Vec<String> = places.iter().map(|place| format!("{:.1} {:.1}", place.0, place.1)).collect();
        if !path.is_empty() {
            let _ = write!(
                svg,
                "<path fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" d=\"M{}\"/>",
                path.join("L")
            );
        }
        for (at_x, at_y) in places {
            let _ = write!(svg, "<circle cx=\"{at_x:.1}\" cy=\"{at_y:.1}\" r=\"3.5\" fill=\"{colour}\"/>");
        }
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"{colour}\" font-size=\"14\">{}</text>",
            LEFT + 14.0,
            TOP + 20.0 * (number + 1) as f64,
            line.name
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"#666\" font-size=\"14\">dashed: linear</text>\n\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">ground rules</text>\n\
         <text transform=\"translate(16 {:.1}) rotate(-90)\" text-anchor=\"middle\">CPU seconds to build</text>\n\
         </svg>",
        LEFT + 14.0,
        TOP + 20.0 * (lines.len() + 1) as f64,
        f64::midpoint(LEFT, RIGHT),
        HEIGHT - 14.0,
        f64::midpoint(TOP, FLOOR)
    );
    svg
}
