//! Volcano as it is installed in a cluster that is not ours: of which release it is and how it is called, read from its Deployments.
//! Nothing of it is touched.

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Container;
use kube::api::{Api, ListParams};

use crate::cluster::contract::Component;
use crate::cluster::contract::attest::Mark;
use crate::cluster::contract::subject_kind::{VOLCANO_RELEASE, is_of_known_release};

/// Its programs, by the last part of their images' names. Nobody of ours plays a scheduler where there are kubelets.
const PROGRAMS: [(&str, Component); 3] = [
    ("vc-controller-manager", Component::Subject),
    ("vc-webhook-manager", Component::Webhook),
    ("vc-scheduler", Component::Scheduler),
];

/// A container of a Deployment.
struct Place<'d> {
    deployment: &'d Deployment,
    container: &'d Container,
}

/// What tells the installed Volcano from another one.
///
/// # Errors
/// When the server does not say; within, why nothing can be judged on what is there.
pub(super) async fn look(client: &kube::Client) -> Result<Result<Vec<Mark>, String>, kube::Error> {
    let deployments = Api::<Deployment>::all(client.clone()).list(&ListParams::default()).await?.items;
    Ok(marks(&deployments))
}

/// The marks of each of its programs, or why there is none.
fn marks(deployments: &[Deployment]) -> Result<Vec<Mark>, String> {
    let mut all = Vec::new();
    for (program, component) in PROGRAMS {
        let place = only(program, places(deployments, program))?;
        let name = place.name();
        let image = place.container.image.as_deref().unwrap_or_default();
        let release = release(image).ok_or_else(|| format!("the image {image} of {name} names no release"))?;
        if !is_of_known_release(release) {
            let known = format!("what is known of Volcano is known of {VOLCANO_RELEASE}");
            return Err(format!("{name} is of release {release}, and {known}"));
        }
        if place.ready() == 0 {
            return Err(format!("no pod of {name} is ready"));
        }
        let words = place.container.command.iter().chain(&place.container.args).flatten();
        let flags = words.map(String::as_str).collect::<Vec<_>>().join(" ");
        let said = [("deployment", name.as_str()), ("release", release), ("image", image), ("flags", flags.as_str())];
        all.extend(said.map(|(what, says)| Mark::new(component, what, says)));
    }
    Ok(all)
}

fn places<'d>(deployments: &'d [Deployment], program: &str) -> Vec<Place<'d>> {
    let containers = deployments.iter().flat_map(|deployment| {
        let spec = deployment.spec.template.spec.as_ref();
        spec.into_iter().flat_map(|spec| &spec.containers).map(move |container| Place { deployment, container })
    });
    containers.filter(|place| place.container.image.as_deref().is_some_and(|image| name(image) == program)).collect()
}

fn only<'d>(program: &str, mut places: Vec<Place<'d>>) -> Result<Place<'d>, String> {
    match (places.pop(), places.len()) {
        (Some(place), 0) => Ok(place),
        (Some(place), _) => {
            let names: Vec<String> = places.iter().chain([&place]).map(Place::name).collect();
            Err(format!("several Deployments run {program}: {}", names.join(", ")))
        }
        (None, _) => Err(format!("no Deployment runs {program}")),
    }
}

impl Place<'_> {
    fn name(&self) -> String {
        let part = |part: &Option<String>| part.clone().unwrap_or_default();
        format!("{}/{}", part(&self.deployment.metadata.namespace), part(&self.deployment.metadata.name))
    }

    fn ready(&self) -> i32 {
        self.deployment.status.as_ref().and_then(|status| status.ready_replicas).unwrap_or_default()
    }
}

/// `vc-scheduler` of `registry:5000/volcanosh/vc-scheduler:v1.15.1@sha256:...`.
fn name(image: &str) -> &str {
    let last = image.rsplit('/').next().unwrap_or_default();
    last.split([':', '@']).next().unwrap_or_default()
}

/// The tag, if there is one.
fn release(image: &str) -> Option<&str> {
    let last = image.rsplit('/').next()?.split('@').next()?;
    last.split_once(':').map(|(_, tag)| tag)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    fn deployment(name: &str, image: &str, ready: i32) -> Deployment {
        let container = json!({"name": "it", "image": image, "args": ["--logtostderr", "-v=3"]});
        serde_json::from_value(json!({
            "metadata": {"namespace": "volcano-system", "name": name},
            "spec": {
                "selector": {},
                "template": {"spec": {"containers": [{"name": "beside", "image": "envoy:v1"}, container]}},
            },
            "status": {"readyReplicas": ready},
        }))
        .unwrap()
    }

    fn installed(tag: &str) -> Vec<Deployment> {
        ["controller-manager", "webhook-manager", "scheduler"]
            .map(|name| deployment(name, &format!("registry:5000/volcanosh/vc-{name}{tag}"), 1))
            .to_vec()
    }

    #[test]
    fn each_of_its_programs_is_told_with_release_image_and_flags() {
        let marks = marks(&installed(":v1.15.1@sha256:00ff")).unwrap();
        let of =
            |component| marks.iter().filter(move |mark| mark.component == component).map(|mark| mark.says.as_str());
        assert_eq!(
            of(Component::Subject).collect::<Vec<_>>(),
            [
                "volcano-system/controller-manager",
                "v1.15.1",
                "registry:5000/volcanosh/vc-controller-manager:v1.15.1@sha256:00ff",
                "--logtostderr -v=3"
            ]
        );
        assert_eq!((of(Component::Webhook).count(), of(Component::Scheduler).count()), (4, 4));
    }

    #[rstest]
    #[case::nothing(Vec::new(), "no Deployment runs vc-controller-manager")]
    #[case::another_release(installed(":v1.13.3"), "volcano-system/controller-manager is of release v1.13.3")]
    #[case::no_release(installed(""), "names no release")]
    #[case::only_a_digest(installed("@sha256:00ff"), "names no release")]
    #[case::the_newest_whatever_it_is(installed(":latest"), "is of release latest")]
    #[case::without_its_scheduler(installed(":v1.15.1")[..2].to_vec(), "no Deployment runs vc-scheduler")]
    #[case::twice(
        [installed(":v1.15.1"), vec![deployment("other", "vc-scheduler:v1.15.1", 1)]].concat(),
        "several Deployments run vc-scheduler: volcano-system/scheduler, volcano-system/other"
    )]
    #[case::not_running(vec![deployment("c", "vc-controller-manager:v1.15.1", 0)], "no pod of volcano-system/c is ready")]
    fn what_cannot_be_judged_is_refused(#[case] there: Vec<Deployment>, #[case] why: &str) {
        let said = marks(&there).unwrap_err();
        assert!(said.contains(why), "{said}");
    }
}
