//! A plot of cost against size, both in logarithms.

use std::fmt::Write as _;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 190.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 50.0;
/// Distinct to people who see few colours, and by their marks.
const COLORS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#555555", "#e69f00"];

/// Lines of seconds per call at each size, as an SVG document.
pub(crate) fn cost(sizes: &[usize], lines: &[(&str, &[f64])]) -> String {
    let decades = |values: &mut dyn Iterator<Item = f64>| {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for v in values {
            (low, high) = (low.min(v.log10()), high.max(v.log10()));
        }
        (low.floor(), high.ceil())
    };
    let (x0, x1) = decades(&mut sizes.iter().map(|&n| n as f64));
    let (y0, y1) = decades(&mut lines.iter().flat_map(|l| l.1.iter().copied()));
    let x = |v: f64| LEFT + (v.log10() - x0) / (x1 - x0) * (WIDTH - LEFT - RIGHT);
    let y = |v: f64| HEIGHT - BOTTOM - (v.log10() - y0) / (y1 - y0) * (HEIGHT - TOP - BOTTOM);
    let mut s = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<title>Cost of skinning against the number of \
         vertices</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    for d in x0 as i32..=x1 as i32 {
        let at = x(10_f64.powi(d));
        let _ = writeln!(s, "<path d=\"M{at:.1} {TOP}V{bottom}\" stroke=\"#ddd\"/>");
        let n = 10_f64.powi(d);
        let _ =
            writeln!(s, "<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{n}</text>", bottom + 18.0);
    }
    for d in y0 as i32..=y1 as i32 {
        let at = y(10_f64.powi(d));
        let _ = writeln!(s, "<path d=\"M{LEFT} {at:.1}H{right}\" stroke=\"#ddd\"/>");
        let label = match d {
            -9..=-7 => format!("{} ns", 10_f64.powi(d + 9)),
            -6..=-4 => format!("{} µs", 10_f64.powi(d + 6)),
            _ => format!("{} ms", 10_f64.powi(d + 3)),
        };
        let _ = writeln!(
            s,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            LEFT - 8.0,
            at + 4.0
        );
    }
    let middle = (LEFT + right) / 2.0;
    let _ =
        writeln!(s, "<text x=\"{middle}\" y=\"{:.1}\" text-anchor=\"middle\">vertices</text>", HEIGHT - 12.0);
    let _ = writeln!(s, "<text x=\"{LEFT}\" y=\"18\">time per call, positions and normals</text>");
    // Names beside the line ends, moved apart where they would touch.
    let mut names: Vec<(f64, usize)> =
        lines.iter().enumerate().filter_map(|(i, l)| Some((y(*l.1.last()?), i))).collect();
    names.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut above = f64::NEG_INFINITY;
    for (at, i) in names {
        above = at.max(above + 16.0);
        let color = COLORS[i % COLORS.len()];
        let _ = writeln!(
            s,
            "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"{color}\">{}</text>",
            right + 10.0,
            above + 4.0,
            lines[i].0
        );
    }
    for (i, (_, seconds)) in lines.iter().enumerate() {
        let color = COLORS[i % COLORS.len()];
        let points: Vec<(f64, f64)> =
            sizes.iter().zip(*seconds).map(|(&n, &t)| (x(n as f64), y(t))).collect();
        let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(
            s,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>",
            path.join(" ")
        );
        for (x, y) in points {
            let _ = writeln!(s, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{color}\"/>");
        }
    }
    s.push_str("</svg>\n");
    s
}
