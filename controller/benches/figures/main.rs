//! `cargo bench -p jobsworth-controller --bench figures`: what the queue and the bucket cost in one table, what pods hold in
//! another.

mod memory;
mod naive;
mod scenes;

fn main() {
    jobsworth_figures::print_held(memory::all());
    jobsworth_figures::print(scenes::all());
}
