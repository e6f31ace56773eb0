//! `cargo bench -p jobsworth-core --bench figures`: what decisions cost, in one table. For trends and confidence intervals:
//! `--bench decisions`.

#[path = "../decisions/naive.rs"]
mod naive;
#[path = "../decisions/scenes.rs"]
mod scenes;

fn main() {
    jobsworth_figures::print(scenes::all());
}
