//! Charts as SVG: lines over time or over values, and ratios with their intervals. This is the one place that draws numbers.
//!
//! What is drawn is handed in as data, and what comes back is text. On a page a chart takes the page's colour of text; as a file of its
//! own it brings its own ([`standalone`]). Lines are told apart by colour and by how they are dashed, and named above the plot.

use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::coord::ranged1d::{Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

use super::escape::xml as visible;

const WIDTH: u32 = 760;
const HEIGHT: u32 = 300;
/// Room for the names of lines, and of one row of a chart of ratios.
const ROW: u32 = 24;
/// Of a file of its own; on a page the page's colours count.
const STYLE: &str = "svg { color: #1c2430; background: #ffffff } \
    @media (prefers-color-scheme: dark) { svg { color: #e6eaf0; background: #14181e } }";
/// What stands for the colour of text until the chart is placed.
const INK: RGBColor = RGBColor(1, 1, 1);
const INK_AS_WRITTEN: &str = "#010101";
/// Colours that people tell apart whatever they see, on white and on black.
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];
/// Length of strokes and gaps of each line; the first are drawn through.
const DASHES: [Option<(u32, u32)>; 4] = [None, Some((8, 4)), Some((3, 3)), Some((12, 3))];
/// What lies beyond these is no time and no count.
const SMALLEST: f64 = 1e-6;
const LARGEST: f64 = 1e12;
/// Beyond so many a chart says nothing.
const MOST_ROWS: usize = 60;

/// A chart could not be drawn.
#[derive(Debug, thiserror::Error)]
#[error("failed to draw the chart “{title}”: {why}")]
pub struct ChartError {
    title: String,
    why: String,
}

/// How an axis is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// In equal steps.
    Linear,
    /// Each step is ten times the one before; only what is above zero is shown.
    Logarithmic,
}

/// Lines over something.
#[derive(Clone, Debug)]
pub struct Lines {
    /// What it shows; for who cannot see it, too.
    pub title: String,
    /// What goes to the right, with its unit.
    pub x: String,
    /// How it is divided.
    pub scale: Scale,
    /// What goes up, with its unit.
    pub y: String,
    /// The lines, each with its name and points from left to right.
    pub lines: Vec<(String, Vec<(f64, f64)>)>,
    /// A limit across the chart, with its name.
    pub limit: Option<(String, f64)>,
}

/// Ratios with their intervals, one a row.
#[derive(Clone, Debug)]
pub struct Ratios {
    /// What it shows.
    pub title: String,
    /// What is divided by what.
    pub x: String,
    /// The rows from top to bottom.
    pub rows: Vec<RatioRow>,
}

/// A ratio.
#[derive(Clone, Debug)]
pub struct RatioRow {
    /// What of.
    pub name: String,
    /// The ratio; above zero.
    pub ratio: f64,
    /// Between what it lies.
    pub interval: Option<(f64, f64)>,
    /// What it should be at most.
    pub goal: Option<f64>,
    /// What it is drawn with.
    pub mark: Mark,
}

