//! A load that is a slice of one: `--partition`.

use super::Arguments;
use crate::{
    cli::Failure,
    cluster::provider::Standing,
    load::{bench::Plan, comparison::SliceOf, installed::Owner, profile::Profile, slices},
    plan::Partition,
};

impl Arguments {
    /// Which slice of a load it is, if it is one.
    ///
    /// # Errors
    /// When there is no such slice, or these profiles are not done in slices there.
    pub(super) fn part(&self, owner: Option<Owner>, profiles: &[Profile]) -> Result<Option<Partition>, Failure> {
        let Some(partition) = self.partition()? else { return Ok(None) };
        if owner != Some(Owner::User) {
            let says = format!("failed to plan the load as {partition}: each slice would have a cluster of its own");
            return Err(Failure::misuse_with(
                says,
                "slices are of a load on one cluster of yours: --provider existing",
            ));
        }
        for Profile { workload, .. } in profiles {
            if let Some(refused) = slices::refusal(workload, partition) {
                let says = format!("failed to plan {} as {partition}: {}", workload.name, refused.says);
                return Err(Failure::misuse_with(says, refused.help));
            }
        }
        Ok(Some(partition))
    }

    /// What the record says of the slice: which it is, of a load on which cluster, and how much it is to do.
    pub(super) fn slice_of(&self, there: Option<&Standing>, plan: &Plan) -> Result<Option<SliceOf>, Failure> {
        let slice = self.partition()?.zip(there);
        let trials: u32 = plan.profiles.iter().map(|profile| plan.rounds.unwrap_or(profile.rounds)).sum();
        Ok(slice.map(|(slice, there)| SliceOf { partition: slice.to_string(), cluster: there.uid.clone(), trials }))
    }

    fn partition(&self) -> Result<Option<Partition>, Failure> {
        Ok(self.partition.as_deref().map(str::parse).transpose()?)
    }
}
