//! A comparison of records of `load` for people: what differs, what is worse, what is better, and how sure that is.

use super::wire::{FigureChange, LoadComparison, Machine, Of, Word};
use crate::{
    compare::{
        Told,
        markdown::{Page, heading},
        words::{counted, verdict},
    },
    report::{
        console::Paint,
        escape::{markdown, terminal},
    },
};
use std::fmt::Write as _;

impl Told for LoadComparison {
    fn text(&self, paint: Paint) -> String {
        let mut text = String::new();
        for (word, side) in [("BASE", &self.base), ("HEAD", &self.head)] {
            let (controller, yardstick) = (terminal(&side.controller), terminal(&side.yardstick));
            let started = terminal(&side.started);
            let _ = writeln!(
                text,
                "{word:<10}{started}  {controller} against {yardstick}, Kubernetes {}",
                terminal(&side.kubernetes)
            );
        }
        for (position, row) in self.differences.iter().enumerate() {
            let word = if position == 0 { "differs" } else { "" };
            let (about, base, head) = (terminal(&row.about), terminal(&row.base), terminal(&row.head));
            let _ = writeln!(text, "{word:<10}{about}: {base} → {head}");
        }
        for caution in self.notes() {
            let _ = writeln!(text, "{:<10}{}", "note", terminal(&caution));
        }
        text.push('\n');
        for figure in self.figures.iter().filter(|figure| matches!(figure.word, Word::Worse | Word::Better)) {
            let word = match figure.word {
                _ if figure.regression => paint.bad("WORSE"),
                Word::Better => paint.good("BETTER"),
                _ => paint.dim("also"),
            };
            let _ = writeln!(text, "{word} {}", terminal(&self.figure(figure)));
        }
        let count = |word| self.figures.iter().filter(|figure| figure.word == word).count();
        let (alike, few) = (count(Word::Alike), count(Word::TooFew));
        let _ = writeln!(
            text,
            "{} alike, {few} with too few samples (level {}, at least {} %; {})",
            counted(alike, "figure"),
            self.level,
            self.percent,
            self.test
        );
        text + &format!("\n{}\n", verdict(self.regressions, paint))
    }

    fn markdown(&self) -> String {
        let mut page = Page::default();
        page.add(&heading(self.regressions));
        page.differences(&self.differences);
        for note in self.notes() {
            page.add(&format!("\n> {}\n", markdown(&note)));
        }
        page.add("\n| | workload | figure | of | BASE | HEAD | p |\n|---|---|---|---|--:|--:|--:|\n");
        for figure in self.figures.iter().filter(|figure| matches!(figure.word, Word::Worse | Word::Better)) {
            let sign = match figure.word {
                _ if figure.regression => "❌ worse",
                Word::Better => "better",
                _ => "worse",
            };
            let (workload, name, of) = (markdown(&figure.workload), markdown(&figure.figure), self.of(figure.of));
            let (base, head, chance) = (number(figure.base), number(figure.head), figure.chance);
            page.add(&format!(
                "| {sign} | {workload} | {name} | {} | {base} | {head} | {chance:.4} |\n",
                markdown(&of)
            ));
        }
        page.add(&format!("\n{}\n", markdown(&self.test)));
        page.close()
    }

    fn regressions(&self) -> usize {
        self.regressions
    }
}

impl LoadComparison {
    /// What a reader must know before the figures.
    fn notes(&self) -> Vec<String> {
        let mut notes = self.cautions.clone();
        if self.machine == Machine::Other {
            notes.push("the machines are not the same: only ratios are compared".to_owned());
        }
        if let Some(pairs) = self.pairs_needed {
            notes.push(format!(
                "so few pairs allow no statement at level {}: {pairs} in each record do (--pairs {pairs})",
                self.level
            ));
        }
        let both = |figure: &&FigureChange| figure.of == Of::Yardstick && figure.word == Word::Worse;
        let slower = self.figures.iter().filter(both).count();
        if slower > 0 {
            let name = &self.head.yardstick;
            let slower = counted(slower, "figure");
            notes.push(format!("worse of {name} too, which is only measured with: {slower}; the machine was slower"));
        }
        notes
    }

    fn of(&self, of: Of) -> String {
        match of {
            Of::Ratio => "ratio".to_owned(),
            Of::Controller => self.head.controller.clone(),
            Of::Yardstick => self.head.yardstick.clone(),
        }
    }

    fn figure(&self, figure: &FigureChange) -> String {
        let FigureChange { workload, figure: name, base_samples, head_samples, chance, .. } = figure;
        let (of, base, head) = (self.of(figure.of), number(figure.base), number(figure.head));
        format!(
            "{workload} {name} of {of}: median {base} of {base_samples} → {head} of {head_samples} (p = {chance:.4})"
        )
    }
}

fn number(value: f64) -> String {
    if value.abs() >= 100.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}
