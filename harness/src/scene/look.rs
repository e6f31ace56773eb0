//! What a script reads: an answer that goes into the timeline, to be judged there.

use super::{Fault, Scene, Stop, write};
use jobsworth_oracle::Answer;
use kube::client::Body;
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;

/// How long to wait between two looks at what is not recorded.
const BETWEEN: Duration = Duration::from_millis(100);

/// One request that changes nothing.
#[derive(Clone, Debug)]
pub struct Look {
    path: String,
    accept: &'static str,
}

impl Look {
    /// At whatever answers under `path`; `{ns}` in it stands for the namespace of the case.
    #[must_use]
    pub fn at(path: &str) -> Self {
        Self { path: path.to_owned(), accept: "application/json" }
    }

    /// As `kubectl get` asks for it: columns and rows.
    #[must_use]
    pub fn as_table(self) -> Self {
        Self { accept: "application/json;as=Table;v=v1;g=meta.k8s.io", ..self }
    }

    fn request(&self, namespace: &str) -> Result<http::Request<Vec<u8>>, http::Error> {
        http::Request::get(self.path.replace("{ns}", namespace)).header(http::header::ACCEPT, self.accept).body(vec![])
    }
}

impl Scene {
    /// Reads once; what was answered goes into the timeline under the name `to`.
    ///
    /// # Errors
    /// When there is no answer at all.
    pub async fn look(&mut self, to: &str, look: Look) -> Result<Answer, Stop> {
        let answer = self.read(to, &look).await?;
        self.book.answered(answer.clone());
        Ok(answer)
    }

    /// Reads again and again until it is answered as `wanted`, which `words` say; that answer goes into the timeline under the
    /// name `to`. For objects that are not recorded.
    ///
    /// # Errors
    /// [`Stop::Stalled`] when it is not within `limit`, [`Stop::CutShort`] when others waited in vain before.
    pub async fn look_until(
        &mut self,
        to: &str,
        look: Look,
        words: &str,
        limit: Duration,
        wanted: impl Fn(&Answer) -> bool,
    ) -> Result<(), Stop> {
        let (began, waits) = (Instant::now(), Arc::clone(&self.waits));
        tokio::select! {
            answer = self.look_in_full((to, &look), words, limit, wanted) => self.book.answered(answer?),
            after = waits.are_over(began) => {
                return Err(Stop::CutShort { waited_for: words.to_owned(), after, limit });
            }
        }
        self.waited = self.waited.max(began.elapsed());
        Ok(())
    }

    /// The answer that was wanted; the last one before the end of the time goes into the timeline all the same.
    async fn look_in_full(
        &mut self,
        (to, look): (&str, &Look),
        words: &str,
        limit: Duration,
        wanted: impl Fn(&Answer) -> bool,
    ) -> Result<Answer, Stop> {
        let began = Instant::now();
        loop {
            let answer = self.read(to, look).await?;
            if wanted(&answer) {
                return Ok(answer);
            }
            if began.elapsed() > limit {
                self.book.answered(answer);
                return Err(Stop::Stalled { waited_for: words.to_owned(), limit });
            }
            self.linger(BETWEEN, "whoever writes it needs a moment").await?;
        }
    }

    async fn read(&self, to: &str, look: &Look) -> Result<Answer, Stop> {
        let failed =
            |source: kube::Error| Fault::Request { what: format!("read {}", look.path), source: Box::new(source) };
        let request = look.request(&self.namespace).map_err(|error| failed(kube::Error::HttpError(error)))?;
        let sent = async {
            let response = self.client.send(request.map(Body::from)).await?;
            let (head, body) = response.into_parts();
            Ok((head, body.collect_bytes().await?))
        };
        let (head, body) = sent.await.map_err(failed)?;
        Ok(write::answer(to, &head, &body))
    }
}

#[cfg(test)]
mod tests {
    use super::Look;

    #[test]
    fn a_look_is_in_the_namespace_of_its_case_where_it_says_so() {
        let request = Look::at("/api/v1/namespaces/{ns}/services/job").as_table().request("jw-1").unwrap();
        assert_eq!(request.uri(), "/api/v1/namespaces/jw-1/services/job");
        assert!(request.headers()[http::header::ACCEPT].to_str().unwrap().contains("as=Table"));
    }
}