/// What the middle of a ratio is drawn with: colour alone says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A filled circle: it is as it should be, or nothing is asked of it.
    Good,
    /// A triangle: it is not.
    Bad,
    /// An empty circle: nobody can tell.
    Open,
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// Draws lines; for a page.
///
/// # Errors
/// When a number cannot be placed.
pub fn lines(chart: &Lines) -> Result<String, ChartError> {
    let shown: Vec<(&str, Vec<(f64, f64)>)> =
        chart.lines.iter().map(|(name, points)| (name.as_str(), sound(points, chart.scale))).collect();
    let all = || shown.iter().flat_map(|(_, points)| points.iter().copied());
    let limit = chart.limit.as_ref().map(|limit| limit.1).filter(|limit| (0.0..=LARGEST).contains(limit));
    let most = all().map(|point| point.1).chain(limit).fold(0.0, f64::max);
    let up = 0.0..if most > 0.0 { most * 1.05 } else { 1.0 };
    let (from, to) = all().fold((f64::MAX, f64::MIN), |(least, most), point| (least.min(point.0), most.max(point.0)));
    let (from, to) = match from.partial_cmp(&to) {
        Some(std::cmp::Ordering::Less) => (from, to),
        // One place only: it stands in the middle.
        Some(std::cmp::Ordering::Equal) if from > 0.0 => (from * 0.5, from * 1.5),
        _ => (0.5, 1.5),
    };
    drawn(&chart.title, HEIGHT, |area| {
        let (head, plot) = area.split_vertically(ROW);
        let names = shown.iter().map(|(name, _)| *name).chain(chart.limit.as_ref().map(|limit| limit.0.as_str()));
        legend(&head, &names.collect::<Vec<_>>(), shown.len())?;
        let mut builder = ChartBuilder::on(&plot);
        builder.margin(6).x_label_area_size(40).y_label_area_size(58);
        match chart.scale {
            Scale::Linear => plotted(&mut builder.build_cartesian_2d(0.0..to, up)?, chart, &shown, (0.0, to)),
            Scale::Logarithmic => {
                plotted(&mut builder.build_cartesian_2d((from..to).log_scale(), up)?, chart, &shown, (from, to))
            }
        }
    })
}

/// Draws ratios around 1 on a logarithmic axis; for a page. Beyond sixty the rest is left out.
///
/// # Errors
/// When a number cannot be placed.
pub fn ratios(chart: &Ratios) -> Result<String, ChartError> {
    let is_sound = |row: &&RatioRow| row.ratio.is_finite() && row.ratio > 0.0;
    let rows: Vec<&RatioRow> = chart.rows.iter().filter(is_sound).take(MOST_ROWS).collect();
    let ends = rows.iter().flat_map(|row| {
        let (low, high) = row.interval.unwrap_or((row.ratio, row.ratio));
        [low, high, row.ratio, row.goal.unwrap_or(1.0)]
    });
    let (from, to) = ends
        .filter(|end| *end > 0.0)
        .fold((0.9, 1.1), |(least, most): (f64, f64), end| (least.min(end), most.max(end)));
    let count = u32::try_from(rows.len()).unwrap_or(0);
    drawn(&chart.title, ROW * count + 60, |area| {
        let mut builder = ChartBuilder::on(area);
        builder.margin(6).x_label_area_size(40).y_label_area_size(280);
        let mut plot =
            builder.build_cartesian_2d((from * 0.9..to * 1.1).log_scale(), 0.0..f64::from(count).max(1.0))?;
        let mut mesh = plot.configure_mesh();
        mesh.disable_y_mesh().disable_y_axis().y_labels(0).x_desc(chart.x.as_str());
        mesh.bold_line_style(grid()).light_line_style(TRANSPARENT).axis_style(INK).label_style(letters()).draw()?;
        plot.draw_series([PathElement::new([(1.0, 0.0), (1.0, f64::from(count))], INK)])?;
        let mut height = f64::from(count) - 0.5;
        for row in rows {
            let (low, high) = row.interval.unwrap_or((row.ratio, row.ratio));
            let colour = COLOURS[usize::from(row.mark == Mark::Bad)];
            plot.draw_series([PathElement::new([(low, height), (high, height)], colour.stroke_width(2))])?;
            let middle = (row.ratio, height);
            match row.mark {
                Mark::Good => plot.draw_series([Circle::new(middle, 4, colour.filled())]).map(drop)?,
                Mark::Open => plot.draw_series([Circle::new(middle, 5, colour.stroke_width(2))]).map(drop)?,
                Mark::Bad => plot.draw_series([TriangleMarker::new(middle, 6, colour.filled())]).map(drop)?,
            }
            if let Some(goal) = row.goal {
                plot.draw_series([PathElement::new(
                    [(goal, height - 0.35), (goal, height + 0.35)],
                    INK.stroke_width(2),
                )])?;
            }
            let (_, y) = plot.backend_coord(&(row.ratio, height));
            area.draw(&Text::new(visible(&row.name), (8, y - 6), letters()))?;
            height -= 1.0;
        }
        Ok(())
    })
}

