//! Who may read what, decided by the API server: TokenReview says who asks, SubjectAccessReview whether they may.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use http::header::AUTHORIZATION;
use http::{HeaderMap, StatusCode};
use k8s_openapi::api::authentication::v1::{TokenReview, TokenReviewSpec, UserInfo};
use k8s_openapi::api::authorization::v1::{NonResourceAttributes, SubjectAccessReview, SubjectAccessReviewSpec};
use lru::LruCache;
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;

use crate::client::{Api, CallError, Deadlines};
use crate::horizon::later;

/// As kube-controller-manager's `--authorization-always-allow-paths`: kubelets have no credentials.
pub const ALWAYS_ALLOWED: [&str; 3] = ["/healthz", "/livez", "/readyz"];
/// As kube-controller-manager's `--authentication-token-webhook-cache-ttl` and `--authorization-webhook-cache-*-ttl`.
const ANSWERS_HOLD: Duration = Duration::from_secs(10);
/// How many answers of each kind are kept. Whoever asks makes them, so there is an end to it.
const ANSWERS_KEPT: NonZeroUsize = NonZeroUsize::new(256).expect("it is not zero");
/// How long the API server may take for one of them.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// Members may do everything everywhere, and the API server need not be there to say so.
const MASTERS: &str = "system:masters";
const AUTHENTICATED: &str = "system:authenticated";

/// What a request is answered before anything is read or made for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It may be answered.
    Granted,
    /// Nobody knows who asks.
    Unauthorized,
    /// Somebody who may not; in words.
    Forbidden(String),
    /// The API server did not say whether they may. That is a no.
    Undecided,
}

impl Verdict {
    /// The HTTP status, its reason and its words; `None` when the request may be answered.
    #[must_use]
    pub fn refusal(self) -> Option<(StatusCode, &'static str, String)> {
        match self {
            Self::Granted => None,
            Self::Unauthorized => Some((StatusCode::UNAUTHORIZED, "Unauthorized", "Unauthorized".to_owned())),
            Self::Forbidden(words) => Some((StatusCode::FORBIDDEN, "Forbidden", words)),
            Self::Undecided => {
                let words = "Internal error occurred: the API server did not say who may read this".to_owned();
                Some((StatusCode::INTERNAL_SERVER_ERROR, "InternalError", words))
            }
        }
    }
}

/// A request, as far as it matters here.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The method in small letters.
    pub verb: &'a str,
    /// Without its query.
    pub path: &'a str,
    /// Whom a client certificate names, if there was one that an authority vouched for.
    pub certified: Option<&'a UserInfo>,
    /// The bearer token, if there was one.
    pub token: Option<&'a str>,
}

/// The bearer token of a request.
#[must_use]
pub fn token(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.trim().split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty() && !token.contains(' ')).then_some(token)
}

/// Asks the API server, and remembers its answers for a few seconds.
#[derive(Debug)]
pub struct Delegated {
    api: Api,
    users: Answers<Option<UserInfo>>,
    permissions: Answers<Permission>,
    /// Tokens are secrets: what is kept of one is a sum over it and over this.
    salt: [u8; 32],
    silent: AtomicBool,
}

#[derive(Clone, Debug)]
struct Permission {
    allowed: bool,
    reason: String,
}

impl Delegated {
    /// With the rights of the identity behind `api`, which must be allowed to create both kinds of review.
    #[must_use]
    pub fn to(api: Api) -> Self {
        let deadlines = Deadlines { write: ANSWER_WITHIN, ..Deadlines::default() };
        Self {
            api: api.within(deadlines),
            users: Answers::default(),
            permissions: Answers::default(),
            salt: rand::random(),
            silent: AtomicBool::new(false),
        }
    }

    /// Whether this request may be answered.
    pub async fn decide(&self, asked: Asked<'_>) -> Verdict {
        if ALWAYS_ALLOWED.contains(&asked.path) {
            return Verdict::Granted;
        }
        let user = match (asked.certified, asked.token) {
            (Some(user), _) => Some(user.clone()),
            (None, Some(token)) => match self.user_of(token).await {
                Ok(user) => user,
                Err(error) => {
                    self.tell("who a token belongs to", &error, Some(token));
                    None
                }
            },
            (None, None) => None,
        };
        let Some(user) = user else { return Verdict::Unauthorized };
        let user = authenticated(user);
        if user.groups.iter().flatten().any(|group| group == MASTERS) {
            return Verdict::Granted;
        }
        match self.permission(&user, asked.verb, asked.path).await {
            Ok(Permission { allowed: true, .. }) => Verdict::Granted,
            Ok(Permission { reason, .. }) => {
                let name = user.username.unwrap_or_default();
                let reason = if reason.is_empty() { reason } else { format!(": {reason}") };
                let (verb, path) = (asked.verb, asked.path);
                Verdict::Forbidden(format!("forbidden: User {name:?} cannot {verb} path {path:?}{reason}"))
            }
            Err(error) => {
                self.tell("who may read what", &error, None);
                Verdict::Undecided
            }
        }
    }

