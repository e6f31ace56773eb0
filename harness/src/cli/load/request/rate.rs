//! The budget of controllers: `--qps` and `--burst`.

use super::Arguments;
use crate::{cli::Failure, cluster::Rate, load::bench::Aim, load::profile::Profile};

/// What `--qps` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Qps {
    /// So many requests a second.
    Limited(u32),
    /// As many as a controller likes.
    Off,
}

/// Reads a number of requests per second, or `off`.
pub(super) fn qps(text: &str) -> Result<Qps, String> {
    let limited = || text.parse().ok().filter(|rate| (1..=1000).contains(rate)).map(Qps::Limited);
    let read = if text == "off" { Some(Qps::Off) } else { limited() };
    read.ok_or_else(|| "write a number from 1 to 1000, or `off`".to_owned())
}

impl Arguments {
    /// One bucket for all: it is the cluster's.
    ///
    /// # Errors
    /// When the profiles have several, or a burst is asked for that nothing holds back.
    pub(super) fn rate(&self, profiles: &[Profile]) -> Result<Rate, Failure> {
        let asked = match self.qps {
            Some(Qps::Off) if self.burst.is_some() => {
                let says =
                    "failed to plan the load: with --qps off there is no bucket that --burst could be the size of";
                return Err(Failure::misuse_with(says, "leave --burst out"));
            }
            Some(Qps::Off) => return Ok(Rate::OFF),
            Some(Qps::Limited(rate)) => Some(rate),
            None => None,
        };
        let mut rates: Vec<Rate> = profiles.iter().map(|profile| profile.budget.unwrap_or_default()).collect();
        rates.dedup();
        let own = match (rates.as_slice(), asked.zip(self.burst)) {
            (_, Some(_)) | ([], _) => Rate::default(),
            ([one], _) => *one,
            _ => {
                let says = "failed to plan the load: these profiles have different budgets";
                return Err(Failure::misuse_with(
                    says,
                    "run them one by one, or give --qps and --burst for all of them",
                ));
            }
        };
        Ok(Rate { qps: asked.unwrap_or(own.qps), burst: self.burst.unwrap_or(own.burst) })
    }
}

/// Refuses to search for the largest rate of a controller that nothing holds back: that is the server's, and the machine's.
///
/// # Errors
/// When that was asked for.
pub(super) fn can_be_searched_for(rate: Rate, aim: Aim) -> Result<(), Failure> {
    if !rate.is_off() || aim != Aim::LargestRate {
        return Ok(());
    }
    let says =
        "failed to plan the load: without a budget the largest rate is the API server's and not the controller's";
    Err(Failure::misuse_with(says, "leave --qps off out of --find-rate"))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::a_rate("100", Some(Qps::Limited(100)))]
    #[case::the_largest("1000", Some(Qps::Limited(1000)))]
    #[case::more_than_that("1001", None)]
    #[case::none_at_all("0", None)]
    #[case::no_limit("off", Some(Qps::Off))]
    #[case::another_word("none", None)]
    fn a_budget_is_a_number_or_off(#[case] text: &str, #[case] read: Option<Qps>) {
        assert_eq!(qps(text).ok(), read);
    }

    #[test]
    fn a_rate_is_searched_for_where_something_limits_it() {
        assert!(can_be_searched_for(Rate::OFF, Aim::LargestRate).is_err());
        assert!(can_be_searched_for(Rate::OFF, Aim::Trials).is_ok());
        assert!(can_be_searched_for(Rate::default(), Aim::LargestRate).is_ok());
    }
}
