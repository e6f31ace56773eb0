//! What was claimed of each case, from `verdicts.json`: read turn by turn, since ten thousand of them say the same.

use super::wire::{ClaimChange, OnlyIn};
use crate::report::{
    ReportError,
    schema::{CaseRecord, Failure, Run, Verdict, verdicts::VERDICTS},
    stored,
};
use serde::{
    Deserialize, Deserializer,
    de::{SeqAccess, Visitor},
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt, fs,
    path::Path,
};

/// What the controller did to itself is no claim of a program's; it counts whatever the program knows.
const CONTROLLER: &str = "controller";

/// The claims of each case and cell, and the verdicts that came of them.
#[derive(Debug, Default)]
pub struct Claims {
    made: HashMap<(String, String), BTreeSet<Claim>>,
    verdicts: HashMap<(String, String, u32), Verdict>,
}

/// A claim or invariant. An invariant is the same in other words, a claim is not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Claim {
    source: String,
    says: String,
}

impl Claim {
    fn key(&self) -> (&str, &str) {
        let words = if self.source == "claim" { self.says.as_str() } else { "" };
        (&self.source, words)
    }
}

#[derive(Deserialize)]
struct File {
    run: String,
    #[serde(deserialize_with = "folded")]
    cases: Claims,
}

#[derive(Deserialize)]
struct Judged {
    cell: String,
    case: String,
    attempt: u32,
    verdict: Verdict,
    sentences: Vec<Said>,
}

#[derive(Deserialize)]
struct Said {
    source: String,
    says: String,
}

impl Claims {
    /// Reads `verdicts.json` of a run's folder; nothing where there is none.
    ///
    /// # Errors
    /// When it is cut off, of another schema, or of another run.
    pub fn read(folder: &Path, run: &Run) -> Result<Option<Self>, ReportError> {
        let path = folder.join("verdicts.json");
        if fs::metadata(&path).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
            return Ok(None);
        }
        let file: File = stored::of_schema(&path, VERDICTS)?;
        if file.run != run.id {
            let why = "it is of another run than the run.json beside it".to_owned();
            return Err(ReportError::Unreadable { path, why });
        }
        Ok(Some(file.cases))
    }

    /// How many turns have another verdict here than in the run: it was judged again since, or edited.
    pub fn disagreeing(&self, run: &Run) -> usize {
        let other = |case: &&CaseRecord| {
            let found = self.verdicts.get(&(case.cell.clone(), case.case.clone(), case.attempt));
            found.is_some_and(|found| *found != case.verdict)
        };
        run.cases.iter().filter(other).count()
    }

    fn of(&self, cell: &str, case: &str) -> Option<&BTreeSet<Claim>> {
        self.made.get(&(cell.to_owned(), case.to_owned()))
    }

    /// Whether this program made the claim that a failure is of; true where it is not known.
    pub fn knows(&self, cell: &str, case: &str, failure: &Failure) -> bool {
        let broken = Claim { source: failure.source.0.clone(), says: failure.says.clone() };
        broken.source == CONTROLLER
            || self.of(cell, case).is_none_or(|made| made.iter().any(|claim| claim.key() == broken.key()))
    }

    fn take(&mut self, judged: Judged) {
        let place = (judged.cell, judged.case);
        self.verdicts.insert((place.0.clone(), place.1.clone(), judged.attempt), judged.verdict);
        let made = self.made.entry(place).or_default();
        for Said { source, says } in judged.sentences {
            let claim = Claim { source, says };
            if claim.source != CONTROLLER && !made.contains(&claim) {
                made.insert(claim);
            }
        }
    }
}

fn folded<'de, D: Deserializer<'de>>(from: D) -> Result<Claims, D::Error> {
    struct Fold;
    impl<'de> Visitor<'de> for Fold {
        type Value = Claims;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of judged cases")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut cases: A) -> Result<Claims, A::Error> {
            let mut claims = Claims::default();
            while let Some(judged) = cases.next_element()? {
                claims.take(judged);
            }
            Ok(claims)
        }
    }
    from.deserialize_seq(Fold)
}

