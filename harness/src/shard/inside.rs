//! What a pod of a sharded run knows of its place: which slice it has, and the way to the API server.
//!
//! Its kubeconfig has the names that the user's has, so that what is refused by name is refused here, too.

use super::{ShardError, slice};
use crate::plan::Partition;
use serde_json::json;

/// The folder in which a pod may write.
pub const FOLDER: &str = "/run/jobsworth";
/// The folder with the plan file, if there is one.
pub const PLAN_FOLDER: &str = "/run/jobsworth-plan";
/// The plan file in it.
pub const PLAN_FILE: &str = "plan.yaml";
/// Where a kubelet puts what identifies the pod.
const IDENTITY: &str = "/var/run/secrets/kubernetes.io/serviceaccount";
/// What the Job controller tells a pod.
const INDEX: &str = "JOB_COMPLETION_INDEX";
/// What the manifests have a kubelet tell a pod: the uid of its Job.
pub const JOB: &str = "JOB_UID";
/// What a kubelet tells a pod.
pub const HOST: &str = "KUBERNETES_SERVICE_HOST";
/// The same.
pub const PORT: &str = "KUBERNETES_SERVICE_PORT";

/// The place of a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    index: u32,
    job: String,
    server: String,
}

impl Place {
    /// Reads it from the environment, which `variable` looks up.
    ///
    /// # Errors
    /// When this is no pod of an Indexed Job.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Self, ShardError> {
        let set = |name: &'static str| variable(name).filter(|text| !text.is_empty()).ok_or(ShardError::NoPod(name));
        let index = set(INDEX)?;
        let index = index.parse().map_err(|_| ShardError::NoSlice(format!("{INDEX} is {index}")))?;
        let job = set(JOB)?;
        let (host, port) = (set(HOST)?, set(PORT)?);
        // An address of IPv6 has colons of its own.
        let host = if host.contains(':') { format!("[{host}]") } else { host };
        Ok(Self { index, job, server: format!("https://{host}:{port}") })
    }

    /// The slice of so many that is this pod's: the index counts from 0, slices from 1.
    ///
    /// # Errors
    /// When there are not so many.
    pub fn slice(&self, slices: u32) -> Result<Partition, ShardError> {
        slice(self.index.saturating_add(1), slices)
    }

    /// The uid of the Job that this pod is of.
    #[must_use]
    pub fn job(&self) -> &str {
        &self.job
    }

    /// The text of a kubeconfig with one context, which leads to this cluster as the pod's service account. JSON is YAML.
    #[must_use]
    pub fn kubeconfig(&self, context: &str) -> String {
        let cluster = json!({"server": self.server, "certificate-authority": format!("{IDENTITY}/ca.crt")});
        // A file, so that a token that is renewed is read again.
        let user = json!({"tokenFile": format!("{IDENTITY}/token")});
        json!({
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": context, "cluster": cluster}],
            "users": [{"name": "slice", "user": user}],
            "contexts": [{"name": context, "context": {"cluster": context, "user": "slice"}}],
        })
        .to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube::config::Kubeconfig;
    use rstest::rstest;

    fn place(variables: &[(&str, &str)]) -> Result<Place, String> {
        let of = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        Place::read(of).map_err(|error| error.to_string())
    }

    #[test]
    fn the_first_pod_has_the_first_slice() {
        let place = place(&[(INDEX, "0"), (JOB, "u"), (HOST, "10.96.0.1"), (PORT, "443")]).unwrap();
        assert_eq!(place.slice(3).unwrap().to_string(), "slice:1/3");
        assert_eq!(place.job(), "u");
    }

    #[rstest]
    #[case::by_four_numbers("10.96.0.1", "https://10.96.0.1:443")]
    #[case::by_eight("fd00::1", "https://[fd00::1]:443")]
    fn its_kubeconfig_has_the_users_names_and_the_pods_way(#[case] host: &str, #[case] server: &str) {
        let place = place(&[(INDEX, "2"), (JOB, "u"), (HOST, host), (PORT, "443")]).unwrap();
        let read = Kubeconfig::from_yaml(&place.kubeconfig("kind-ex")).unwrap();
        let cluster = read.clusters[0].cluster.clone().unwrap();
        assert_eq!((read.contexts[0].name.as_str(), read.clusters[0].name.as_str()), ("kind-ex", "kind-ex"));
        assert_eq!(cluster.server.as_deref(), Some(server));
        assert!(read.auth_infos[0].auth_info.clone().unwrap().token_file.unwrap().ends_with("/token"));
    }

    #[rstest]
    #[case::of_no_job(&[(HOST, "h"), (PORT, "1")], "JOB_COMPLETION_INDEX is not set")]
    #[case::of_a_job_that_it_does_not_know(&[(INDEX, "0"), (HOST, "h"), (PORT, "1")], "JOB_UID is not set")]
    #[case::of_no_cluster(&[(INDEX, "0"), (JOB, "u"), (HOST, ""), (PORT, "1")], "KUBERNETES_SERVICE_HOST is not set")]
    #[case::of_a_job_that_counts_otherwise(&[(INDEX, "a"), (HOST, "h"), (PORT, "1")], "JOB_COMPLETION_INDEX is a")]
    fn what_is_no_pod_of_a_sharded_run_is_told(#[case] variables: &[(&str, &str)], #[case] says: &str) {
        let told = place(variables).unwrap_err();
        assert!(told.contains(says) && told.contains("jobsworth shard write"), "{told}");
    }

    #[test]
    fn a_pod_beyond_the_last_slice_has_none() {
        let place = place(&[(INDEX, "3"), (JOB, "u"), (HOST, "h"), (PORT, "1")]).unwrap();
        assert!(place.slice(3).unwrap_err().to_string().contains("there is no 4 of 3"));
    }
}
