//! Whether the audit log has every request. Of a line that it could not write the API server lets the request pass all the same: a full disk
//! would make a controller look frugal.

use super::TrialGround;
use crate::cluster::Component;
use crate::load::{Trouble, scraped};

impl TrialGround<'_> {
    /// How many lines the API server could not write so far, by its own count; nothing where its audit log is not ours.
    ///
    /// # Errors
    /// When it does not tell.
    pub(super) async fn unwritten(&self) -> Result<Option<f64>, Trouble> {
        if self.processes.is_none() {
            return Ok(None);
        }
        let said = self.cluster.metrics(Component::ApiServer).await;
        let said = said.map_err(|error| Trouble::of("tell whether the audit log is whole", &error))?;
        // What has never failed is not shown.
        Ok(Some(scraped::sum(&said, "apiserver_audit_error_total", |_| true).unwrap_or_default()))
    }

    /// Whether all lines were written since so many were not; `torn` were written in part.
    ///
    /// # Errors
    /// When some were not, or it cannot be told.
    pub(super) async fn without_gaps(&self, before: Option<f64>, torn: u64) -> Result<(), Trouble> {
        let lost = before.zip(self.unwritten().await?).map_or(0.0, |(before, after)| after - before);
        gaps(lost, torn).map_or(Ok(()), |says| Err(Trouble::new(says)))
    }
}

/// What is wrong with a log of which so many lines are missing, and so many were written in part.
fn gaps(lost: f64, torn: u64) -> Option<String> {
    (lost > 0.0 || torn > 0).then(|| {
        format!(
            "the audit log is not whole ({lost:.0} lines were not written, {torn} only in part), so requests cannot be counted; make \
             room on the disk of the clusters"
        )
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::every_line_is_there(0.0, 0, None)]
    #[case::the_api_server_was_started_anew(-3.0, 0, None)]
    #[case::some_were_not_written(2.0, 0, Some("(2 lines were not written, 0 only in part)"))]
    #[case::one_was_written_in_part(0.0, 1, Some("(0 lines were not written, 1 only in part)"))]
    fn a_log_with_gaps_makes_a_trial_void(#[case] lost: f64, #[case] torn: u64, #[case] says: Option<&str>) {
        let told = gaps(lost, torn);
        match says {
            Some(says) => assert!(told.as_deref().is_some_and(|told| told.contains(says)), "{told:?}"),
            None => assert_eq!(told, None),
        }
    }
}
