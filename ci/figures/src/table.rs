//! Measuring, and the table.

use std::alloc::System;
use std::io::Write;
use std::time::{Duration, Instant};

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

use crate::Sides;

#[global_allocator]
pub(crate) static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// How long each side is measured.
const MEASURED_FOR: Duration = Duration::from_millis(400);
/// And how often at least: on a busy machine most runs are interrupted.
const RUNS_AT_LEAST: u32 = 20;

struct Figure {
    least: Duration,
    allocations: usize,
    bytes: usize,
}

/// The least time of one run out of many, and what one run allocates.
fn figure(work: &mut dyn FnMut()) -> Figure {
    work();
    let region = Region::new(ALLOCATOR);
    work();
    let change = region.change();
    let start = Instant::now();
    let mut least = Duration::MAX;
    let (mut batch, mut runs) = (1u32, 0);
    while runs < RUNS_AT_LEAST || start.elapsed() < MEASURED_FOR {
        runs += 1;
        let begun = Instant::now();
        (0..batch).for_each(|_| work());
        let took = begun.elapsed();
        least = least.min(took / batch);
        // Long enough for the clock.
        if took < Duration::from_micros(20) {
            batch *= 2;
        }
    }
    Figure { least, allocations: change.allocations + change.reallocations, bytes: change.bytes_allocated }
}

fn time(time: Duration) -> String {
    match time.as_nanos() {
        nanos @ 0..10_000 => format!("{nanos} ns"),
        nanos => format!("{:.1} µs", nanos as f64 / 1000.0),
    }
}

/// Measures every row and prints the table, row by row, to stdout.
pub fn print(rows: Vec<(String, Sides)>) {
    let mut out = std::io::stdout().lock();
    let mut say = |line: String| {
        let _ = writeln!(out, "{line}");
    };
    say("| row | ours | naive | ratio | allocations ours | bytes ours | allocations naive |".to_owned());
    say("| --- | --- | --- | --- | --- | --- | --- |".to_owned());
    for (row, Sides { mut ours, naive }) in rows {
        let ours = figure(&mut ours);
        let (other, ratio, allocations) = match naive {
            None => ("-".to_owned(), "-".to_owned(), "-".to_owned()),
            Some(mut naive) => {
                let naive = figure(&mut naive);
                let ratio = ours.least.as_secs_f64() / naive.least.as_secs_f64();
                (time(naive.least), format!("{ratio:.3}"), naive.allocations.to_string())
            }
        };
        let (mine, bytes) = (time(ours.least), ours.bytes);
        say(format!("| {row} | {mine} | {other} | {ratio} | {} | {bytes} | {allocations} |", ours.allocations));
    }
}
