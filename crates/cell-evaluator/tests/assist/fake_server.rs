//! A language server whose behaviour is set by its argument.

use std::io::{BufRead, Read, Write, stdin, stdout};
use std::thread::sleep;
use std::time::Duration;

fn read() -> String {
    let mut length = 0;
    loop {
        let mut line = String::new();
        stdin().lock().read_line(&mut line).expect("a line");
        match line.trim().split_once(": ") {
            Some((_, value)) => length = value.parse().expect("a length"),
            None => break,
        }
    }
    if length == 0 {
        std::process::exit(0); // end of input
    }
    let mut body = vec![0; length];
    stdin().lock().read_exact(&mut body).expect("a body");
    String::from_utf8(body).expect("a text")
}

fn write(body: &str) {
    print!("Content-Length: {}\r\n\r\n{body}", body.len());
    let _ = stdout().flush(); // the reader may be gone
}

fn answer(id: u32, text: &str) {
    write(&format!(r#"{{"id":{id},"result":[{{"label":"{text}","kind":2}}]}}"#));
}

fn describe(id: u32, text: &str) {
    write(&format!(r#"{{"id":{id},"result":{{"contents":{{"value":"{text}"}}}}}}"#));
}

fn main() {
    let way = std::env::args().nth(1).expect("a way");
    let mut starts = std::fs::OpenOptions::new();
    let mut starts = starts.create(true).append(true).open("starts").expect("a file");
    writeln!(starts, "{}", std::process::id()).expect("a line");
    while !read().contains("textDocument/didOpen") {}
    write(r#"{"id":"a","method":"workspace/configuration","params":[]}"#);
    write(r#"{"method":"experimental/serverStatus","params":{"quiescent":true}}"#);
    let mut asked = 0;
    loop {
        let message = read();
        let id = message.split("\"id\":").nth(1).unwrap_or_default();
        let end = id.find(|one: char| !one.is_ascii_digit()).unwrap_or(0);
        let Ok(id) = id[..end].parse() else { continue };
        asked += 1;
        match (asked, way.as_str()) {
            (1, _) => answer(id, "warm"),
            (2, "late") => {
                sleep(Duration::from_millis(1200));
                answer(id, "a2");
            }
            (2, "describes calls") => describe(id, ""),
            (count, "describes calls") => {
                sleep(Duration::from_millis(1200));
                describe(id, &format!("a{count}"));
            }
            (_, "ends") => return,
            (_, "nonsense") => println!("nonsense"),
            (_, "endless") => write(&format!("{}", " ".repeat(100 << 20))),
            (_, "huge") => answer(id, &"a".repeat(20_000_000)),
            (count, _) => answer(id, &format!("a{count}")),
        }
    }
}
