//! A headless browser, controlled by the `WebDriver` protocol (JSON over HTTP).
//!
//! The five commands needed are shorter than the setup of a client library, and share the HTTP code of
//! the other tests.

use crate::http::{Answer, ask};
use crate::server::{PATIENCE, root};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::ops::Deref;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The number of browsers started so far. The name of each browser's profile contains it.
static NUMBER: AtomicU64 = AtomicU64::new(0);

/// Browsers that no test uses. To start one takes seconds.
static IDLE: Mutex<Vec<Browser>> = Mutex::new(Vec::new());

/// Runs the driver until its input ends, which is when this process does, however it ends. Then ends all processes of its
/// group, the browser among them, and removes the profile.
const DRIVER: &str = r#"chromedriver --port=0 & read -r line; trap "" TERM; kill 0; wait; rm -rf "$1""#;

/// A browser with one window.
pub(crate) struct Browser {
    driver: Child,
    port: u16,
    session: String,
}

/// A browser that is idle again when this is dropped.
pub(crate) struct Lent(Option<Browser>);

impl Deref for Lent {
    type Target = Browser;

    fn deref(&self) -> &Browser {
        self.0.as_ref().expect("it is there until it is dropped")
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        // A test that fails may leave its browser in any state.
        if let Some(browser) = self.0.take()
            && !std::thread::panicking()
        {
            browser.forget();
            IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(browser);
        }
    }
}

/// Whether a browser and its driver are installed.
static IS_THERE: LazyLock<bool> = LazyLock::new(|| {
    ["chromedriver", "chromium"].into_iter().all(|program| {
        let mut asked = Command::new(program);
        asked.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        asked.status().is_ok_and(|status| status.success())
    })
});

impl Browser {
    /// An idle browser or a new one, with a window of `size`. If no browser is installed, prints a message and returns
    /// `None`.
    pub(crate) fn start(size: (u32, u32), dark: bool) -> Option<Lent> {
        if !*IS_THERE {
            ggp_tests::skip("no browser (apt-get install chromium chromium-driver)");
            return None;
        }
        let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let browser = idle.unwrap_or_else(Browser::new);
        let (width, height) = size;
        let metrics = json!({"cmd": "Emulation.setDeviceMetricsOverride",
            "params": {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}});
        browser.post("/goog/cdp/execute", &metrics);
        let scheme = if dark { "dark" } else { "light" };
        let media = json!({"cmd": "Emulation.setEmulatedMedia",
            "params": {"features": [{"name": "prefers-color-scheme", "value": scheme}]}});
        browser.post("/goog/cdp/execute", &media);
        Some(Lent(Some(browser)))
    }

