//! Where a load is done: on local processes, or in a cluster with a controller in it.

use super::Arguments;
use crate::{
    cli::{
        Failure,
        existing::{Way, described},
    },
    cluster::{
        AGENT_IMAGE, ClusterSpec,
        provider::{Made, Ready, Standing, Wish},
    },
    load::{
        bench::{Aim, Plan},
        installed::{Installed, Owner},
        profile::Profile,
        workload::PodsBy,
    },
    plan::{self, request::Flags},
};
use clap::Args;
use std::fmt::Write as _;

/// The provider on which everything can be measured.
const LOCAL: &str = "local";

#[derive(Args)]
pub(super) struct Place {
    /// Where it is done: `local` has processes of this machine and plays pods. Or the controller that is there already is measured,
    /// alone and by what can be seen of it, and pods really run: `kind` makes a cluster, `existing` is one of yours.
    #[arg(long, value_name = "NAME", default_value = LOCAL, help_heading = "Where")]
    provider: String,
    /// How many nodes a cluster by kind has; more than one are so many workers.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Where")]
    nodes: Option<u32>,
    /// The node image for kind; without it the one that `cluster image` made, else the published one.
    #[arg(long, value_name = "REF", env = "JOBSWORTH_NODE_IMAGE", help_heading = "Where")]
    node_image: Option<String>,
    /// How many pods of a profile there may be at the same time where they really run: a larger one is refused. 500 without it, with
    /// kind 100 for each node.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Where")]
    max_pods: Option<u32>,
    #[command(flatten)]
    way: Way,
}

impl Arguments {
    /// Whose cluster it is where a controller is there already; nothing on local processes.
    ///
    /// # Errors
    /// When there is no such provider, or it is none for loads.
    pub(super) fn owner(&self) -> Result<Option<Owner>, Failure> {
        let name = plan::provider::named(&self.place.provider)?.name();
        let owner = [Owner::Load, Owner::User].into_iter().find(|owner| owner.provider() == name);
        if owner.is_none() && name != LOCAL {
            let says = format!("failed to plan the load: the provider `{name}` is none for loads");
            return Err(Failure::misuse_with(says, "use --provider local, kind or existing"));
        }
        if owner.is_none() && (self.place.nodes.is_some() || self.place.max_pods.is_some()) {
            let says = "failed to plan the load: --nodes and --max-pods are for clusters in which pods really run";
            return Err(Failure::misuse_with(says, "leave them out, or use --provider kind or existing"));
        }
        Ok(owner)
    }

    /// Whether what the flags ask for can be had where the controller is there already.
    ///
    /// # Errors
    /// When it cannot, with the reason.
    pub(super) fn suits(&self, owner: Owner, aim: Aim) -> Result<(), Failure> {
        let refuse = |why: String, help: &str| {
            let says = format!("failed to plan the load for a cluster by {}: {why}", owner.provider());
            Err(Failure::misuse_with(says, help))
        };
        if self.base.is_some() || self.head.is_some() || self.pairs.is_some() {
            let why = "two controllers cannot take turns, for the one that is there cannot be stopped for another";
            return refuse(
                why.to_owned(),
                "leave --base, --head and --pairs out; --trials says how often the one there works",
            );
        }
        if aim != Aim::Trials {
            let why = "a rate is searched for, and a soak is looked at, where the controller is a process of ours";
            return refuse(why.to_owned(), "use --provider local for --find-rate and --for");
        }
        if self.tenants.is_some() {
            return refuse("nobody here may give them rights there".to_owned(), "use --provider local for --tenants");
        }
        if self.pods != PodsBy::Direct {
            let why = format!("its nodes run the pods, and --pods {} says who plays them", self.pods);
            return refuse(why, "leave --pods out, or use --provider local");
        }
        match owner {
            Owner::User if self.qps.is_some() || self.burst.is_some() => {
                let why = "its controller has a budget that nobody here gives it";
                refuse(why.to_owned(), "leave --qps and --burst out")
            }
            Owner::User | Owner::Load => Ok(()),
        }
    }

    /// Looks at what is there where the controller is there already, and makes the plan fit it; nothing on local processes.
    ///
    /// # Errors
    /// When a profile cannot be done there, or the cluster cannot be had or used.
    pub fn look(&self, plan: &mut Plan) -> Result<Option<Ready>, Failure> {
        let Some(owner) = self.owner()? else { return Ok(None) };
        let nodes = self.place.nodes.unwrap_or(1);
        let installed = Installed { owner, most_pods: self.place.max_pods.unwrap_or_else(|| owner.usual_pods(nodes)) };
        for profile in &plan.profiles {
            if let Some(refused) = installed.refusal(&profile.workload) {
                let (name, provider) = (&profile.workload.name, owner.provider());
                let says = format!("failed to plan {name} for a cluster by {provider}: {}", refused.says);
                return Err(Failure::misuse_with(says, refused.help));
            }
        }
        let versions = vec![plan.spec.version];
        let wish = Wish { versions, node_image: self.place.node_image.clone(), ..Wish::default() };
        let wish = self.place.way.clone().added_to(wish);
        let image = wish.agent_image.clone().unwrap_or_else(|| AGENT_IMAGE.to_owned());
        let ready = plan::provider::named(&self.place.provider)?.probe(&wish)?;
        match &ready.standing {
            Some(there) => plan.spec = self.taken_over(plan.spec.clone(), there)?,
            None => plan.spec.nodes = nodes,
        }
        for Profile { workload, .. } in &mut plan.profiles {
            (workload.pods_by, workload.image) = (PodsBy::Nodes, Some(image.clone()));
        }
        plan.installed = Some(installed);
        plan.slice = self.slice_of(ready.standing.as_ref(), plan)?;
        Ok(Some(ready))
    }

    /// What a cluster of the user's is, unless the flags ask for something else.
    fn taken_over(&self, spec: ClusterSpec, there: &Standing) -> Result<ClusterSpec, Failure> {
        let mut flags = Flags {
            kubernetes: self.kubernetes.iter().cloned().collect(),
            nodes: self.place.nodes,
            ..Flags::default()
        };
        plan::existing::take_over(&mut flags, None, there)?;
        let (version, emulated, gates) = (there.version, there.emulated, there.gates.clone());
        Ok(ClusterSpec { version, emulated, gates, nodes: there.open_nodes, ..spec })
    }
}

/// Whether the cluster of such an owner is made for the load.
pub(super) fn made(owner: Option<Owner>) -> Made {
    match owner {
        Some(Owner::User) => Made::Before,
        Some(Owner::Load) | None => Made::ForTheRun,
    }
}

/// What is there in a cluster of the user's, and what a load will make in it.
pub(in crate::cli) fn shown(standing: &Standing, plan: &Plan) -> String {
    let mut text = described(standing);
    let part = plan.slice.as_ref().map(|slice| format!(", {} of it", slice.partition)).unwrap_or_default();
    for profile in &plan.profiles {
        let workload = &profile.workload;
        let _ = writeln!(
            text,
            "load      {} × {}{part}: {} Jobs, up to {} pods at the same time, in a namespace jw-load-<profile>-<hash> with a quota that \
             fits them and their successors",
            plan.rounds.unwrap_or(profile.rounds),
            workload.name,
            workload.jobs(),
            workload.pods_at_once(),
        );
    }
    if let Some(installed) = &plan.installed {
        let _ = writeln!(text, "absent    {}", installed.unmeasured().says());
    }
    text
}
