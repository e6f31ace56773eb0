//! The election's decisions and the fence, on paused time.

use rstest::rstest;

use super::*;

fn election() -> Election {
    Election {
        name: "jobsworth-controller".to_owned(),
        namespace: "kube-system".to_owned(),
        identity: "me".to_owned(),
        lease_duration: Duration::from_secs(15),
        renew_deadline: Duration::from_secs(10),
        retry_period: Duration::from_secs(2),
    }
}

fn lease(holder: &str, renewed: &str) -> Lease {
    Lease {
        metadata: Meta { resource_version: "7".to_owned() },
        spec: Record {
            holder_identity: Some(holder.to_owned()),
            lease_duration_seconds: Some(15),
            renew_time: Some(renewed.to_owned()),
            ..Record::default()
        },
    }
}

fn write(ours: bool) -> Move {
    Move::Write { resource_version: "7".to_owned(), ours }
}

#[rstest]
#[case::there_is_none(None, Move::Create)]
#[case::it_was_given_back(Some(lease("", "1")), write(false))]
#[case::it_is_ours(Some(lease("me", "1")), write(true))]
#[case::another_holds_it(Some(lease("you", "1")), Move::Wait)]
#[tokio::test(start_paused = true)]
async fn at_first_sight(#[case] read: Option<Lease>, #[case] wanted: Move) {
    assert_eq!(Observation::default().decide(&election(), read.as_ref(), Instant::now()), wanted);
}

#[tokio::test(start_paused = true)]
async fn a_silent_holder_is_replaced_after_its_lease_by_our_own_clock() {
    let mut seen = Observation::default();
    // The other's clock is a year ahead or behind: it does not matter.
    let silent = lease("you", "1999-01-01T00:00:00.000000Z");
    assert_eq!(seen.decide(&election(), Some(&silent), Instant::now()), Move::Wait);
    tokio::time::advance(Duration::from_secs(14)).await;
    assert_eq!(seen.decide(&election(), Some(&silent), Instant::now()), Move::Wait);
    tokio::time::advance(Duration::from_secs(1)).await;
    assert_eq!(seen.decide(&election(), Some(&silent), Instant::now()), write(false));
}

#[tokio::test(start_paused = true)]
async fn each_renewal_of_the_holder_starts_the_wait_again() {
    let mut seen = Observation::default();
    for renewal in ["1", "2", "3"] {
        assert_eq!(seen.decide(&election(), Some(&lease("you", renewal)), Instant::now()), Move::Wait);
        tokio::time::advance(Duration::from_secs(14)).await;
    }
    assert_eq!(seen.decide(&election(), Some(&lease("you", "3")), Instant::now()), Move::Wait);
}

#[tokio::test(start_paused = true)]
async fn the_fence_shuts_by_itself() {
    let fence = Fence::shut();
    assert_eq!(fence.left(), None);
    fence.set(Until::At(Instant::now() + Duration::from_secs(10)));
    assert_eq!(fence.left(), Some(Duration::from_secs(10)));
    tokio::time::advance(Duration::from_secs(10)).await;
    assert_eq!(fence.left(), None);
    assert!(Fence::open().left().is_some());
}
