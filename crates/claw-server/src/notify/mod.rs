//! Sends notices through a webhook to people who are not looking at a session.
//!
//! A session adds a notice to a queue, and does not wait. A task sends the notices one after another.

pub(crate) mod body;
pub(crate) mod http;
mod sign;
mod tls;

use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use bytes::Bytes;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use crate::hub::{Activity, Occasion};
use body::Form;
use http::{PostError, Target};

/// Maximum number of notices that wait to be sent. Further notices are lost. The size of a notice is at most [some
/// KB](body::LONGEST).
const MOST_WAITING: usize = 64;
/// Maximum number of attempts to send a notice.
const TRIES: u32 = 3;
/// Minimum length of a secret, in characters.
const SHORTEST: usize = 16;

/// The receiver of a server's notices, and the form of the notices. Set with
/// [`ServerBuilder::notify`](crate::ServerBuilder::notify).
#[derive(Debug, Clone)]
#[must_use = "a server sends notices if it is built with it"]
pub struct Notify {
    target: Target,
    form: Form,
    secret: Option<Secret>,
    has_content: bool,
    deadline: Duration,
    pause: Duration,
}

/// The form of notices that their receiver accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotifyFormat {
    /// A JSON object, signed according to [Standard Webhooks](https://www.standardwebhooks.com). The signature needs a
    /// secret.
    Json,
    /// A topic of [ntfy](https://ntfy.sh), such as `https://ntfy.sh/topic`. The secret, if there is one, is the access
    /// token.
    Ntfy,
    /// An incoming webhook of Slack.
    Slack,
    /// A bot of Telegram. The address has the form `https://api.telegram.org/botTOKEN/sendMessage?chat_id=CHAT`.
    Telegram,
}

/// The reason why notices cannot be sent in the requested way.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotifyError {
    /// The address is not an HTTP address.
    #[error("the address of notices is not one such as https://example.org/hook")]
    Address,
    /// The address does not name a topic of ntfy.
    #[error("the address of notices has no topic, such as https://ntfy.sh/topic")]
    Topic,
    /// The address does not name a chat of Telegram.
    #[error("the address of notices has no `?chat_id=`")]
    Chat,
    /// No secret was given, but notices in JSON must be signed with one.
    #[error("notices in JSON need a secret to be signed with")]
    NoSecret,
    /// A secret was given, but Slack and Telegram have their secret in the address.
    #[error(
        "a secret is for notices in JSON and for ntfy: that of Slack and Telegram is in the address"
    )]
    NoUse,
    /// The secret is too easy to guess, or cannot be sent in a header.
    #[error("the secret of notices has 16 characters or more, all of ASCII and without spaces")]
    Secret,
    /// TLS cannot be set up.
    #[error("notices cannot be sent by https: {0}")]
    Tls(String),
}

/// A secret, which `Debug` does not show.
#[derive(Clone)]
struct Secret(String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(***)")
    }
}

impl Notify {
    /// Creates a receiver of notices with this address. For JSON, the secret signs the notices. For ntfy, the secret is
    /// the access token.
    ///
    /// # Errors
    ///
    /// Fails with a [`NotifyError`] if notices cannot be sent to this address in this form with this secret.
    pub fn new(
        url: &str,
        format: NotifyFormat,
        secret: Option<String>,
    ) -> Result<Self, NotifyError> {
        let mut target = Target::new(url)?;
        let form = Form::new(format, &mut target)?;
        match (&secret, format) {
            (None, NotifyFormat::Json) => return Err(NotifyError::NoSecret),
            (Some(_), NotifyFormat::Slack | NotifyFormat::Telegram) => {
                return Err(NotifyError::NoUse);
            }
            (Some(secret), _)
                if secret.len() < SHORTEST
                    || !secret.bytes().all(|byte| byte.is_ascii_graphic()) =>
            {
                return Err(NotifyError::Secret);
            }
            _ => {}
        }
        Ok(Self {
            target,
            form,
            secret: secret.map(Secret),
            has_content: false,
            deadline: Duration::from_secs(10),
            pause: Duration::from_secs(2),
        })
    }