    fn new() -> Browser {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let profile =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("browser-{}-{number}", std::process::id()));
        let mut driver = Command::new("sh");
        driver.args(["-c", DRIVER, "driver"]).arg(&profile).process_group(0);
        let mut driver = driver.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it is there");
        let lines = BufReader::new(driver.stdout.take().expect("it is piped")).lines();
        let port = lines.map_while(Result::ok).find_map(|line| {
            line.split_once("started successfully on port ")?.1.trim_end_matches('.').parse::<u16>().ok()
        });
        let port = port.expect("the driver says where it listens");
        let mut arguments: Vec<String> = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
            "--window-size=1280,900",
        ]
        .map(str::to_owned)
        .to_vec();
        arguments.push(format!("--user-data-dir={}", profile.display()));
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL"},
        }}});
        let mut browser = Browser { driver, port, session: String::new() };
        let opened = browser.command("POST", "/session", &wanted);
        browser.session = format!("/session/{}", opened["sessionId"].as_str().expect("a session"));
        browser
    }

    /// Forgets what pages have stored, and leaves the page.
    fn forget(&self) {
        self.run("try { localStorage.clear(); sessionStorage.clear(); } catch {}", &json!([]));
        self.open("about:blank");
        for command in ["Network.clearBrowserCache", "Network.clearBrowserCookies"] {
            self.post("/goog/cdp/execute", &json!({"cmd": command, "params": {}}));
        }
        self.complaints();
    }

    fn command(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = if method == "POST" { body.to_string() } else { String::new() };
        let Answer { status, body, .. } = ask(self.port, method, path, &body);
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str::<Value>(&body).expect("the driver answers in JSON")["value"].take()
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        self.command("POST", &format!("{}{path}", self.session), body)
    }

    pub(crate) fn open(&self, address: &str) {
        self.post("/url", &json!({ "url": address }));
    }

    /// Runs `script`, the body of a function, and returns its result.
    pub(crate) fn run(&self, script: &str, arguments: &Value) -> Value {
        self.post("/execute/sync", &json!({"script": script, "args": arguments}))
    }

    /// Waits until the expression `script` is neither null nor false, and returns its value.
    pub(crate) fn wait(&self, script: &str) -> Value {
        let began = Instant::now();
        loop {
            let value = self.run(&format!("return ({script})"), &json!([]));
            if !matches!(value, Value::Null | Value::Bool(false)) {
                return value;
            }
            if began.elapsed() > PATIENCE {
                self.picture("failed");
                let text = self.run("return document.body.innerText", &json!([]));
                panic!("{script} does not come true; the page says {text}");
            }
            std::thread::sleep(Duration::from_millis(40));
        }
    }

    fn find(&self, selector: &str) -> String {
        self.wait(&format!("document.querySelector({}) !== null", json!(selector)));
        let found = self.post("/element", &json!({"using": "css selector", "value": selector}));
        found
            .as_object()
            .and_then(|object| object.values().next()?.as_str().map(str::to_owned))
            .expect("an element")
    }

    /// Clicks an element as with a mouse. Hidden or covered elements cannot be clicked.
    pub(crate) fn click(&self, selector: &str) {
        let element = self.find(selector);
        self.post(&format!("/element/{element}/click"), &json!({}));
    }

    /// Presses keys on an element.
    pub(crate) fn press(&self, selector: &str, keys: &str) {
        let element = self.find(selector);
        self.post(&format!("/element/{element}/value"), &json!({ "text": keys }));
    }

    /// Presses keys, one after the other, on what has the focus.
    pub(crate) fn keys(&self, keys: &str) {
        let press =
            |key: char| [json!({"type": "keyDown", "value": key}), json!({"type": "keyUp", "value": key})];
        let actions: Vec<Value> = keys.chars().flat_map(press).collect();
        self.post("/actions", &json!({"actions": [{"type": "key", "id": "keyboard", "actions": actions}]}));
    }

    /// Drags with the mouse from one element to another.
    pub(crate) fn drag(&self, from: &str, to: &str) {
        let middle = |selector: &str| {
            let script = "const box = document.querySelector(arguments[0]).getBoundingClientRect();
                return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)];";
            let place = self.run(script, &json!([selector]));
            (place[0].as_i64().expect("a place"), place[1].as_i64().expect("a place"))
        };
        let (from, to) = (middle(from), middle(to));
        let at = |(x, y): (i64, i64)| json!({"type": "pointerMove", "duration": 20, "x": x, "y": y});
        let actions = [
            at(from),
            json!({"type": "pointerDown", "button": 0}),
            at((i64::midpoint(from.0, to.0), i64::midpoint(from.1, to.1))),
            at(to),
            json!({"type": "pointerUp", "button": 0}),
        ];
        let mouse = json!({"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions});
        self.post("/actions", &json!({ "actions": [mouse] }));
    }

    /// By how many pixels the page is wider than the window.
    pub(crate) fn overflow(&self) -> i64 {
        let wide = self.run("return document.documentElement.scrollWidth - innerWidth", &json!([]));
        wide.as_i64().unwrap_or(i64::MAX)
    }

    /// Saves a screenshot of the page.
    pub(crate) fn picture(&self, name: &str) {
        let image = self.command("GET", &format!("{}/screenshot", self.session), &Value::Null);
        let folder = root().join("target/screenshots");
        std::fs::create_dir_all(&folder).expect("a folder for screenshots");
        let bytes = base64(image.as_str().expect("an image"));
        std::fs::write(folder.join(format!("{name}.png")), bytes).expect("a screenshot is kept");
    }

    /// The errors in the browser's log.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let log = self.post("/se/log", &json!({"type": "browser"}));
        let entries = log.as_array().cloned().unwrap_or_default();
        let bad = entries.iter().filter(|entry| entry["level"] == "SEVERE");
        bad.map(|entry| entry["message"].to_string()).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            let _ = ask(self.port, "DELETE", &self.session, "");
        }
        drop(self.driver.stdin.take());
        let _ = self.driver.wait();
    }
}

fn base64(text: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u8> = text.bytes().filter(|&byte| byte != b'=').map(value).collect();
    let mut out = Vec::with_capacity(digits.len() * 3 / 4);
    for group in digits.chunks(4) {
        let bits =
            group.iter().fold(0u32, |bits, &digit| bits << 6 | u32::from(digit)) << (6 * (4 - group.len()));
        out.extend(&bits.to_be_bytes()[1..group.len()]);
    }
    out
}

/// Runs a browser test where no browser can be found. `forbid` is the value of `$GGP_NO_SKIP`; `None` leaves
/// the variable unset.
fn without_a_browser(forbid: Option<&str>) -> std::process::Output {
    let mut child = Command::new(std::env::current_exe().expect("this program"));
    child.args(["--exact", "pages::a_puzzle_is_played_by_clicks"]).env("PATH", "").env_remove("GGP_NO_SKIP");
    child.envs(forbid.map(|value| ("GGP_NO_SKIP", value))).output().expect("it starts")
}

#[test]
fn a_test_without_a_browser_says_that_it_is_skipped() {
    let output = without_a_browser(None);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("SKIPPED: no browser"), "{said}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
}

#[test]
fn it_fails_where_nothing_may_be_skipped() {
    let output = without_a_browser(Some("1"));
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("GGP_NO_SKIP forbids"));
}
