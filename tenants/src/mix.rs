//! Who comes: kinds of tenants with weights, and how many of each there are among so many.

use std::fmt;
use std::str::FromStr;

/// The usual mix: most people submit small Jobs, some look, few change, and one of twenty has a large one.
pub const USUAL: &str = "batch-user=12,dashboard=4,queue-manager=2,editor=1,large-job=1";
/// The largest weight.
const HEAVIEST: u64 = 1000;

/// What a tenant is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Submits small Jobs and waits for each.
    BatchUser,
    /// Lists Jobs and pods.
    Dashboard,
    /// Suspends and resumes Jobs.
    QueueManager,
    /// Changes Jobs that are there.
    Editor,
    /// Submits a Job of hundreds of pods each minute.
    LargeJob,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::BatchUser, Self::Dashboard, Self::QueueManager, Self::Editor, Self::LargeJob];

    /// Its name.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::BatchUser => "batch-user",
            Self::Dashboard => "dashboard",
            Self::QueueManager => "queue-manager",
            Self::Editor => "editor",
            Self::LargeJob => "large-job",
        }
    }

    fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// Kinds with their weights, each kind once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mix(Vec<(Kind, u64)>);

impl FromStr for Mix {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut all: Vec<(Kind, u64)> = Vec::new();
        for part in text.split(',') {
            let (word, weight) = part.split_once('=').ok_or_else(|| format!("`{part}` is not KIND=WEIGHT"))?;
            let kind = Kind::named(word.trim()).ok_or_else(|| {
                let known = Kind::ALL.map(Kind::word).join(", ");
                format!("there is no kind `{word}`; there are {known}")
            })?;
            if all.iter().any(|(other, _)| *other == kind) {
                return Err(format!("`{kind}` is there twice"));
            }
            let weight = weight.trim().parse::<u64>().ok().filter(|weight| (1..=HEAVIEST).contains(weight));
            let weight = weight.ok_or_else(|| format!("the weight of `{kind}` is not from 1 to {HEAVIEST}"))?;
            all.push((kind, weight));
        }
        Ok(Self(all))
    }
}

impl Mix {
    /// How many there are of each kind among so many: each has its share rounded down, and what is left goes to the largest
    /// remainders, of equal ones to the first. Kinds of which there is nobody are left out.
    #[must_use]
    pub fn shares(&self, users: u32) -> Vec<(Kind, u32)> {
        let total: u64 = self.0.iter().map(|(_, weight)| weight).sum();
        let whole = |weight: u64| u32::try_from(u64::from(users) * weight / total.max(1)).unwrap_or(users);
        let mut shares: Vec<(Kind, u32)> = self.0.iter().map(|&(kind, weight)| (kind, whole(weight))).collect();
        let mut open: Vec<(usize, u64)> =
            self.0.iter().map(|(_, weight)| u64::from(users) * weight % total.max(1)).enumerate().collect();
        // Stable, so the first of equal ones stays the first.
        open.sort_by_key(|&(_, remainder)| std::cmp::Reverse(remainder));
        let given: u32 = shares.iter().map(|(_, count)| count).sum();
        for (at, _) in open.into_iter().take(users.saturating_sub(given) as usize) {
            if let Some((_, count)) = shares.get_mut(at) {
                *count += 1;
            }
        }
        shares.retain(|(_, count)| *count > 0);
        shares
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::Kind::{BatchUser, Dashboard, Editor, LargeJob, QueueManager};
    use super::*;

    #[rstest]
    #[case::one_submits(1, &[(BatchUser, 1)])]
    #[case::of_three_one_looks(3, &[(BatchUser, 2), (Dashboard, 1)])]
    #[case::of_eight_one_has_a_queue(8, &[(BatchUser, 5), (Dashboard, 2), (QueueManager, 1)])]
    #[case::of_twenty_there_is_everybody(20, &[(BatchUser, 12), (Dashboard, 4), (QueueManager, 2), (Editor, 1), (LargeJob, 1)])]
    fn the_usual_mix_has_its_shares(#[case] users: u32, #[case] shares: &[(Kind, u32)]) {
        let mix: Mix = USUAL.parse().expect("it is good");
        assert_eq!(mix.shares(users), shares);
    }

    #[test]
    fn nobody_is_lost_whatever_the_weights_are() {
        let mix: Mix = "batch-user=7,dashboard=5,editor=3".parse().expect("it is good");
        for users in 1..=200 {
            assert_eq!(mix.shares(users).iter().map(|(_, count)| count).sum::<u32>(), users);
        }
    }

    #[rstest]
    #[case::nothing("", "is not KIND=WEIGHT")]
    #[case::no_weight("editor", "is not KIND=WEIGHT")]
    #[case::nobody("editor=0", "not from 1 to 1000")]
    #[case::far_too_many("editor=1001", "not from 1 to 1000")]
    #[case::unknown("robot=1", "there are batch-user, dashboard")]
    #[case::twice("editor=1,editor=2", "twice")]
    fn a_mix_that_makes_no_sense_is_refused_with_the_reason(#[case] text: &str, #[case] says: &str) {
        let refused = text.parse::<Mix>().expect_err("it is refused");
        assert!(refused.contains(says), "{refused}");
    }
}
