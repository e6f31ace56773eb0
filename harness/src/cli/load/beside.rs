//! What is written beside a record: a page, a summary, and the pictures as files of their own.

use crate::{
    cli::Failure,
    load::{answer, comparison::Comparison, page, pictures, summary},
    report::{chart, store},
    slo::objective::Objective,
};
use std::path::Path;

/// Refuses names that what is written beside a record has.
///
/// # Errors
/// When the record would have one of them.
pub(in crate::cli) fn is_for_a_record(out: &Path) -> Result<(), Failure> {
    let Some(taken) = out.extension().filter(|it| *it == "html" || *it == "md") else { return Ok(()) };
    let says = format!("failed to use {} for the record of a load: it is JSON", out.display());
    let help = format!("give it another ending: the {} is written beside it", taken.display());
    Err(Failure::misuse_with(says, help))
}

/// Writes `load.html`, `load.md` and `load-charts/` beside `load.json`, or whatever it is called; what was written.
///
/// # Errors
/// When a picture cannot be drawn or a file cannot be written.
pub(super) fn write(record: &Comparison, objectives: &[Objective], out: &Path) -> Result<Vec<String>, Failure> {
    let pictures = pictures::all(record).map_err(|error| Failure::undecided(error.to_string()))?;
    let findings = answer::all(objectives, record, None);
    let (page, text) = (out.with_extension("html"), out.with_extension("md"));
    store::write_whole(&page, page::render(record, &pictures, &findings).as_bytes())?;
    store::write_whole(&text, summary::render(record, &findings).as_bytes())?;
    let stem = out.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let folder = out.with_file_name(format!("{stem}-charts"));
    let mut written = vec![out.display().to_string(), page.display().to_string(), text.display().to_string()];
    if !pictures.is_empty() {
        let failed = |error| Failure::undecided(format!("failed to make {}: {error}", folder.display()));
        std::fs::create_dir_all(&folder).map_err(failed)?;
        for picture in &pictures {
            let file = folder.join(format!("{}-{}.svg", picture.workload, picture.name));
            store::write_whole(&file, chart::standalone(&picture.svg).as_bytes())?;
        }
        written.push(format!("{}/", folder.display()));
    }
    Ok(written)
}