    async fn user_of(&self, token: &str) -> Result<Option<UserInfo>, CallError> {
        let sum = self.sum(token.as_bytes());
        if let Some(known) = self.users.get(&sum) {
            return Ok(known);
        }
        let spec = TokenReviewSpec { token: token.to_owned(), audiences: None };
        let review = TokenReview { spec, ..TokenReview::default() };
        let review: TokenReview = self.api.create("/apis/authentication.k8s.io/v1/tokenreviews", &review).await?;
        self.silent.store(false, Ordering::Relaxed);
        let status = review.status.unwrap_or_default();
        let named = |user: &UserInfo| user.username.as_ref().is_some_and(|name| !name.is_empty());
        let user = status.user.filter(|user| status.authenticated == Some(true) && named(user));
        self.users.keep(sum, user.clone());
        Ok(user)
    }

    async fn permission(&self, user: &UserInfo, verb: &str, path: &str) -> Result<Permission, CallError> {
        let spec = SubjectAccessReviewSpec {
            user: user.username.clone(),
            uid: user.uid.clone(),
            groups: user.groups.clone(),
            extra: user.extra.clone(),
            non_resource_attributes: Some(NonResourceAttributes {
                path: Some(path.to_owned()),
                verb: Some(verb.to_owned()),
            }),
            resource_attributes: None,
        };
        let sum = self.sum(&serde_json::to_vec(&spec).map_err(|error| CallError::NotSent(error.to_string()))?);
        if let Some(known) = self.permissions.get(&sum) {
            return Ok(known);
        }
        let review = SubjectAccessReview { spec, ..SubjectAccessReview::default() };
        let review: SubjectAccessReview =
            self.api.create("/apis/authorization.k8s.io/v1/subjectaccessreviews", &review).await?;
        self.silent.store(false, Ordering::Relaxed);
        let status = review.status.unwrap_or_default();
        let allowed = status.allowed && status.denied != Some(true);
        let permission = Permission { allowed, reason: status.reason.unwrap_or_default() };
        self.permissions.keep(sum, permission.clone());
        Ok(permission)
    }

    fn sum(&self, of: &[u8]) -> Sum {
        Sha256::new().chain_update(self.salt).chain_update(of).finalize().into()
    }

    /// Once until an answer comes again: whoever asks makes these lines, so they must not fill a disk.
    fn tell(&self, what: &str, error: &CallError, secret: Option<&str>) {
        if self.silent.swap(true, Ordering::Relaxed) {
            return;
        }
        // A parser quotes what it cannot read, and an answer to a TokenReview has the token in it.
        let text = match error {
            CallError::Unreadable(_) => "unreadable answer".to_owned(),
            other => other.to_string(),
        };
        let error = secret.map_or(text.clone(), |secret| text.replace(secret, "(token)"));
        tracing::warn!(%error, "the API server did not say {what}; the metrics are refused until it does");
    }
}

/// Everybody who is known is in this group, as in every server of Kubernetes.
fn authenticated(mut user: UserInfo) -> UserInfo {
    let groups = user.groups.get_or_insert_default();
    if !groups.iter().any(|group| group == AUTHENTICATED) {
        groups.push(AUTHENTICATED.to_owned());
    }
    user
}

type Sum = [u8; 32];

/// Answers that hold for a few seconds; the least used one makes room.
#[derive(Debug)]
struct Answers<T>(Mutex<LruCache<Sum, (Instant, T)>>);

impl<T> Default for Answers<T> {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(ANSWERS_KEPT)))
    }
}

impl<T: Clone> Answers<T> {
    fn get(&self, sum: &Sum) -> Option<T> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get(sum).filter(|(until, _)| Instant::now() < *until).map(|(_, answer)| answer.clone())
    }

    fn keep(&self, sum: Sum, answer: T) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.put(sum, (later(Instant::now(), ANSWERS_HOLD), answer));
    }
}
