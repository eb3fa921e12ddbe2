//! Notifications of browsers, even while no page is open: Web Push (RFC 8030, 8291 and 8292).
//!
//! Each device subscribes separately. Each message is encrypted for one device.

mod address;
mod crypto;
mod kept;
mod message;
pub(crate) mod routes;

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use bytes::Bytes;
use tokio::sync::{Semaphore, mpsc};
use tokio::time::{sleep, timeout};

use crate::hub::{Activity, Hub, Occasion};
use crate::notify::http::PostError;
use crate::role::Role;
use crate::{Project, PublicUrl, Users};
use address::Bounds;
use crypto::VapidKey;
use kept::{Kept, Subscription};
use message::Message;

/// Maximum number of occasions that wait to be sent. Further occasions are discarded.
const MOST_WAITING: usize = 64;
/// Maximum number of messages that are being sent. Further messages are discarded, so that a slow push service does not delay
/// other devices.
const MOST_SENDING: usize = 128;
/// Maximum number of attempts to send a message to a device.
const TRIES: u32 = 3;
/// Deadline of one request to a push service.
const DEADLINE: Duration = Duration::from_secs(10);
/// Pause before the second attempt to send a message.
const PAUSE: Duration = Duration::from_secs(2);
/// The time for which a push service stores a message for an unreachable device, in seconds. By default, a request is denied
/// after an hour, so a later message would be useless.
const KEPT_FOR: &str = "3600";

/// Starts the notifications of a server once, when the routes of its pages are created.
#[derive(Debug)]
pub(crate) struct PushSetup {
    may_be_loopback: bool,
    opened: OnceLock<Option<Arc<Push>>>,
}

impl PushSetup {
    pub(crate) fn new(may_be_loopback: bool) -> Self {
        Self {
            may_be_loopback,
            opened: OnceLock::new(),
        }
    }

    /// Starts the notifications at the first call. Later calls return the same value. `answers` is the role that a user needs
    /// to answer requests. If notifications are not available, logs the reason and returns `None`.
    pub(crate) fn open(
        &self,
        hub: &Hub,
        public: Option<&PublicUrl>,
        users: Option<&Users>,
        answers: Role,
    ) -> Option<Arc<Push>> {
        let open = || {
            let folder = hub
                .sessions()
                .projects()
                .with_file_name("claw")
                .join("push");
            let public = public.map(ToString::to_string);
            let push = Push::open(
                &folder,
                public,
                users.cloned(),
                answers,
                hub.projects().to_vec(),
                self.may_be_loopback,
            )?;
            push.start(hub.activity());
            Some(push)
        };
        self.opened.get_or_init(open).clone()
    }
}

/// Sends notifications to devices.
#[derive(Debug)]
pub(crate) struct Push {
    key: VapidKey,
    kept: Kept,
    bounds: Bounds,
    users: Option<Users>,
    /// The role that a user needs to answer requests.
    answers: Role,
    projects: Vec<Project>,
    /// The contact that push services receive: the public address of the server, or the address of claw's repository.
    subject: String,
}

impl Push {
    /// Reads the key and the devices that an earlier server has stored in this folder. If notifications are not available, logs
    /// the reason and returns `None`.
    fn open(
        folder: &Path,
        public: Option<String>,
        users: Option<Users>,
        answers: Role,
        projects: Vec<Project>,
        may_be_loopback: bool,
    ) -> Option<Arc<Self>> {
        let key = VapidKey::open(&folder.join("vapid"));
        let key = key.inspect_err(|error| tracing::warn!("no notifications are sent: {error}"));
        Some(Arc::new(Self {
            key: key.ok()?,
            kept: Kept::open(folder.join("subscriptions")),
            bounds: Bounds { may_be_loopback },
            users,
            answers,
            projects,
            subject: public
                .filter(|public| public.starts_with("https:"))
                .unwrap_or_else(|| env!("CARGO_PKG_REPOSITORY").to_owned()),
        }))
    }

