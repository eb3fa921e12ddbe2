//! Requests to an object store, each within the deadline of its call.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use claw_store::StoreError;
use claw_store::adapter::Deadline;
use futures::stream::{self, BoxStream, StreamExt as _};
use object_store::path::Path;
use object_store::{
    Error, GetOptions, GetResult, ObjectMeta, ObjectStore, ObjectStoreExt as _, PutMode,
    PutOptions, PutResult, UpdateVersion,
};

use crate::failure::failure;

/// A client, and the timeout of each call.
pub(crate) struct Requests {
    objects: Arc<dyn ObjectStore>,
    timeout: Duration,
}

/// An object that was read completely.
pub(crate) struct Object {
    pub(crate) body: Bytes,
    pub(crate) version: UpdateVersion,
    /// The time of the server's clock at which the object was written, in milliseconds since 1970.
    pub(crate) modified: i64,
}

impl Requests {
    pub(crate) fn new(objects: Arc<dyn ObjectStore>, timeout: Duration) -> Self {
        Self { objects, timeout }
    }

    pub(crate) fn deadline(&self) -> Deadline {
        Deadline::after(self.timeout)
    }

    /// Reads an object of at most `limit` bytes. Returns `None` if the object does not exist.
    pub(crate) async fn get(
        &self,
        path: &Path,
        limit: usize,
        deadline: Deadline,
    ) -> Result<Option<Object>, StoreError> {
        let read = async {
            let Some(got) = self.opened(path, GetOptions::default()).await? else {
                return Ok(None);
            };
            let meta = got.meta.clone();
            let body = whole(got, limit).await?;
            Ok(Some(Object {
                body,
                modified: milliseconds(&meta),
                version: UpdateVersion {
                    e_tag: meta.e_tag,
                    version: meta.version,
                },
            }))
        };
        deadline.storing_nothing(read).await
    }

    /// Reads the first `bytes` bytes of a larger object. Returns `None` if the object does not exist.
    pub(crate) async fn beginning(
        &self,
        path: &Path,
        bytes: usize,
        deadline: Deadline,
    ) -> Result<Option<Bytes>, StoreError> {
        let range = GetOptions::new().with_range(Some(0..bytes as u64));
        let read = async {
            match self.opened(path, range).await? {
                Some(got) => whole(got, bytes).await.map(Some),
                None => Ok(None),
            }
        };
        deadline.storing_nothing(read).await
    }

    /// Whether the object exists.
    pub(crate) async fn exists(&self, path: &Path, deadline: Deadline) -> Result<bool, StoreError> {
        let ask = async {
            match self.objects.head(path).await {
                Ok(_) => Ok(true),
                Err(Error::NotFound { .. }) => Ok(false),
                Err(error) => Err(failure(&error).storing_nothing()),
            }
        };
        deadline.storing_nothing(ask).await
    }

