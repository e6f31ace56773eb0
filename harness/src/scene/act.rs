//! What a script does to Jobs, and the points it marks.

use super::{
    Fault, Scene, Stop,
    write::{self, Propagation, Write},
};
use futures::future::BoxFuture;
use jobsworth_api::Resource;
use jobsworth_oracle::{Answer, Fact, Predicate, recorded::Sighting};
use kube::client::Body;
use serde_json::{Value, json};

impl Scene {
    /// Creates a Job and waits until it is seen. It is the subject's, unless it names another manager.
    ///
    /// # Errors
    /// When the API server refuses it.
    pub async fn submit(&mut self, job: impl Into<Value>) -> Result<(), Stop> {
        let mut job = job.into();
        if let Some(manager) = self.manager.as_deref()
            && job.pointer("/spec/managedBy").is_none()
        {
            job["spec"]["managedBy"] = manager.into();
        }
        let write = Write::create_of(&self.jobs, job);
        self.must(write).await
    }

    /// Merges `patch` into a Job and waits until that is seen.
    ///
    /// # Errors
    /// When the API server refuses it.
    pub async fn patch(&mut self, job: &str, patch: Value) -> Result<(), Stop> {
        let write = Write::patch_of(&self.jobs, job, patch);
        self.must(write).await
    }

    /// Deletes a Job; whether it is gone at once is not waited for.
    ///
    /// # Errors
    /// When the API server refuses it.
    pub async fn delete(&mut self, job: &str, propagation: Propagation) -> Result<(), Stop> {
        let write = Write::delete_of(&self.jobs, job).leaving(propagation);
        self.must(write).await
    }

    /// Does a write that the script relies on.
    ///
    /// # Errors
    /// When the API server refuses it: the script cannot go on.
    pub async fn must(&mut self, write: Write) -> Result<(), Stop> {
        let answer = self.send(&write.words(), &write).await?;
        if write.is_deletion() {
            // Who deletes leaves no trace on the object; the answer tells the script from the subject.
            self.book.answered(answer.clone());
        }
        if answer.code >= 400 {
            let status = kube::core::Status {
                code: answer.code,
                message: answer.message,
                reason: answer.reason,
                ..kube::core::Status::default()
            };
            let source = Box::new(kube::Error::Api(Box::new(status)));
            return Err(Fault::Request { what: write.words(), source }.into());
        }
        self.see(&answer.body).await
    }

    /// Does a write whose answer is the point: it goes into the timeline under the name `to`, whether
    /// accepted or refused.
    ///
    /// # Errors
    /// When there is no answer at all.
    pub async fn attempt(&mut self, to: &str, write: Write) -> Result<Answer, Stop> {
        let answer = self.send(to, &write).await?;
        self.book.answered(answer.clone());
        Ok(answer)
    }

    /// Names this point of the script in the timeline, after everything that was written so far.
    ///
    /// # Errors
    /// When the API server does not answer.
    pub async fn mark(&mut self, name: &'static str) -> Result<(), Stop> {
        self.mark_as(name.to_owned()).await
    }

    /// The same with a name that is made up on the way.
    pub(super) async fn mark_as(&mut self, name: String) -> Result<(), Stop> {
        let revision = self.place(&name).await?;
        self.book.enter(revision, Fact::Mark(name));
        Ok(())
    }

    /// A place in the order of revisions for a mark, given by a write of our own.
    pub(super) async fn place(&mut self, mark: &str) -> Result<u64, Stop> {
        let object = json!({"metadata": {"generateName": "jobsworth-mark-"}, "data": {"mark": mark}});
        let answer = self.send("", &Write::create("api/v1", "configmaps", object)).await?;
        Ok(revision(&answer.body).unwrap_or_else(|| self.book.world().revision))
    }

    // On the heap: a script that held the whole of a request's future would take the compiler seconds.
    pub(super) fn send<'a>(&'a mut self, to: &'a str, write: &'a Write) -> BoxFuture<'a, Result<Answer, Stop>> {
        Box::pin(self.send_here(to, write))
    }

    async fn send_here(&mut self, to: &str, write: &Write) -> Result<Answer, Stop> {
        let failed = |source: kube::Error| Fault::Request { what: write.words(), source: Box::new(source) };
        let mut write = write.clone();
        if let Some((target, object)) = write.created() {
            self.driver.prepare(target, object);
        }
        let request = write.request(&self.namespace).map_err(|error| failed(kube::Error::HttpError(error)))?;
        let sent = async {
            let response = self.client.send(request.map(Body::from)).await?;
            let (head, body) = response.into_parts();
            Ok((head, body.collect_bytes().await?))
        };
        let (head, body) = sent.await.map_err(failed)?;
        let answer = write::answer(to, &head, &body);
        let made = answer.body.pointer("/metadata/name").and_then(Value::as_str).filter(|_| answer.code == 201);
        self.undo.extend(made.and_then(|name| write.undone(name)));
        Ok(answer)
    }

    /// Waits until the object in an answer has been recorded in this version or a later one.
    pub(super) async fn see(&mut self, object: &Value) -> Result<(), Stop> {
        let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        let (Some(name), Some(uid), Some(wanted)) = (text("/metadata/name"), text("/metadata/uid"), revision(object))
        else {
            return Ok(());
        };
        let (api_version, kind) = (text("/apiVersion").unwrap_or_default(), text("/kind").unwrap_or_default());
        if !self.recorded().iter().any(|resource| resource.is_kind_of(&api_version, &kind)) {
            return Ok(());
        }
        let seen = Predicate::new(format!("the recording to show {name} as written"), move |world| {
            match world.object(&uid).map(Sighting::metadata) {
                Some(metadata) => metadata
                    .resource_version
                    .as_ref()
                    .and_then(|text| text.parse().ok())
                    .is_some_and(|seen: u64| seen >= wanted),
                None => world.has_known(&uid),
            }
        });
        self.wait(seen).await
    }
}

impl Scene {
    /// What a script writes and every recording shows.
    fn recorded(&self) -> &'static [Resource] {
        const OF_VOLCANO: &[Resource] =
            &[Resource::PODS, Resource::VOLCANO_JOBS, Resource::VOLCANO_POD_GROUPS, Resource::VOLCANO_COMMANDS];
        const OWN: &[Resource] = &[Resource::PODS, Resource::JOBS];
        if self.jobs == Resource::VOLCANO_JOBS { OF_VOLCANO } else { OWN }
    }
}

fn revision(object: &Value) -> Option<u64> {
    object.pointer("/metadata/resourceVersion")?.as_str()?.parse().ok()
}
