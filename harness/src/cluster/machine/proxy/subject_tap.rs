//! The one proxy before the subject of a cluster: open from when requests are first to pass it until the cluster is gone.

use std::sync::Arc;

use tokio::sync::OnceCell;

use super::Tap;
use crate::cluster::contract::layout::Layout;
use crate::cluster::contract::{ClusterError, Route};

/// Nothing, until a subject goes that way.
#[derive(Debug, Default)]
pub(crate) struct SubjectTap(OnceCell<Arc<Tap>>);

impl SubjectTap {
    /// What the requests of a subject pass that takes this route, if anything; opened with settings that lead it there.
    ///
    /// # Errors
    /// As [`Tap::before_subject`].
    pub async fn on(&self, route: Route, site: &Layout) -> Result<Option<Arc<Tap>>, ClusterError> {
        if route.is_direct() {
            return Ok(None);
        }
        let tap = self.0.get_or_try_init(|| async { Tap::before_subject(site).await.map(Arc::new) }).await?;
        Ok(Some(Arc::clone(tap)))
    }
}
