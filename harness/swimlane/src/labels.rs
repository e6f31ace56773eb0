//! Words over marks, none written over another.

use crate::plain::fitted;

/// Mean width of a character of the small text.
pub(crate) const CHARACTER: u32 = 6;

/// The words of marks at one place.
pub(crate) fn label(labels: &[&str]) -> String {
    format!("✖ {}", fitted(&labels.join(", "), 30))
}

/// How wide they are.
pub(crate) fn wide(text: &str) -> u32 {
    u32::try_from(text.chars().count()).unwrap_or(0) * (CHARACTER + 2)
}

/// Labels of places so near to each other that they would be written over each other become one, at the first of them.
pub(crate) fn apart(places: Vec<(u32, Vec<&str>)>) -> Vec<(u32, Vec<&str>)> {
    let mut kept: Vec<(u32, Vec<&str>)> = Vec::new();
    for (x, labels) in places {
        let half = wide(&label(&labels)) / 2;
        match kept.last_mut().filter(|(before, others)| x < before + half + wide(&label(others)) / 2) {
            Some((_, others)) => {
                for label in labels {
                    if !others.contains(&label) {
                        others.push(label);
                    }
                }
            }
            None => kept.push((x, labels)),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_marks_are_not_written_over_each_other() {
        let places = vec![(600, vec!["claim"]), (940, vec!["claim"]), (945, vec!["S26"]), (948, vec!["claim"])];
        assert_eq!(apart(places), [(600, vec!["claim"]), (940, vec!["claim", "S26"])]);
    }
}
