//! Stand-ins that do Volcano's work: how they are started, what is attested of them, and what becomes of known deviations.

use super::stand_ins::{CONTROLLER, Peculiar, Place, WEBHOOK, said};
use serde_json::Value;
use std::collections::BTreeSet;

/// Of a Job that is completed release 1.15 forgets the counters.
const CASE: &str = "volcano-lifecycle/a-job-whose-pods-succeed-is-completed";
const ISSUE: &str = "volcano-sh/volcano#4616";

fn deviation(place: &Place) -> (Value, Value) {
    let record = place.record("run.json");
    let case = &record["cases"][0];
    (case["verdict"].clone(), case["deviation"].clone())
}

fn fact(place: &Place, component: &str, what: &str) -> Value {
    let record = place.record("run.json");
    let rows = record["cells"][0]["attested"]["rows"].as_array().unwrap().clone();
    let row = rows.into_iter().find(|row| row["component"] == component && row["what"] == what);
    row.unwrap_or_else(|| panic!("{component} has no {what}: {record:#}"))
}

#[test]
fn stand_ins_are_started_with_volcano_s_flags_and_judged() {
    let place = Place::new();
    place.stand_in(Peculiar::default());
    let ran = place.run(&[CASE, "volcano-admission/defaults"]);
    assert_eq!(ran.status.code(), Some(0), "{}", said(&ran));
    assert_eq!(
        place.noted("order"),
        format!("{WEBHOOK}\n{CONTROLLER}\n"),
        "configurations first, then who is asked, then who asks"
    );

    let [controller, webhook] = [CONTROLLER, WEBHOOK].map(|name| move |flag: &str| (name, flag.to_owned()));
    let given = |(name, flag): (&str, String)| place.given(name, &flag);
    assert_eq!(given(controller("leader-elect")), "false");
    assert_eq!(given(controller("controllers")), "+job-controller,+queue-controller,+gc-controller,+pg-controller");
    assert_eq!(given(controller("scheduler-name")), "volcano");
    assert!(given(controller("kube-api-qps")).parse::<u32>().unwrap() >= 100, "its own 50 are too few");
    assert_eq!(given(webhook("enabled-admission")), "/jobs/mutate,/jobs/validate,/podgroups/mutate");
    assert!(given(webhook("webhook-url")).starts_with("https://127.0.0.1:"));
    for flag in ["tls-cert-file", "tls-private-key-file", "ca-cert-file"] {
        assert!(given(webhook(flag)).starts_with('/'), "{flag}");
    }
    // Both have the same ports by default.
    let ports = [
        given(controller("healthz-address")),
        given(controller("listen-address")),
        given(webhook("healthz-address")),
        format!("{}:{}", given(webhook("listen-address")), given(webhook("port"))),
    ];
    assert!(ports.iter().all(|port| port.starts_with("127.0.0.1:")), "{ports:?}");
    assert_eq!(ports.iter().collect::<BTreeSet<_>>().len(), 4, "{ports:?}");

    for (component, name) in [("job-controller", CONTROLLER), ("admission-webhook", WEBHOOK)] {
        let program = fact(&place, component, "program");
        assert_eq!((&program["wanted"], &program["ok"]), (&program["found"], &Value::Bool(true)), "{program}");
        assert!(program["found"].as_str().unwrap().starts_with("v1.15.1 sha256:"), "{program}");
        assert_eq!(fact(&place, component, "flags")["found"], place.noted(&format!("{name}.flags")).trim());
    }
}

#[test]
fn a_known_deviation_is_told_with_its_report_and_fails_nothing() {
    let place = Place::new();
    place.stand_in(Peculiar { controller: "--profile=compat-1.15", ..Peculiar::default() });
    let ran = place.run(&[CASE]);
    assert_eq!(ran.status.code(), Some(0), "{}", said(&ran));
    let (verdict, deviation) = deviation(&place);
    assert_eq!(verdict, "deviates");
    assert_eq!((&deviation["source"], &deviation["shown"]), (&ISSUE.into(), &true.into()), "{deviation}");
    assert!(said(&ran).contains(ISSUE), "{}", said(&ran));
}

#[test]
fn a_known_deviation_that_is_mended_is_news() {
    let place = Place::new();
    place.stand_in(Peculiar::default());
    let ran = place.run(&[CASE]);
    assert_eq!(ran.status.code(), Some(0), "{}", said(&ran));
    let (verdict, deviation) = deviation(&place);
    assert_eq!(verdict, "pass");
    assert_eq!((&deviation["source"], &deviation["shown"]), (&ISSUE.into(), &false.into()), "{deviation}");
    assert!(said(&ran).contains(ISSUE), "an unexpected pass stands where people look: {}", said(&ran));
}