/// A chart as a file of its own: with a ground and letters for light and dark surroundings.
#[must_use]
pub fn standalone(chart: &str) -> String {
    match chart.find("</title>") {
        Some(title) => {
            let (head, rest) = chart.split_at(title + "</title>".len());
            format!("{head}<style>{STYLE}</style>{rest}")
        }
        None => chart.to_owned(),
    }
}

fn plotted<X: Ranged<ValueType = f64> + ValueFormatter<f64>>(
    plot: &mut ChartContext<'_, SVGBackend<'_>, Cartesian2d<X, RangedCoordf64>>,
    chart: &Lines,
    shown: &[(&str, Vec<(f64, f64)>)],
    (from, to): (f64, f64),
) -> Drawn {
    let mut mesh = plot.configure_mesh();
    mesh.bold_line_style(grid()).light_line_style(TRANSPARENT).axis_style(INK).label_style(letters());
    mesh.x_desc(chart.x.as_str()).y_desc(chart.y.as_str()).draw()?;
    for (number, (_, points)) in shown.iter().enumerate() {
        let style = COLOURS[number % COLOURS.len()].stroke_width(2);
        match DASHES[number % DASHES.len()] {
            None => plot.draw_series(LineSeries::new(points.iter().copied(), style)).map(drop)?,
            Some((stroke, gap)) => {
                plot.draw_series(DashedLineSeries::new(points.iter().copied(), stroke, gap, style)).map(drop)?;
            }
        }
    }
    if let Some((_, limit)) = &chart.limit {
        plot.draw_series([PathElement::new([(from, *limit), (to, *limit)], INK.stroke_width(1))])?;
    }
    Ok(())
}

/// What can be placed: numbers that are not below zero, and on a logarithmic axis those above it. At most a thousand of a line: more
/// are not told apart.
fn sound(points: &[(f64, f64)], scale: Scale) -> Vec<(f64, f64)> {
    let least = if scale == Scale::Linear { 0.0 } else { SMALLEST };
    let fits = |point: &&(f64, f64)| (least..=LARGEST).contains(&point.0) && (0.0..=LARGEST).contains(&point.1);
    let all: Vec<(f64, f64)> = points.iter().filter(fits).copied().collect();
    let each = all.len().div_ceil(1000).max(1);
    let last = all.len().saturating_sub(1);
    all.iter().enumerate().filter(|(at, _)| at % each == 0 || *at == last).map(|(_, point)| *point).collect()
}

/// Names above a plot, each behind a piece of its line.
fn legend(area: &Area<'_>, names: &[&str], lines: usize) -> Drawn {
    let mut x = 58;
    for (number, name) in names.iter().enumerate() {
        let is_limit = number >= lines;
        let style = if is_limit { INK.stroke_width(1) } else { COLOURS[number % COLOURS.len()].stroke_width(2) };
        let dashes = DASHES[number % DASHES.len()].filter(|_| !is_limit);
        let (stroke, gap) = dashes
            .map_or((22, 0), |(stroke, gap)| (i32::try_from(stroke).unwrap_or(22), i32::try_from(gap).unwrap_or(0)));
        let mut at = x;
        while at < x + 22 {
            area.draw(&PathElement::new([(at, 12), ((at + stroke).min(x + 22), 12)], style))?;
            at += stroke + gap;
        }
        let name = visible(name);
        area.draw(&Text::new(name.clone(), (x + 28, 6), letters()))?;
        x += 48 + 7 * i32::try_from(name.chars().count()).unwrap_or(0);
    }
    Ok(())
}

fn letters() -> TextStyle<'static> {
    ("sans-serif", 13).into_font().color(&INK)
}

fn grid() -> ShapeStyle {
    RGBColor(128, 128, 128).mix(0.25).stroke_width(1)
}

