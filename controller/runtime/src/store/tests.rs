//! The store against lists and events in awkward orders.

use super::*;

#[derive(Debug)]
struct Thing {
    name: &'static str,
    uid: Uid,
    revision: u64,
}

impl Cached for Thing {
    fn key(&self) -> Key {
        Key { namespace: "ns".into(), name: self.name.into() }
    }

    fn uid(&self) -> &Uid {
        &self.uid
    }

    fn revision(&self) -> u64 {
        self.revision
    }

    fn complaint(&self) -> Option<&str> {
        None
    }
}

fn thing(name: &'static str, revision: u64) -> Thing {
    Thing { name, uid: format!("uid-{name}").into(), revision }
}

fn listed(objects: Vec<Thing>, revision: u64) -> Change<Thing> {
    Change::Listed { objects, revision }
}

fn names(store: &Store<Thing>) -> Vec<String> {
    let from = Key { namespace: "ns".into(), name: "".into() };
    store.of_namespace(&from).map(|(_, thing)| format!("{}@{}", thing.name, thing.revision)).collect()
}

/// (SYN-006)
#[test]
fn an_echo_of_an_older_version_changes_nothing() {
    let mut store = Store::default();
    store.apply(listed(vec![thing("a", 5)], 10));
    for echo in [thing("a", 4), thing("a", 5)] {
        assert!(store.apply(Change::Applied(echo)).1.is_empty());
    }
    assert!(store.apply(Change::Deleted(thing("a", 3))).1.is_empty());
    assert_eq!(names(&store), ["a@5"]);
}

#[test]
fn a_list_from_the_past_is_refused_and_a_restored_backup_is_not_refused_for_ever() {
    let mut store = Store::default();
    store.apply(listed(vec![thing("a", 5)], 10));
    let mut refusals = 0;
    while store.apply(listed(vec![thing("b", 2)], 3)).0 == Taken::Older {
        assert_eq!(names(&store), ["a@5"]);
        refusals += 1;
    }
    assert_eq!(refusals, OLDER_LISTS_AT_MOST - 1);
    assert_eq!((names(&store), store.rewinds()), (vec!["b@2".to_owned()], 1));
}

#[test]
fn once_another_store_went_back_only_a_list_is_taken() {
    let mut store = Store::default();
    store.apply(listed(vec![thing("a", 5)], 10));
    store.await_list();
    assert_eq!(store.apply(Change::Applied(thing("b", 11))).0, Taken::Older);
    assert_eq!(store.apply(listed(vec![thing("c", 2)], 3)).0, Taken::Yes, "whatever its version");
    assert_eq!((names(&store), store.is_of_the_past(), store.rewinds()), (vec!["c@2".to_owned()], false, 0));
}

#[test]
fn a_new_list_shows_what_was_missed() {
    let mut store = Store::default();
    store.apply(listed(vec![thing("a", 5), thing("b", 6)], 10));
    let (_, deltas) = store.apply(listed(vec![thing("b", 11), thing("c", 12)], 20));
    let seen: Vec<(bool, bool)> = deltas.iter().map(|delta| (delta.old.is_some(), delta.new.is_some())).collect();
    assert_eq!(seen, [(true, false), (true, true), (false, true)]);
    assert_eq!(names(&store), ["b@11", "c@12"]);
}

#[test]
fn a_version_seen_in_a_bookmark_counts() {
    let mut store: Store<Thing> = Store::default();
    store.apply(Change::Progress(99));
    assert_eq!(store.revision(), 99);
}

#[test]
fn what_does_not_say_who_it_is_takes_what_was_known_with_it() {
    let mut store = Store::default();
    store.apply(Change::Applied(thing("a", 5)));
    let key = thing("a", 5).key();
    assert_eq!(store.apply(Change::Unreadable(key.clone())).1.len(), 1);
    assert!(names(&store).is_empty());
    assert!(store.apply(Change::Unreadable(key)).1.is_empty());
}
