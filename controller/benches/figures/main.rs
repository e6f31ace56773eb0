//! `cargo bench -p jobsworth-controller --bench figures`: what the queue and the bucket cost, in one table.

mod naive;
mod scenes;

fn main() {
    jobsworth_figures::print(scenes::all());
}
