//! Points of a sweep whose script waits in vain: what the controller owes is judged all the same, and what it does not is not.

use jobsworth_harness::{
    lab::{Held, Lab, LabError},
    sweep::{End, Fate, Point},
};
use jobsworth_suites::words::{
    self, About, AnyCase, Case, Claim, Complete, Expectations, Needs, Predicate, Scene, Stop, When, indexed, indexes,
    pods, terminating,
};
use std::{collections::BTreeMap, time::Duration};

const FOLDER: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/stalled-script");

/// Index 0 succeeds, if it does, and is enough; the other pod lingers. The script then waits for what no controller does.
struct WaitsInVain {
    succeeds: bool,
}

impl Case for WaitsInVain {
    fn about(&self) -> About {
        let claim = Claim { source: words::Source::JobController, section: "none", says: "nothing" };
        let id = if self.succeeds { "stalled/while-a-pod-lingers" } else { "stalled/while-pods-run" };
        About { id, claim, requirements: &["SUC-008"], needs: Needs::default() }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|pods| pods.stop = When::OnWord);
        scene.submit(indexed(2).succeeds_when(indexes("0"))).await?;
        scene.wait(pods().running(2)).await?;
        if self.succeeds {
            scene.pod(0).succeeds().await?;
            scene.wait(pods().that_are(terminating()).count(1)).await?;
        }
        scene.wait_up_to(Duration::from_millis(100), Predicate::new("a miracle", |_| false)).await
    }

    fn expects(&self) -> Expectations {
        Expectations::new()
    }
}

/// Its Job ends Complete without faults; here its second write is lost on its way back.
fn point(case: &'static dyn AnyCase) -> &'static Point {
    Point::new(case, 2, Fate::AnswerLost, BTreeMap::from([("job".to_owned(), End::With(Complete))]), &[])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pods_that_linger_on_the_word_of_a_script_hold_no_end_back() {
    let lab = Lab::new(env!("CARGO_BIN_EXE_jobsworth"), FOLDER);
    assert_eq!(lab.holds(point(&WaitsInVain { succeeds: true })).await.unwrap(), Held::Pass);
    let told = match lab.holds(point(&WaitsInVain { succeeds: false })).await {
        Err(LabError::Verdict(told)) => told,
        other => panic!("a Job whose pods run has not ended: {other:?}"),
    };
    assert!(told.contains("Job job ends Complete") && told.contains("a miracle"), "{told}");
    lab.close().await.unwrap();
}
