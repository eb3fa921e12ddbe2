//! A page as the browser of a phone shows it: Chromium without a window, told what to do over a pipe.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use base64::Engine as _;
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use tempfile::TempDir;

/// However slow the machine is.
const LIMIT: Duration = Duration::from_mins(2);

/// Resolves after two frames have been drawn.
const FRAMES: &str =
    "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))";

/// The browser, with one tab as wide as a phone. It ends when this is dropped.
pub(crate) struct Chromium {
    child: Child,
    commands: ChildStdin,
    messages: Receiver<Value>,
    session: Option<String>,
    sent: u64,
    events: Vec<Value>,
    _profile: TempDir,
}

/// What a page did while it was loaded.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Loaded {
    /// The URLs that the page requested, without its own.
    pub(crate) requests: Vec<String>,
    /// The errors, dialogs and console messages of the page.
    pub(crate) said: Vec<String>,
}

impl Chromium {
    pub(crate) fn start() -> Self {
        let profile = tempfile::tempdir().unwrap();
        let mut child = Command::new("sh")
            // Commands come in on 3, and answers go out on 4.
            .args(["-c", r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null"#])
            .arg(claw_testkit::chromium().unwrap())
            .args([
                "--headless",
                "--remote-debugging-pipe",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--disable-quic",
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .env("HOME", profile.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap();
        let (sender, messages) = channel();
        let answers = BufReader::new(child.stdout.take().unwrap()).split(0);
        std::thread::spawn(move || {
            for answer in answers.map_while(Result::ok) {
                let message = serde_json::from_slice(&answer).unwrap();
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let mut browser = Self {
            commands: child.stdin.take().unwrap(),
            child,
            messages,
            session: None,
            sent: 0,
            events: Vec::new(),
            _profile: profile,
        };
        let tab = browser.call("Target.createTarget", &json!({"url": "about:blank"}));
        let tab = json!({"targetId": tab["targetId"], "flatten": true});
        let session = browser.call("Target.attachToTarget", &tab);
        browser.session = Some(session["sessionId"].as_str().unwrap().to_owned());
        for domain in ["Page", "Network", "Runtime", "Log"] {
            browser.call(&format!("{domain}.enable"), &json!({}));
        }
        browser.resize(844);
        browser
    }

    /// Makes the screen of the phone as high as that, in pixels.
    fn resize(&mut self, height: u64) {
        let phone = json!({"width": 390, "height": height, "deviceScaleFactor": 1, "mobile": true});
        self.call("Emulation.setDeviceMetricsOverride", &phone);
    }

    /// Loads a page, until nothing more is loaded.
    pub(crate) fn load(&mut self, page: &Path) -> Loaded {
        let itself = format!("file://{}", page.display());
        self.open(&itself);
        // What scripts and clicks would start has started when frames were drawn since.
        self.value(FRAMES);
        let mut loaded = Loaded::default();
        for event in &self.events {
            let params = &event["params"];
            match event["method"].as_str() {
                Some("Network.requestWillBeSent") if params["request"]["url"] != *itself => {
                    let url = params["request"]["url"].as_str().unwrap();
                    loaded.requests.push(url.to_owned());
                }
                Some(
                    "Log.entryAdded"
                    | "Runtime.consoleAPICalled"
                    | "Runtime.exceptionThrown"
                    | "Page.javascriptDialogOpening",
                ) => loaded.said.push(params.to_string()),
                _ => {}
            }
        }
        loaded
    }

    /// Goes to a URL, until its page is loaded.
    pub(crate) fn open(&mut self, url: &str) {
        self.events.clear();
        let answer = self.call("Page.navigate", &json!({"url": url}));
        assert_eq!(answer["errorText"], Value::Null, "{url}");
        self.event("Page.loadEventFired");
    }

    /// Freezes the page, as a phone does with what nobody looks at, or lets it go on.
    #[cfg(feature = "serve")]
    pub(crate) fn freeze(&mut self, is_frozen: bool) {
        let state = if is_frozen { "frozen" } else { "active" };
        self.call("Page.setWebLifecycleState", &json!({"state": state}));
    }

    /// Waits until an expression on the page is true.
    #[cfg(feature = "serve")]
    pub(crate) fn until(&mut self, expression: &str) {
        let limit = LIMIT.as_millis();
        let seen = self.value(&format!(
            "new Promise(done => {{
                const look = n => ({expression}) ? done(true) : n ? setTimeout(look, 20, n - 1) : done(document.body.innerText);
                look({limit} / 20);
            }})"
        ));
        assert_eq!(seen, true, "{expression}");
    }

    /// Clicks in the middle of an element, as a person does.
    #[cfg(feature = "serve")]
    pub(crate) fn click(&mut self, selector: &str) {
        let at = self.value(&format!(
            "{{ const it = document.querySelector({selector:?});
                it.scrollIntoView({{ block: 'center', behavior: 'instant' }});
                const box = it.getBoundingClientRect();
                [box.x + box.width / 2, box.y + box.height / 2]; }}"
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let click =
                json!({"type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", &click);
        }
    }

    /// The value of an expression on the page.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let mut answer = self.call("Runtime.evaluate", &params);
        assert_eq!(answer["exceptionDetails"], Value::Null);
        answer["result"]["value"].take()
    }

    /// The page, from its top to its end or to that height.
    pub(crate) fn screenshot(&mut self, height: u64) -> Picture {
        Picture::read(&self.png(height))
    }

    /// A picture of the page, as a PNG file.
    pub(crate) fn png(&mut self, height: u64) -> Vec<u8> {
        let all = self.value("document.documentElement.scrollHeight");
        let height = height.min(all.as_u64().unwrap());
        self.resize(height);
        self.value(FRAMES);
        // A busy browser may draw parts of the page later than the frame. Two equal pictures show that all is drawn.
        let mut picture = self.captured();
        for _ in 0..20 {
            let next = self.captured();
            let is_settled = next == picture;
            picture = next;
            if is_settled {
                break;
            }
        }
        self.resize(844);
        base64::engine::general_purpose::STANDARD
            .decode(picture)
            .unwrap()
    }

    /// The visible part of the page, as a PNG file in base64.
    fn captured(&mut self) -> String {
        let answer = self.call("Page.captureScreenshot", &json!({"format": "png"}));
        answer["data"].as_str().unwrap().to_owned()
    }

    /// Colours for somebody who has chosen light or dark.
    pub(crate) fn scheme(&mut self, scheme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.call("Emulation.setEmulatedMedia", &json!({"features": features}));
    }

    fn call(&mut self, method: &str, params: &Value) -> Value {
        self.sent += 1;
        let mut command = json!({"id": self.sent, "method": method, "params": params});
        if let Some(session) = &self.session {
            command["sessionId"] = session.as_str().into();
        }
        let line = format!("{command}\0");
        self.commands.write_all(line.as_bytes()).unwrap();
        loop {
            let mut message = self.message(method);
            if message["id"] == self.sent {
                assert_eq!(message["error"], Value::Null, "{method}");
                return message["result"].take();
            }
            // A page that waits for an answer would wait for ever.
            assert_ne!(
                message["method"], "Page.javascriptDialogOpening",
                "{message}"
            );
            self.events.push(message);
        }
    }

    fn event(&mut self, method: &str) {
        while self.events.iter().all(|event| event["method"] != method) {
            let message = self.message(method);
            self.events.push(message);
        }
    }

    fn message(&self, awaited: &str) -> Value {
        let message = self.messages.recv_timeout(LIMIT);
        message.unwrap_or_else(|error| panic!("Chromium and {awaited}: {error}"))
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        // With all processes that it has started.
        let group = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        let _ = group.map(|group| kill_process_group(group, Signal::KILL));
        let _ = self.child.wait();
    }
}

/// A screenshot.
#[derive(PartialEq, Eq)]
pub(crate) struct Picture {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pixels: Vec<[u8; 3]>,
}

impl Picture {
    pub(crate) fn read(png: &[u8]) -> Self {
        // To be looked at.
        if let Some(folder) = std::env::var_os("CLAW_TEST_SCREENSHOTS") {
            let name = std::thread::current().name().unwrap().replace(':', "_");
            std::fs::write(Path::new(&folder).join(format!("{name}.png")), png).unwrap();
        }
        let mut reader = png::Decoder::new(std::io::Cursor::new(png))
            .read_info()
            .unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        let samples = info.color_type.samples();
        assert_eq!(info.bit_depth, png::BitDepth::Eight);
        let pixels = bytes[..info.buffer_size()].chunks(samples);
        Self {
            width: info.width.try_into().unwrap(),
            height: info.height.try_into().unwrap(),
            pixels: pixels.map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect(),
        }
    }

    /// The colours of some columns.
    pub(crate) fn colours(&self, columns: impl Fn(usize) -> bool) -> BTreeSet<[u8; 3]> {
        let pixels = self.pixels.iter().enumerate();
        let inside = pixels.filter(|(at, _)| columns(at % self.width));
        let mut colours: Vec<_> = inside.map(|(_, pixel)| *pixel).collect();
        colours.dedup();
        colours.into_iter().collect()
    }
}