fn drawn(title: &str, height: u32, draw: impl FnOnce(&Area<'_>) -> Drawn) -> Result<String, ChartError> {
    let mut text = String::new();
    let failed =
        |error: DrawingAreaErrorKind<std::io::Error>| ChartError { title: title.to_owned(), why: error.to_string() };
    {
        let area = SVGBackend::with_string(&mut text, (WIDTH, height)).into_drawing_area();
        draw(&area).map_err(failed)?;
        area.present().map_err(failed)?;
    }
    let title = maud::html! { (visible(title)) }.into_string();
    let text = text.replacen("<svg ", &format!("<svg role=\"img\" aria-label=\"{title}\" "), 1);
    let (head, rest) = text.split_at(text.find('>').map_or(0, |end| end + 1));
    Ok(format!("{head}<title>{title}</title>{rest}").replace(INK_AS_WRITTEN, "currentColor"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn chart(scale: Scale, points: Vec<(f64, f64)>) -> Lines {
        Lines {
            title: "how long <things> took".to_owned(),
            x: "ms".to_owned(),
            scale,
            y: "share".to_owned(),
            lines: vec![("built\"in".to_owned(), points.clone()), ("<reference>".to_owned(), points)],
            limit: Some(("budget".to_owned(), 0.9)),
        }
    }

    fn is_well_formed(svg: &str) {
        let mut reader = quick_xml::Reader::from_str(svg);
        let mut last = None;
        while last != Some(quick_xml::events::Event::Eof) {
            last = Some(reader.read_event().unwrap_or_else(|error| panic!("{error} in {svg}")));
        }
    }

    #[test]
    fn lines_have_their_names_and_the_colour_of_the_page() {
        let svg =
            lines(&chart(Scale::Logarithmic, vec![(1.0, 0.0), (10.0, 0.5), (1000.0, 1.0)])).expect("it can be drawn");
        is_well_formed(&svg);
        for part in ["how long &lt;things&gt; took", "&lt;reference&gt;", "budget", "currentColor", "polyline"] {
            assert!(svg.contains(part), "{part}: {svg}");
        }
        assert!(!svg.contains(INK_AS_WRITTEN));
        let alone = standalone(&svg);
        is_well_formed(&alone);
        assert!(alone.contains("prefers-color-scheme: dark") && !svg.contains("<style>"));
        assert!(alone.contains("<title>how long &lt;things&gt; took</title><style>"), "{alone}");
    }

    #[test]
    fn a_goal_that_is_missed_or_cannot_be_told_has_another_shape() {
        let row = |ratio, mark| RatioRow {
            name: "makespan".to_owned(),
            ratio,
            interval: Some((ratio * 0.9, ratio * 1.1)),
            goal: Some(1.0),
            mark,
        };
        let of = |rows| {
            ratios(&Ratios { title: "A/B".to_owned(), x: "head over base".to_owned(), rows }).expect("it can be drawn")
        };
        let met = of(vec![row(0.8, Mark::Good)]);
        assert!(met.contains("<circle") && !met.contains("<polygon"), "{met}");
        let missed = of(vec![row(1.2, Mark::Bad)]);
        assert!(missed.contains("<polygon") && !missed.contains("<circle"), "{missed}");
        let (filled, open) = (of(vec![row(0.95, Mark::Good)]), of(vec![row(0.95, Mark::Open)]));
        assert!(open.contains("<circle") && !open.contains("<polygon") && open != filled, "{open}");
    }

    proptest! {
        #[test]
        fn whatever_the_numbers_are_there_is_a_chart(
            odd in prop::collection::vec((prop::num::f64::ANY, prop::num::f64::ANY), 0..8),
            usual in prop::collection::vec((0.0_f64..1e6, 0.0_f64..1e4), 0..40),
            logarithmic in any::<bool>(),
        ) {
            let scale = if logarithmic { Scale::Logarithmic } else { Scale::Linear };
            let svg = lines(&chart(scale, odd.into_iter().chain(usual).collect())).expect("it can be drawn");
            prop_assert!(svg.starts_with("<svg role") && svg.trim_end().ends_with("</svg>"));
        }
    }
}
