//! How late those of the harness may be who take part in a trial, before its times say more about them than about the controller.

use super::record::Circumstances;

/// How late each may be (p99, in milliseconds).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LagLimits {
    /// The pod driver, from the sight of a pod to its request.
    pub driver_ms: u32,
    /// The submitter, against the deadlines of Jobs.
    pub submitter_ms: u32,
    /// The observer, by its echo.
    pub observer_ms: u32,
}

/// Waits of some hundred milliseconds are compared, so whoever ends pods must be far below that, and so must what the observer stamps. A
/// late submitter hides nothing: waits count from the deadline.
impl Default for LagLimits {
    fn default() -> Self {
        Self { driver_ms: 50, submitter_ms: 500, observer_ms: 100 }
    }
}

impl LagLimits {
    /// The same for all of them.
    #[must_use]
    pub const fn of_all(ms: u32) -> Self {
        Self { driver_ms: ms, submitter_ms: ms, observer_ms: ms }
    }

    /// Who was too late, if somebody was.
    #[must_use]
    pub fn complaint(&self, circumstances: &Circumstances) -> Option<String> {
        let late = [
            ("the pod driver", circumstances.driver_lag_p99_ms, self.driver_ms),
            ("the submitter", circumstances.submit_lag_p99_ms, self.submitter_ms),
            ("the observer", circumstances.probe_p99_ms, self.observer_ms),
        ];
        late.into_iter().find_map(|(who, lag, limit)| {
            let lag = lag.filter(|lag| *lag > f64::from(limit))?;
            Some(format!("{who} was late: p99 {lag:.0} ms, {limit} ms are allowed"))
        })
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::all_at_their_limits([50.0, 500.0, 100.0], LagLimits::default(), None)]
    #[case::a_late_driver([51.0, 0.0, 0.0], LagLimits::default(), Some("the pod driver was late: p99 51 ms, 50 ms are allowed"))]
    #[case::a_late_submitter([0.0, 501.0, 0.0], LagLimits::default(), Some("the submitter was late: p99 501 ms, 500 ms are allowed"))]
    #[case::a_late_observer([0.0, 0.0, 101.0], LagLimits::default(), Some("the observer was late: p99 101 ms, 100 ms are allowed"))]
    #[case::as_late_as_somebody_allowed_all([700.0, 700.0, 700.0], LagLimits::of_all(700), None)]
    #[case::later_than_somebody_allowed_all([0.0, 0.0, 701.0], LagLimits::of_all(700), Some("the observer was late: p99 701 ms"))]
    fn each_has_a_limit_of_its_own(#[case] lags: [f64; 3], #[case] limits: LagLimits, #[case] says: Option<&str>) {
        let [driver, submitter, observer] = lags.map(Some);
        let circumstances = Circumstances {
            driver_lag_p99_ms: driver,
            submit_lag_p99_ms: submitter,
            probe_p99_ms: observer,
            ..Circumstances::default()
        };
        let told = limits.complaint(&circumstances);
        match says {
            Some(says) => assert!(told.as_deref().is_some_and(|told| told.starts_with(says)), "{told:?}"),
            None => assert_eq!(told, None),
        }
    }

    #[test]
    fn who_takes_no_part_is_not_late() {
        assert_eq!(LagLimits::of_all(0).complaint(&Circumstances::default()), None);
    }
}
