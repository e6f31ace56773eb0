//! What something holds on the heap for as long as it lives, in bytes per object.

use std::any::Any;
use std::fmt;
use std::io::Write;

use stats_alloc::Region;

use crate::table::ALLOCATOR;

/// Makes something that is full of objects.
type Make = Box<dyn FnOnce() -> Box<dyn Any>>;

/// The same objects, held in two ways.
pub struct Held {
    name: String,
    objects: usize,
    ours: Make,
    naive: Make,
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Held").field("name", &self.name).field("objects", &self.objects).finish_non_exhaustive()
    }
}

/// So many objects, held our way and in the naive one.
pub fn held<A: 'static, B: 'static>(
    name: &str,
    objects: usize,
    ours: impl FnOnce() -> A + 'static,
    naive: impl FnOnce() -> B + 'static,
) -> Held {
    Held {
        name: name.to_owned(),
        objects,
        ours: Box::new(move || Box::new(ours())),
        naive: Box::new(move || Box::new(naive())),
    }
}

/// Fills both and prints a table of the bytes per object to stdout. The profile of the build does not change them.
pub fn print_held(rows: Vec<Held>) {
    let mut out = std::io::stdout().lock();
    let mut say = |line: String| {
        let _ = writeln!(out, "{line}");
    };
    say("| held on the heap, bytes per object | objects | ours | naive | ratio |".to_owned());
    say("| --- | --- | --- | --- | --- |".to_owned());
    for Held { name, objects, ours, naive } in rows {
        let (ours, naive) = (per_object(ours, objects), per_object(naive, objects));
        let ratio = ours as f64 / naive as f64;
        say(format!("| {name} | {objects} | {ours} | {naive} | {ratio:.3} |"));
    }
}

fn per_object(make: Make, objects: usize) -> usize {
    let region = Region::new(ALLOCATOR);
    let made = make();
    let change = region.change();
    drop(made);
    change.bytes_allocated.saturating_sub(change.bytes_deallocated) / objects.max(1)
}