    /// Includes contents of the conversation in notices: the subject of a request, the end of the last answer, the
    /// reason why a turn failed, and the beginning of the first prompt if the session has no title. By default, notices
    /// have no such contents.
    pub fn with_content(mut self) -> Self {
        self.has_content = true;
        self
    }

    /// Sets the time within which the receiver must respond. Default: 10 seconds.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Sets how long a notice waits before the second attempt to send it. Before the third attempt, it waits four times
    /// as long. Default: 2 seconds.
    pub fn pause(mut self, pause: Duration) -> Self {
        self.pause = pause;
        self
    }

    /// Starts a task that sends notices for occasions until the hub is dropped.
    pub(crate) fn start(self, activity: &Arc<Activity>, public: Option<String>) {
        let (sender, mut waiting) = mpsc::channel::<Notice>(MOST_WAITING);
        let has_content = self.has_content;
        let counted = Arc::downgrade(activity);
        let lose = move || {
            if let Some(activity) = counted.upgrade() {
                activity.counts.change(|totals| totals.lost_webhooks += 1);
            }
        };
        let lose_new = lose.clone();
        activity.listen(move |occasion| {
            let notice = Notice::new(occasion, public.as_deref(), has_content);
            if sender.try_send(notice).is_err() {
                lose_new();
                tracing::warn!("a notice is lost: {MOST_WAITING} wait to be sent");
            }
        });
        tokio::spawn(async move {
            while let Some(notice) = waiting.recv().await {
                if !self.deliver(&notice).await {
                    lose();
                }
            }
        });
    }

    /// Sends one notice, with retries. Returns whether the receiver has taken it.
    async fn deliver(&self, notice: &Notice) -> bool {
        let body = Bytes::from(self.form.body(notice));
        let mut pause = self.pause;
        for attempt in 1..=TRIES {
            let sent = self.target.post(self.headers(notice, &body), body.clone());
            let error = match timeout(self.deadline, sent).await {
                Ok(Ok(status)) if status.is_success() => return true,
                Ok(Ok(status)) => PostError::Status(status),
                Ok(Err(error)) => error,
                Err(_) => PostError::Silent,
            };
            if attempt == TRIES || !error.may_pass() {
                // The address is not logged, because it may contain a secret.
                tracing::warn!("a notice is lost after {attempt} attempts: {error}");
                return false;
            }
            sleep(pause).await;
            pause *= 4;
        }
        false
    }

    fn headers(&self, notice: &Notice, body: &[u8]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let json = HeaderValue::from_static("application/json");
        headers.insert(header::CONTENT_TYPE, json);
        let Some(Secret(secret)) = &self.secret else {
            return headers;
        };
        let mut add = |name, value: String| {
            if let Ok(mut value) = HeaderValue::from_str(&value) {
                value.set_sensitive(true);
                headers.insert(name, value);
            }
        };
        if let Form::Json = self.form {
            for (name, value) in sign::headers(secret, &notice.id, body) {
                add(HeaderName::from_static(name), value);
            }
        } else {
            add(header::AUTHORIZATION, format!("Bearer {secret}"));
        }
        headers
    }
}

/// A notice to a person.
#[derive(Debug, Clone)]
struct Notice {
    /// The ID of the notice. All attempts to send the notice have the same ID.
    id: String,
    kind: &'static str,
    session: String,
    project: String,
    title: Option<String>,
    /// The time of the occasion, in milliseconds since 1970.
    time: i64,
    link: Option<String>,
    content: Option<String>,
}

impl Notice {
    fn new(occasion: Occasion, public: Option<&str>, has_content: bool) -> Self {
        let session = occasion.session.as_str().to_owned();
        let (kind, content) = body::content(occasion.kind, has_content);
        let title = if has_content {
            occasion.name
        } else {
            occasion.title
        };
        Self {
            id: format!("msg_{}", uuid::Uuid::new_v4().simple()),
            kind,
            link: public.map(|public| format!("{public}/s/{session}")),
            session,
            project: occasion.project,
            title: title.map(|title| body::shortened(&title, body::LONGEST_TITLE)),
            time: occasion.at,
            content,
        }
    }
}
