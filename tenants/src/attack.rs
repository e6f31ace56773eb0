//! Tenants as users of goose: one scenario for each kind, with as many users as its share.

use std::sync::Arc;
use std::time::Duration;

use goose::GooseAttack;
use goose::client::GooseClientBuilder;
use goose::config::GooseConfiguration;
use goose::metrics::GooseMetrics;
use goose::prelude::{GooseError, Scenario, Transaction, TransactionFunction};

use crate::Trouble;
use crate::args::Args;
use crate::errand::Errand;
use crate::mix::Kind;
use crate::report::{GOOSE_HTML, GOOSE_JSON};
use crate::world::World;

/// How long a tenant thinks before it does the same again.
const THINKS: [Duration; 2] = [Duration::from_millis(200), Duration::from_millis(800)];

/// Lets tenants come, waits until they are gone, and hands over what goose counted.
///
/// # Errors
/// When goose refuses what it is told, or cannot write its reports.
pub async fn execute(world: &Arc<World>, shares: &[(Kind, u32)], args: &Args) -> Result<GooseMetrics, Trouble> {
    attack(world, shares, args).await.map_err(|error| Trouble::Load(says(&error)))
}

/// What goose says of an option by itself is only that there is one.
fn says(error: &GooseError) -> String {
    match error {
        GooseError::InvalidOption { option, value, detail } => format!("{option} {value}: {detail}"),
        GooseError::InvalidHost { host, detail, .. } => format!("{host}: {detail}"),
        other => other.to_string(),
    }
}

async fn attack(world: &Arc<World>, shares: &[(Kind, u32)], args: &Args) -> Result<GooseMetrics, GooseError> {
    let configuration = GooseConfiguration::parse_args_default(&flags(args))?;
    // Replaced by that of each tenant before its first request.
    let nobody = GooseClientBuilder::new().without_cookies();
    let mut attack = GooseAttack::initialize_with_config(configuration)?
        .set_client_builder_without_cookies(nobody)?
        .test_stop(cleaning(world));
    for &(kind, users) in shares {
        let [shortest, longest] = THINKS;
        let scenario = Scenario::new(kind.word())
            .set_weight(users as usize)?
            .set_wait_time(shortest, longest)?
            .register_transaction(entrance(world).set_name("entrance").set_on_start())
            .register_transaction(errand(world, kind).set_name(kind.word()));
        attack = attack.register_scenario(scenario);
    }
    attack.execute().await
}

/// What goose is told; everything else is in the scenarios.
fn flags(args: &Args) -> Vec<String> {
    let report = |name: &str| format!("--report-file={}", args.report.join(name).display());
    vec![
        format!("--host={}", args.server),
        format!("--users={}", args.users),
        // All within the first second, and counted from the first request on.
        format!("--increase-rate={}", args.users),
        format!("--run-time={}s", args.run_time.as_secs()),
        "--no-reset-metrics".to_owned(),
        "--no-telnet".to_owned(),
        "--no-gzip".to_owned(),
        "--no-print-metrics".to_owned(),
        "--quiet".to_owned(),
        report(GOOSE_HTML),
        report(GOOSE_JSON),
    ]
}

/// A tenant gets a client, and so a connection, of its own.
fn entrance(world: &Arc<World>) -> Transaction {
    let world = Arc::clone(world);
    let function: TransactionFunction = Arc::new(move |user| {
        let client = world.access().client();
        Box::pin(async move { user.set_client_builder(client).await.map_err(Box::new) })
    });
    Transaction::new(function)
}

fn errand(world: &Arc<World>, kind: Kind) -> Transaction {
    let world = Arc::clone(world);
    let function: TransactionFunction = Arc::new(move |user| {
        let world = Arc::clone(&world);
        Box::pin(async move { Errand::of(user, &world).run(kind).await })
    });
    Transaction::new(function)
}

/// Goose counts none of the requests that are made once everybody is gone.
fn cleaning(world: &Arc<World>) -> Transaction {
    let world = Arc::clone(world);
    let function: TransactionFunction = Arc::new(move |user| {
        let world = Arc::clone(&world);
        Box::pin(async move {
            user.set_client_builder(world.access().client()).await.map_err(Box::new)?;
            Errand::of(user, &world).clean_up().await;
            Ok(())
        })
    });
    Transaction::new(function)
}
