//! A queue that somebody makes and says nothing of.

use crate::volcano_words::*;

/// A new queue is open, and below the root.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about_as_scheduler(
            case_id!(),
            "refusals by the validating webhook on CREATE",
            "the queue controller opens a queue that it sees for the first time, and puts it below the root",
            &["VJ-079"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let here = scene.namespace().to_owned();
        scene.must(queue(&here, "")).await?;
        let path = format!("/apis/scheduling.volcano.sh/v1beta1/queues/{here}");
        scene.look("the queue at first", Look::at(&path)).await?;
        let (words, limit) = ("the queue to be below the root, and open", Duration::from_secs(30));
        let settled = |answer: &jobsworth_oracle::Answer| {
            let body = &answer.body;
            body["spec"]["parent"] == "root" && body["status"]["state"] == "Open"
        };
        scene.look_until("the queue in a while", Look::at(&path), words, limit, settled).await?;
        scene.submit(gang(1).spec("queue", here.as_str())).await?;
        scene.wait(job().is("Running")).await?;
        scene.must(no_queue(&here)).await
    }

    fn expects(&self) -> Expectations {
        let then = answer("the queue in a while");
        Expectations::from([
            ("there is one", eventually(answer("the queue at first").is_accepted())),
            ("it is open", eventually(then.has("/status/state", "Open"))),
            ("it is below the root", eventually(then.has("/spec/parent", "root"))),
            ("it takes Jobs", eventually(job().is("Running"))),
        ])
    }
}