    /// Streams the bytes of an object. Returns `None` if the object does not exist.
    pub(crate) async fn stream(
        &self,
        path: &Path,
    ) -> Result<Option<BoxStream<'static, Result<Bytes, StoreError>>>, StoreError> {
        let open = self.opened(path, GetOptions::default());
        let Some(got) = self.deadline().storing_nothing(open).await? else {
            return Ok(None);
        };
        Ok(Some(self.timed(got.into_stream())))
    }

    async fn opened(
        &self,
        path: &Path,
        options: GetOptions,
    ) -> Result<Option<GetResult>, StoreError> {
        match self.objects.get_opts(path, options).await {
            Ok(got) => Ok(Some(got)),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(failure(&error).storing_nothing()),
        }
    }

    /// Creates an object. Returns `false` if the object already exists.
    pub(crate) async fn create(
        &self,
        path: &Path,
        body: Bytes,
        deadline: Deadline,
    ) -> Result<bool, StoreError> {
        let put = async {
            match self.put(path, body, PutMode::Create).await {
                Ok(_) => Ok(true),
                Err(Error::AlreadyExists { .. } | Error::Precondition { .. }) => Ok(false),
                Err(error) => Err(failure(&error).storing()),
            }
        };
        deadline.storing(put).await
    }

    /// Replaces an object if `version` is its newest version. If `version` is `None`, creates the object. Returns
    /// `false` if the object has another version or already exists.
    pub(crate) async fn replace(
        &self,
        path: &Path,
        body: Bytes,
        version: Option<UpdateVersion>,
        deadline: Deadline,
    ) -> Result<bool, StoreError> {
        let Some(version) = version else {
            return self.create(path, body, deadline).await;
        };
        let put = async {
            match self.put(path, body, PutMode::Update(version)).await {
                Ok(_) => Ok(true),
                Err(Error::AlreadyExists { .. } | Error::Precondition { .. }) => Ok(false),
                Err(error) => Err(failure(&error).storing()),
            }
        };
        deadline.storing(put).await
    }

    async fn put(&self, path: &Path, body: Bytes, mode: PutMode) -> Result<PutResult, Error> {
        let options = PutOptions {
            mode,
            ..PutOptions::default()
        };
        self.objects.put_opts(path, body.into(), options).await
    }

    /// Returns the server's time in milliseconds since 1970. Writes an object and reads its time of change.
    pub(crate) async fn now(&self, probe: &Path, deadline: Deadline) -> Result<i64, StoreError> {
        let ask = async {
            let empty = self.put(probe, Bytes::new(), PutMode::Overwrite).await;
            empty.map_err(|error| failure(&error).storing_nothing())?;
            let meta = self.objects.head(probe).await;
            let meta = meta.map_err(|error| failure(&error).storing_nothing())?;
            // If this deletion fails, the temporary object remains, which is harmless.
            let _ = self.objects.delete(probe).await;
            Ok(milliseconds(&meta))
        };
        deadline.storing_nothing(ask).await
    }

    /// Lists the objects of a folder, in any order.
    pub(crate) fn list(&self, folder: &Path) -> BoxStream<'static, Result<ObjectMeta, StoreError>> {
        self.timed(self.objects.list(Some(folder)))
    }

    /// Applies the timeout to each item of the stream.
    fn timed<T: Send + 'static>(
        &self,
        items: BoxStream<'static, Result<T, Error>>,
    ) -> BoxStream<'static, Result<T, StoreError>> {
        let timeout = self.timeout;
        let timed = stream::unfold(items, move |mut items| async move {
            let step = async { Ok(items.next().await) };
            let next = match Deadline::after(timeout).storing_nothing(step).await {
                Ok(next) => next?.map_err(|error| failure(&error).storing_nothing()),
                Err(error) => Err(error),
            };
            Some((next, items))
        });
        timed.boxed()
    }

    /// Deletes objects. Deleting an object that does not exist is not an error.
    pub(crate) async fn delete(
        &self,
        paths: Vec<Path>,
        deadline: Deadline,
    ) -> Result<(), StoreError> {
        let paths = stream::iter(paths.into_iter().map(Ok)).boxed();
        let mut deleted = self.objects.delete_stream(paths);
        let delete = async {
            while let Some(done) = deleted.next().await {
                match done {
                    Ok(_) | Err(Error::NotFound { .. }) => {}
                    Err(error) => return Err(failure(&error).storing()),
                }
            }
            Ok(())
        };
        deadline.storing(delete).await
    }
}

async fn whole(got: GetResult, limit: usize) -> Result<Bytes, StoreError> {
    let size = usize::try_from(got.range.end.saturating_sub(got.range.start));
    let mut body = BytesMut::with_capacity(size.unwrap_or(limit).min(limit));
    let mut chunks = got.into_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|error| failure(&error).storing_nothing())?;
        if body.len() + chunk.len() > limit {
            return Err(StoreError::corrupt(format!(
                "an object has more than {limit} bytes, which is the limit"
            )));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

pub(crate) fn milliseconds(meta: &ObjectMeta) -> i64 {
    meta.last_modified.timestamp_millis()
}
