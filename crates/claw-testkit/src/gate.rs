//! Named gates: how a test decides when a stand-in goes on.

use std::{collections::HashMap, io, path::PathBuf, sync::Arc, time::Duration};

use tokio::sync::watch;

#[cfg(test)]
mod tests;

/// How often a gate that is a file is looked for.
const FILE_POLL: Duration = Duration::from_millis(5);

/// A set of named gates. All are shut at first; once opened, a gate stays open.
///
/// A stand-in waits at a gate with [`wait`](Self::wait); the test opens it with [`open`](Self::open)
/// and learns with [`reached`](Self::reached) that somebody has arrived there. No gate needs to be
/// declared. Clones are the same gates.
///
/// ```
/// use claw_testkit::Gates;
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let gates = Gates::new();
/// let held = tokio::spawn({
///     let gates = gates.clone();
///     async move { gates.wait("middle").await }
/// });
/// gates.reached("middle").await;
/// assert!(!held.is_finished());
/// gates.open("middle");
/// held.await
/// # })??;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Gates {
    known: Arc<watch::Sender<HashMap<String, Gate>>>,
    folder: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Gate {
    reached: bool,
    open: bool,
}

impl Default for Gates {
    fn default() -> Self {
        Self::new()
    }
}

impl Gates {
    /// Gates within this process.
    pub fn new() -> Self {
        Self {
            known: Arc::new(watch::Sender::new(HashMap::new())),
            folder: None,
        }
    }

    /// Gates shared with another process through a folder that exists.
    ///
    /// The gate `x` is open once a file `x.open` is there; whoever waits at it first makes a file
    /// `x.reached`. Names must be usable as file names. Works on every platform, where FIFOs don't.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: Some(folder.into()),
            ..Self::new()
        }
    }

    /// Opens a gate for everybody who waits at it, now or later.
    ///
    /// # Errors
    /// Only for gates [in a folder](Self::in_folder), when the file can't be written.
    pub fn try_open(&self, name: &str) -> io::Result<()> {
        if let Some(folder) = &self.folder {
            std::fs::write(folder.join(format!("{name}.open")), "")?;
        }
        self.mark(name, |gate| gate.open = true);
        Ok(())
    }

    /// Opens a gate for everybody who waits at it, now or later.
    ///
    /// # Panics
    /// For gates [in a folder](Self::in_folder), when the file can't be written;
    /// [`try_open`](Self::try_open) says so instead.
    pub fn open(&self, name: &str) {
        if let Err(error) = self.try_open(name) {
            panic!("opening the gate {name}: {error}");
        }
    }

    /// Waits until the gate is open.
    ///
    /// # Errors
    /// Only for gates [in a folder](Self::in_folder), when the `.reached` file can't be written.
    ///
    /// # Cancel safety
    /// Safe: a wait that is dropped has only told [`reached`](Self::reached) that somebody came.
    pub async fn wait(&self, name: &str) -> io::Result<()> {
        self.mark(name, |gate| gate.reached = true);
        if let Some(folder) = &self.folder {
            std::fs::write(folder.join(format!("{name}.reached")), "")?;
        }
        self.until(name, "open", |gate| gate.open).await;
        Ok(())
    }

    /// Waits until somebody has arrived at the gate, whether or not it let them through.
    ///
    /// # Cancel safety
    /// Safe: it only looks.
    pub async fn reached(&self, name: &str) {
        self.until(name, "reached", |gate| gate.reached).await;
    }

    async fn until(&self, name: &str, suffix: &str, test: fn(&Gate) -> bool) {
        let in_file = async {
            match &self.folder {
                None => std::future::pending().await,
                Some(folder) => {
                    let file = folder.join(format!("{name}.{suffix}"));
                    while !file.exists() {
                        tokio::time::sleep(FILE_POLL).await;
                    }
                }
            }
        };
        let mut known = self.known.subscribe();
        tokio::select! {
            // The sender is `self.known`, so waiting can't fail.
            _ = known.wait_for(|gates| gates.get(name).is_some_and(test)) => {}
            () = in_file => {}
        }
    }

    fn mark(&self, name: &str, change: fn(&mut Gate)) {
        self.known
            .send_modify(|gates| change(gates.entry(name.to_owned()).or_default()));
    }
}
