//! What decisions cost, each next to a frozen naive implementation: compare `ours` with `naive`, and 10^5 with 10^4.

mod naive;
mod scenes;

use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use jobsworth_figures::Sides;

fn all(bench: &mut Criterion) {
    for (row, Sides { mut ours, naive }) in scenes::all() {
        let mut group = bench.benchmark_group(row);
        group.bench_function("ours", |b| b.iter(&mut ours));
        if let Some(mut naive) = naive {
            group.bench_function("naive", |b| b.iter(&mut naive));
        }
        group.finish();
    }
}

fn brief() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(800))
        .without_plots()
}

criterion_group! { name = decisions; config = brief(); targets = all }
criterion_main!(decisions);
