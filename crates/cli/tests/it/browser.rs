//! Chromium without a window, driven over the DevTools protocol.
//!
//! With `--remote-debugging-pipe` the browser reads messages from file 3 and writes them to file 4, each a JSON text that a
//! zero ends. A shell makes these of its standard input and output, so that no connection is needed.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A window of the browser.
pub struct Browser {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    session: Option<String>,
    last: u64,
    /// Errors that pages reported.
    pub errors: Vec<String>,
    _profile: tempfile::TempDir,
}

/// How a page is seen.
#[derive(Debug, Clone, Copy)]
pub struct Screen {
    pub width: u32,
    pub height: u32,
    pub dark: bool,
}

impl Browser {
    /// Starts one that reaches no network.
    pub fn start() -> Browser {
        let profile = tempfile::tempdir().expect("a folder");
        let mut child = Command::new("sh")
            .args(["-c", "exec chromium \"$@\" 3<&0 4>&1 >/dev/null 2>&1", "sh"])
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe"])
            .arg("--host-resolver-rules=MAP * ~NOTFOUND")
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("chromium runs: `cargo xtask nightly whole` installs it");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut browser =
            Browser { child, input, output, session: None, last: 0, errors: Vec::new(), _profile: profile };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attached =
            browser.call("Target.attachToTarget", json!({ "targetId": target["targetId"], "flatten": true }));
        browser.session = Some(attached["sessionId"].as_str().expect("a session").to_owned());
        browser.call("Runtime.enable", json!({}));
        browser
    }

    /// A method of the protocol.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.last += 1;
        let mut message = json!({ "id": self.last, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.input.write_all(format!("{message}\0").as_bytes()).expect("the browser listens");
        loop {
            let mut text = Vec::new();
            self.output.read_until(0, &mut text).expect("the browser answers");
            assert_eq!(text.pop(), Some(0), "the browser ended before it answered {method}");
            let answer: Value = serde_json::from_slice(&text).expect("JSON");
            if answer["method"] == "Runtime.exceptionThrown" {
                self.errors.push(answer["params"]["exceptionDetails"].to_string());
            }
            if answer["id"] == self.last {
                assert!(answer.get("error").is_none(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
        }
    }

    /// Opens a file and waits until it is there.
    pub fn open(&mut self, page: &Path, screen: Screen) {
        let Screen { width, height, dark } = screen;
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600 });
        self.call("Emulation.setDeviceMetricsOverride", metrics);
        let scheme = if dark { "dark" } else { "light" };
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.call("Emulation.setEmulatedMedia", media);
        self.call("Page.enable", json!({}));
        self.call("Page.navigate", json!({ "url": format!("file://{}", page.display()) }));
        while self.evaluate("document.readyState") != "complete" || self.evaluate("location.protocol") != "file:" {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }

    /// The value of an expression, waited for where it is a promise.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let asked = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", asked);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    /// Moves the pointer to the middle of what a selector finds, and `aside` pixels to the right of it.
    pub fn point_at(&mut self, selector: &str, aside: f64) -> (f64, f64) {
        let found = self.evaluate(&format!(
            "(() => {{ const e = document.querySelector({selector:?}); e.scrollIntoView({{ block: 'center' }}); \
             const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; }})()"
        ));
        let (x, y) = (found[0].as_f64().expect("a place") + aside, found[1].as_f64().expect("a place"));
        self.mouse("mouseMoved", x, y);
        (x, y)
    }

    /// Presses and releases the button there.
    pub fn click(&mut self, (x, y): (f64, f64)) {
        self.mouse("mousePressed", x, y);
        self.mouse("mouseReleased", x, y);
    }

    fn mouse(&mut self, kind: &str, x: f64, y: f64) {
        let button = if kind == "mouseMoved" { "none" } else { "left" };
        self.call(
            "Input.dispatchMouseEvent",
            json!({ "type": kind, "x": x, "y": y, "button": button, "clickCount": 1 }),
        );
    }

    /// A picture of the window, or of the whole page, as the bytes of a PNG.
    pub fn picture(&mut self, whole: bool) -> Vec<u8> {
        let asked = json!({ "format": "png", "captureBeyondViewport": whole, "clip": clip(self, whole) });
        let taken = self.call("Page.captureScreenshot", asked);
        from_base64(taken["data"].as_str().expect("a picture"))
    }
}

/// The part of the page that a picture shows.
fn clip(browser: &mut Browser, whole: bool) -> Value {
    let size = browser.evaluate("[innerWidth, innerHeight, document.documentElement.scrollHeight]");
    let height = if whole { &size[2] } else { &size[1] };
    let top = if whole { json!(0) } else { browser.evaluate("scrollY") };
    json!({ "x": 0, "y": top, "width": size[0], "height": height, "scale": 1 })
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn from_base64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits: Vec<u32> =
        text.bytes().filter_map(|c| DIGITS.iter().position(|&digit| digit == c)).map(|digit| digit as u32).collect();
    let bytes = |four: &[u32]| {
        let bits = four.iter().fold(0, |bits, digit| bits << 6 | digit) << (6 * (4 - four.len()));
        bits.to_be_bytes()[1..four.len()].to_vec()
    };
    digits.chunks(4).flat_map(bytes).collect()
}
