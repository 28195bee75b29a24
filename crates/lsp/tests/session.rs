//! One session over two pipes, with a client that writes and reads the bytes of the protocol.

use ggp_game::{Refuted, Simulated};
use ggp_gdl::Keyword;
use ggp_lsp::{End, connect, serve};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Read, Write, pipe};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

struct Client {
    to_server: PipeWriter,
    from_server: BufReader<PipeReader>,
    server: JoinHandle<End>,
}

impl Client {
    /// A client of a server whose playouts refute one thing.
    fn new() -> Client {
        let (input, to_server) = pipe().unwrap();
        let (from_server, output) = pipe().unwrap();
        let refuted = Refuted {
            code: "test",
            message: "seen in a playout".to_owned(),
            keyword: Keyword::Goal,
            line: Vec::new(),
            harmless: None,
        };
        let shown = Simulated { refuted: vec![refuted], ..Simulated::default() };
        let server = thread::spawn(move || {
            serve(connect(BufReader::new(input), output), Arc::new(move |_, _, _| Ok(shown.clone())))
        });
        Client { to_server, from_server: BufReader::new(from_server), server }
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.to_server, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.from_server.read_line(&mut line).unwrap();
            match line.trim().strip_prefix("Content-Length: ") {
                Some(number) => length = number.parse().unwrap(),
                None => break,
            }
        }
        let mut bytes = vec![0; length];
        self.from_server.read_exact(&mut bytes).unwrap();
        serde_json::from_slice(&bytes).unwrap()
    }

    /// The first message that is as wanted.
    fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.receive();
            if wanted(&message) {
                return message;
            }
        }
    }

    fn ask(&mut self, id: i32, method: &str, params: &Value) -> Value {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        self.until(|message| message["id"] == id)
    }

    fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }
}

#[test]
fn a_session() {
    let mut client = Client::new();
    let welcome = client.ask(1, "initialize", &json!({ "capabilities": {} }));
    assert_eq!(welcome["result"]["capabilities"]["textDocumentSync"]["change"], 2);
    client.notify("initialized", &json!({}));
    let text = "(role a) (init (at 1)) (legal a go) (next (at 2)) (<= terminal (true (at 2))) (goal a 100)";
    let document = json!({ "uri": "file:///g.kif", "languageId": "gdl", "version": 1, "text": text });
    client.notify("textDocument/didOpen", &json!({ "textDocument": document }));
    let published = |message: &Value| message["method"] == "textDocument/publishDiagnostics";
    let first = client.until(published);
    assert_eq!(first["params"]["diagnostics"], json!([]), "the first tier");
    let second = client.until(published);
    let found = &second["params"]["diagnostics"][0];
    assert_eq!(found["message"], "seen in a playout", "the second tier");
    assert_eq!(found["range"]["start"]["character"], text.find("goal").unwrap());

    let place =
        json!({ "textDocument": { "uri": "file:///g.kif" }, "position": { "line": 0, "character": 25 } });
    let hover = client.ask(2, "textDocument/hover", &place);
    assert!(hover["result"]["contents"]["value"].as_str().unwrap().contains("(legal ROLE MOVE)"));
    let lenses = client.ask(3, "textDocument/codeLens", &place);
    assert_eq!(lenses["result"][1]["command"]["title"], "simulate");
    assert_eq!(lenses["result"][2]["command"]["title"], "1 move at the start");
    let unknown = client.ask(4, "no/method", &json!({}));
    assert_eq!(unknown["error"]["code"], -32601);

    client.ask(5, "shutdown", &Value::Null);
    client.notify("exit", &Value::Null);
    assert_eq!(client.server.join().unwrap(), End::Orderly);
}

#[test]
fn a_client_that_goes_away_ends_the_session() {
    let mut client = Client::new();
    client.ask(1, "initialize", &json!({}));
    drop(client.to_server);
    assert_eq!(client.server.join().unwrap(), End::Abrupt);
}
