//! Where chance comes from: a seed, or a list of choices that is gone through again and made smaller.
//!
//! The choice 0 is always the dullest one: a list that is at its end goes on with it, so shorter lists and smaller numbers make
//! simpler histories.

/// A stream of choices, each of which is kept.
pub struct Choices {
    source: Source,
    /// What was chosen so far.
    pub taken: Vec<u32>,
}

enum Source {
    Seed(u64),
    List(std::vec::IntoIter<u32>),
}

impl Choices {
    pub fn of_seed(seed: u64) -> Self {
        Self { source: Source::Seed(seed), taken: Vec::new() }
    }

    pub fn again(list: Vec<u32>) -> Self {
        Self { source: Source::List(list.into_iter()), taken: Vec::new() }
    }

    /// One of 0 to `count`, the last excluded.
    pub fn below(&mut self, count: u32) -> u32 {
        if count <= 1 {
            return 0;
        }
        let chosen = match &mut self.source {
            Source::Seed(state) => u32::try_from(next(state) >> 33).unwrap_or(0) % count,
            Source::List(list) => list.next().unwrap_or(0) % count,
        };
        self.taken.push(chosen);
        chosen
    }

    /// Whether something happens that happens so often in a hundred times.
    pub fn percent(&mut self, often: u32) -> bool {
        self.below(100) + often >= 100
    }

    /// One of these, the dullest first.
    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(u32::try_from(of.len()).unwrap_or(u32::MAX)) as usize]
    }

    /// An order of these; the dullest is the one that they have.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for place in 0..items.len().saturating_sub(1) {
            let left = u32::try_from(items.len() - place).unwrap_or(u32::MAX);
            items.swap(place, place + self.below(left) as usize);
        }
    }
}

/// Splitmix64: neighbouring seeds have nothing in common.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
