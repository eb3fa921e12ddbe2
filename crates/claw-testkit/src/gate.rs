//! Named gates. With them, a test determines when a scripted agent or API continues.

use std::{collections::HashMap, io, path::PathBuf, sync::Arc, time::Duration};

use tokio::sync::watch;

#[cfg(test)]
mod tests;

/// The interval at which the file of a gate is checked.
const FILE_POLL: Duration = Duration::from_millis(5);

/// A set of named gates. Every gate is closed at first. After it was opened, it stays open.
///
/// A stand-in, such as a scripted agent, waits at a gate with [`wait`](Self::wait). The test opens the gate with
/// [`open`](Self::open), and waits with [`reached`](Self::reached) until a stand-in has arrived there. Gates need not
/// be declared. Clones share the same gates.
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
    /// Creates a set of gates for this process only.
    pub fn new() -> Self {
        Self {
            known: Arc::new(watch::Sender::new(HashMap::new())),
            folder: None,
        }
    }

    /// Creates a set of gates that several processes share through an existing folder.
    ///
    /// The gate `x` is open once the folder contains the file `x.open`. The first process that waits at the gate
    /// creates the file `x.reached`. So the names of the gates must be usable as file names. Unlike FIFOs, these gates
    /// work on every platform.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: Some(folder.into()),
            ..Self::new()
        }
    }

    /// Opens a gate for all that wait at it now or later.
    ///
    /// # Errors
    /// Fails only for gates [in a folder](Self::in_folder), if the `.open` file cannot be written.
    pub fn try_open(&self, name: &str) -> io::Result<()> {
        if let Some(folder) = &self.folder {
            std::fs::write(folder.join(format!("{name}.open")), "")?;
        }
        self.mark(name, |gate| gate.open = true);
        Ok(())
    }

    /// Opens a gate for all that wait at it now or later.
    ///
    /// # Panics
    /// Panics only for gates [in a folder](Self::in_folder), if the `.open` file cannot be written.
    /// [`try_open`](Self::try_open) returns this error instead.
    pub fn open(&self, name: &str) {
        if let Err(error) = self.try_open(name) {
            panic!("opening the gate {name}: {error}");
        }
    }

    /// Waits until the gate is open.
    ///
    /// # Errors
    /// Fails only for gates [in a folder](Self::in_folder), if the `.reached` file cannot be written.
    ///
    /// # Cancel safety
    /// Cancel safe. Even if the future is dropped, [`reached`](Self::reached) treats the call as an arrival at the
    /// gate.
    pub async fn wait(&self, name: &str) -> io::Result<()> {
        self.mark(name, |gate| gate.reached = true);
        if let Some(folder) = &self.folder {
            std::fs::write(folder.join(format!("{name}.reached")), "")?;
        }
        self.until(name, "open", |gate| gate.open).await;
        Ok(())
    }

    /// Waits until a stand-in, such as a scripted agent, has arrived at the gate. It does not matter whether the gate
    /// is open or closed.
    ///
    /// # Cancel safety
    /// Cancel safe.
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
            // Waiting cannot fail, because `self.known` is the sender.
            _ = known.wait_for(|gates| gates.get(name).is_some_and(test)) => {}
            () = in_file => {}
        }
    }

    fn mark(&self, name: &str, change: fn(&mut Gate)) {
        self.known
            .send_modify(|gates| change(gates.entry(name.to_owned()).or_default()));
    }
}