/// The claims that only one of the programs made, over all cases of the given cells that both judged.
pub fn changes<'c>(
    base: &Claims,
    head: &Claims,
    cells: impl IntoIterator<Item = (&'c str, &'c str)>,
) -> Vec<ClaimChange> {
    let mut found: BTreeMap<(OnlyIn, Claim), BTreeSet<String>> = BTreeMap::new();
    let cells: HashMap<&str, &str> = cells.into_iter().collect();
    for ((cell, case), old) in &base.made {
        let Some(new) = cells.get(cell.as_str()).and_then(|cell| head.of(cell, case)) else { continue };
        for (only, here, there) in [(OnlyIn::Base, old, new), (OnlyIn::Head, new, old)] {
            let known: BTreeSet<(&str, &str)> = there.iter().map(Claim::key).collect();
            for claim in here.iter().filter(|claim| !known.contains(&claim.key())) {
                found.entry((only, claim.clone())).or_default().insert(case.clone());
            }
        }
    }
    let change = |((only, claim), cases): ((OnlyIn, Claim), BTreeSet<String>)| ClaimChange {
        only,
        source: claim.source,
        says: claim.says,
        cases: cases.into_iter().collect(),
    };
    found.into_iter().map(change).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::schema::sample;
    use serde_json::json;

    /// `verdicts.json` of one case with these sentences, read.
    fn read(sentences: &[(&str, &str)]) -> Claims {
        let folder = tempfile::tempdir().unwrap();
        let run = sample::empty();
        let sentences: Vec<_> =
            sentences.iter().map(|(source, says)| json!({"source": source, "says": says, "check": "held"})).collect();
        let case = json!({"cell": "a", "case": "ttl/zero", "attempt": 1, "verdict": "pass", "sentences": sentences, "doubts": []});
        let file = json!({"schema": VERDICTS, "run": run.id, "cases": [case.clone(), case]});
        fs::write(folder.path().join("verdicts.json"), file.to_string()).unwrap();
        Claims::read(folder.path(), &run).unwrap().unwrap()
    }

    fn failure(source: &str, says: &str) -> Failure {
        let mut failure = sample::nasty().cases.pop().unwrap().failures.remove(0);
        failure.source.0 = source.to_owned();
        failure.says = says.to_owned();
        failure
    }

    #[test]
    fn a_claim_is_known_by_its_words_and_an_invariant_by_its_number() {
        let claims = read(&[("claim", "it ends"), ("S07", "never both")]);
        let knows = |source, says| claims.knows("a", "ttl/zero", &failure(source, says));
        assert!(knows("claim", "it ends") && !knows("claim", "it ends soon"));
        assert!(knows("S07", "never both, in other words") && !knows("S40", "never both"));
        assert!(knows("controller", "it ended by itself"), "no program has to know that");
        assert!(claims.knows("a", "ttl/another", &failure("S40", "any")), "of what was not judged nothing is known");
    }

    #[test]
    fn what_only_one_of_them_claims_is_listed_once_with_its_cases() {
        let (base, head) =
            (read(&[("claim", "old"), ("S07", "a")]), read(&[("claim", "new"), ("S07", "b"), ("S40", "c")]));
        let found = changes(&base, &head, [("a", "a")]);
        let told: Vec<_> =
            found.iter().map(|it| (it.only, it.source.as_str(), it.says.as_str(), it.cases.len())).collect();
        assert_eq!(
            told,
            [(OnlyIn::Head, "S40", "c", 1), (OnlyIn::Head, "claim", "new", 1), (OnlyIn::Base, "claim", "old", 1)]
        );
    }

    #[test]
    fn verdicts_of_another_run_are_refused_and_none_are_none() {
        let folder = tempfile::tempdir().unwrap();
        let run = sample::empty();
        assert!(Claims::read(folder.path(), &run).unwrap().is_none());
        let write = |text: String| fs::write(folder.path().join("verdicts.json"), text).unwrap();
        write(json!({"schema": VERDICTS, "run": "another", "cases": []}).to_string());
        assert!(Claims::read(folder.path(), &run).unwrap_err().to_string().contains("another run"));
        write(format!("{{\"schema\": \"{VERDICTS}\", \"run\": \"{}\", \"cases\": [", run.id));
        assert!(Claims::read(folder.path(), &run).unwrap_err().to_string().contains("cut off"));
    }
}