    /// Starts a task that sends a notification for each occasion. The task ends when the hub is dropped.
    fn start(self: &Arc<Self>, activity: &Arc<Activity>) {
        let (sender, mut waiting) = mpsc::channel::<Occasion>(MOST_WAITING);
        let counted = Arc::downgrade(activity);
        let lose = move |count: usize| {
            if let Some(activity) = counted.upgrade() {
                let count = count as u64;
                activity.counts.change(|totals| totals.lost_pushes += count);
            }
        };
        let lose_new = lose.clone();
        let push = Arc::downgrade(self);
        activity.listen(move |occasion| {
            // Without devices, occasions are discarded.
            let devices = push.upgrade().map_or(0, |push| push.kept.count());
            if devices > 0 && sender.try_send(occasion).is_err() {
                lose_new(devices);
                tracing::warn!("a notification is lost: {MOST_WAITING} wait to be sent");
            }
        });
        let push = self.clone();
        tokio::spawn(async move {
            let places = Arc::new(Semaphore::new(MOST_SENDING));
            while let Some(occasion) = waiting.recv().await {
                let occasion = Arc::new(occasion);
                for to in push.kept.all() {
                    let Ok(place) = places.clone().try_acquire_owned() else {
                        lose(1);
                        tracing::warn!("a notification is lost: {MOST_SENDING} are on their way");
                        continue;
                    };
                    let (push, occasion) = (push.clone(), occasion.clone());
                    let lose = lose.clone();
                    tokio::spawn(async move {
                        if !push.deliver(&occasion, &to).await {
                            lose(1);
                        }
                        drop(place);
                    });
                }
            }
        });
    }

    /// Returns the role of the person who uses a device. Returns `None` if the person may not see this project. Removes the
    /// device if its user no longer exists.
    fn role_of(&self, to: &Subscription, project: &str) -> Option<Role> {
        let Some(id) = &to.user else {
            return Some(Role::Own);
        };
        let users = self.users.as_ref();
        let user = users.and_then(|users| users.by_id(id));
        // If there are no users, the file of users may be unreadable for the moment. So the device is not removed.
        if users.is_some_and(|users| !users.current().is_empty()) && user.is_none() {
            self.kept.remove(&to.endpoint);
        }
        let project = self.projects.iter().find(|it| it.name == project);
        let user = user.filter(|user| project.is_some_and(|project| user.sees(project)))?;
        Some(user.role)
    }

    /// Sends a message to one device, with retries. Returns `false` if the message is lost. A message to a device that is
    /// gone, or whose person may not see the project, is not lost.
    async fn deliver(&self, occasion: &Occasion, to: &Subscription) -> bool {
        let Some(role) = self.role_of(to, &occasion.project) else {
            return true;
        };
        let message = Message::new(occasion, to.content, role >= self.answers).json();
        let mut pause = PAUSE;
        for attempt in 1..=TRIES {
            let sent = timeout(DEADLINE, self.send(message.as_bytes(), to)).await;
            let error = match sent {
                Ok(Ok(status)) if status.is_success() => return true,
                Ok(Ok(StatusCode::NOT_FOUND | StatusCode::GONE)) => {
                    self.kept.remove(&to.endpoint);
                    return true;
                }
                Ok(Ok(status)) => SendError::Post(PostError::Status(status)),
                Ok(Err(error)) => error,
                Err(_) => SendError::Post(PostError::Silent),
            };
            let may_pass = matches!(&error, SendError::Post(error) if error.may_pass());
            if attempt == TRIES || !may_pass {
                tracing::warn!("a notification is lost after {attempt} attempts: {error}");
                return false;
            }
            sleep(pause).await;
            pause *= 4;
        }
        false
    }

    async fn send(&self, message: &[u8], to: &Subscription) -> Result<StatusCode, SendError> {
        // The address is checked again, because the IP addresses of the host may have changed since the subscription.
        let (target, addresses) = self.bounds.check(&to.endpoint).await?;
        let body = crypto::encrypt(message, &to.key, &to.auth).map_err(SendError::Crypto)?;
        let authorization = self.key.authorization(&to.endpoint, &self.subject);
        let authorization = authorization.map_err(SendError::Crypto)?;
        let mut headers = HeaderMap::new();
        for (name, value) in [
            (header::AUTHORIZATION, &*authorization),
            (header::CONTENT_ENCODING, "aes128gcm"),
            (header::CONTENT_TYPE, "application/octet-stream"),
            (HeaderName::from_static("ttl"), KEPT_FOR),
            (HeaderName::from_static("urgency"), "high"),
        ] {
            let value = HeaderValue::from_str(value).map_err(|_| SendError::Crypto("no header"))?;
            headers.insert(name, value);
        }
        Ok(target
            .post_to(&addresses, headers, Bytes::from(body))
            .await?)
    }
}

/// The reason why a message was not sent.
#[derive(Debug, thiserror::Error)]
enum SendError {
    #[error(transparent)]
    Post(#[from] PostError),
    #[error(transparent)]
    Address(#[from] address::AddressError),
    #[error("it cannot be encrypted: {0}")]
    Crypto(&'static str),
}
