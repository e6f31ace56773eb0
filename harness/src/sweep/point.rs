//! One point of a sweep: a case, a write of it, and what happens there.

use super::baseline::End;
use crate::{
    case::{About, AnyCase, Case, FaultNeeds, Needs},
    scene::{Mishap, Moment, Scene, Stop, any_write},
};
use jobsworth_oracle::{Expectations, property::eventually, vocabulary::job_named};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt};

/// What happens at a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// The controller is killed before it is applied, and started again.
    KilledBefore,
    /// The controller is killed after it was applied, and started again.
    KilledAfter,
    /// It is applied, and the controller hears nothing.
    AnswerLost,
    /// It is refused with 503.
    Refused,
}

impl Fate {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 4] = [Self::KilledBefore, Self::KilledAfter, Self::AnswerLost, Self::Refused];

    const fn kills(self) -> bool {
        matches!(self, Self::KilledBefore | Self::KilledAfter)
    }
}

impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::KilledBefore => "killed before",
            Self::KilledAfter => "killed after",
            Self::AnswerLost => "answer lost",
            Self::Refused => "refused with 503",
        })
    }
}

/// A case with something happening at one of the controller's writes.
pub struct Point {
    id: &'static str,
    case: &'static dyn AnyCase,
    write: u32,
    fate: Fate,
    ends: BTreeMap<String, End>,
}

impl Point {
    /// The point at this write, counted from 1. It lives as long as the program: plans hold cases for good.
    #[must_use]
    pub fn new(case: &'static dyn AnyCase, write: u32, fate: Fate, ends: BTreeMap<String, End>) -> &'static Self {
        let fate_in_id = fate.to_string().replace(' ', "-");
        let id = format!("{}-{fate_in_id}-at-write-{write}", case.about().id);
        Box::leak(Box::new(Self { id: id.leak(), case, write, fate, ends }))
    }

    /// Its id, unique in a sweep.
    #[must_use]
    pub const fn id(&self) -> &'static str {
        self.id
    }

    /// Id of the case that it is made of.
    #[must_use]
    pub fn case_id(&self) -> &'static str {
        self.case.about().id
    }

    /// Which write, counted from 1.
    #[must_use]
    pub const fn write(&self) -> u32 {
        self.write
    }

    /// What happens there.
    #[must_use]
    pub const fn fate(&self) -> Fate {
        self.fate
    }
}

impl Case for Point {
    fn about(&self) -> About {
        let inner = self.case.about();
        let restarts_subject = inner.needs.restarts_subject || self.fate.kills();
        let needs = Needs { restarts_subject, faults: FaultNeeds::OwnRequests, ..inner.needs };
        About { id: self.id, needs, ..inner }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let matcher = any_write().from_number(self.write);
        match self.fate {
            Fate::KilledBefore => scene.wire().kills(matcher, Moment::Before).await?,
            Fate::KilledAfter => scene.wire().kills(matcher, Moment::After).await?,
            Fate::AnswerLost => drop(scene.wire().meets(matcher, Mishap::AnswerLost).await?),
            Fate::Refused => drop(scene.wire().meets(matcher, Mishap::refused(503)).await?),
        }
        self.case.script(scene).await
    }

    /// What a case claims of times and orders may not hold where its controller was killed. How its Jobs end does.
    fn expects(&self) -> Expectations {
        self.ends.iter().fold(Expectations::new(), |all, (name, end)| match end {
            End::With(kind) => all.and(format!("Job {name} ends {kind}"), eventually(job_named(name).has(*kind))),
            End::Gone => all.and(format!("Job {name} goes"), eventually(job_named(name).is_gone())),
        })
    }
}
