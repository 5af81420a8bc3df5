//! A picture that the kernel knows about, and the thread that draws it.

use crate::convention::{LIVE_THREAD, LIVE_VARIABLE};
use crate::live::control::{Control, Value};
use crate::live::forms::Forms;
use crate::live::wire;
use std::any::Any;
use std::io;
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Time limit for the kernel to acknowledge a picture.
const LONGEST_WAIT: Duration = Duration::from_secs(2);
/// The stack size of the thread that runs the cells, used here as well.
const STACK: usize = 8 << 20;

/// Registers the picture with the kernel, and waits for values in a thread. Returns the picture's
/// id, or why it was not registered; `None` without a kernel for live pictures.
pub fn register(
    controls: Vec<Control>,
    draw: impl Fn(&[Value]) -> Forms + Send + 'static,
) -> Option<Result<String, String>> {
    let socket = std::env::var_os(LIVE_VARIABLE)?;
    Some(register_at(socket.as_ref(), controls, draw))
}

fn register_at(
    socket: &Path,
    controls: Vec<Control>,
    draw: impl Fn(&[Value]) -> Forms + Send + 'static,
) -> Result<String, String> {
    controls.iter().try_for_each(Control::check)?;
    let id = new_id();
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::InvalidInput => error.to_string(), // the message is too long
        _ => format!("the kernel did not accept it ({error}); run the cell again"),
    };
    let stream = UnixStream::connect(socket).map_err(failed)?;
    introduce(&controls, &stream, &id).map_err(failed)?;
    let thread = thread::Builder::new()
        .name(LIVE_THREAD.to_owned())
        .stack_size(STACK);
    let started = thread.spawn(move || serve(&controls, &stream, draw));
    started.map_err(failed)?;
    Ok(id)
}

fn introduce(controls: &[Control], mut stream: &UnixStream, id: &str) -> io::Result<()> {
    stream.set_read_timeout(Some(LONGEST_WAIT))?;
    wire::write(&mut stream, &[id, &controls.len().to_string()])?;
    for control in controls {
        wire::write(&mut stream, &control.to_texts())?;
    }
    if wire::read(&mut stream)? != [wire::READY] {
        return Err(io::ErrorKind::InvalidData.into());
    }
    stream.set_read_timeout(None)
}

/// Draws until the kernel drops the picture.
fn serve(controls: &[Control], mut stream: &UnixStream, draw: impl Fn(&[Value]) -> Forms) {
    while let Ok(texts) = wire::read(&mut stream) {
        let read = |(control, text): (&Control, &String)| control.read(text);
        let values: Result<Vec<Value>, String> = controls.iter().zip(&texts).map(read).collect();
        let drawn = values.and_then(|values| {
            let drawn = catch_unwind(AssertUnwindSafe(|| draw(&values)));
            drawn.map_err(|panic| message(&*panic))
        });
        let answer = match &drawn {
            Ok(forms) => {
                let forms = forms.iter().flat_map(|(mime, content)| [*mime, content]);
                [wire::PICTURE].into_iter().chain(forms).collect()
            }
            Err(reason) => vec![wire::FAILED, reason],
        };
        if let Err(error) = wire::write(&mut stream, &answer) {
            let reason = error.to_string();
            let _ = wire::write(&mut stream, &[wire::FAILED, &reason]); // the kernel may be gone
        }
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("panic without a message").to_owned()
}

/// A unique id. Every cell is a library with its own counter, so the id also contains the time.
fn new_id() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let time = since.map_or(0, |since| since.as_nanos());
    format!("live-{}-{time}-{count}", std::process::id())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::{ControlKind, Number};
    use std::os::unix::net::UnixListener;

    #[test]
    fn what_a_kernel_does_not_take_is_refused_with_a_sentence() -> io::Result<()> {
        let path = std::env::temp_dir().join(new_id());
        let refused = |label: &str, kind: ControlKind| {
            let label = label.to_owned();
            let draw = |_: &[Value]| Forms::new();
            register_at(&path, vec![Control { label, kind }], draw).expect_err("refused")
        };
        let options = vec!["a".to_owned(); 9_999];
        assert_eq!(
            refused("word", ControlKind::Choice { options }),
            "`word` has 9999 options, and a choice has at most 9998"
        );
        let first = "a".repeat(10_001);
        let text = refused("text", ControlKind::Text { first });
        assert!(text.ends_with(", but it has at most 10000 bytes"), "{text}");
        let toggle = || ControlKind::Toggle { first: true };
        let gone = refused("causal", toggle());
        assert!(gone.starts_with("the kernel did not accept it ("), "{gone}");
        let kernel = UnixListener::bind(&path)?;
        let long = refused(&"a".repeat(70 << 20), toggle());
        assert!(long.contains("at most 67108864"), "{long}");
        drop(kernel);
        std::fs::remove_file(path)
    }

    #[test]
    fn each_value_is_answered_and_a_panic_leaves_the_next_one_alone() -> io::Result<()> {
        let (mut kernel, cell) = UnixStream::pair()?;
        let kind = ControlKind::Slider {
            from: Number::Fraction(0.0),
            to: Number::Fraction(9.0),
            step: Number::Fraction(1.0),
            first: Number::Fraction(0.0),
        };
        let label = "n".to_owned();
        let draw = |values: &[Value]| match &values[0] {
            Value::Number(Number::Fraction(5.0)) => panic!("not 5"),
            value => vec![
                ("text/html", format!("<b>{value}</b>")),
                ("text/plain", value.to_string()),
            ],
        };
        let controls = [Control { label, kind }];
        let thread = thread::spawn(move || serve(&controls, &cell, draw));
        let mut answer = |value: &str| {
            wire::write(&mut kernel, &[value])?;
            wire::read(&mut kernel)
        };
        assert_eq!(
            answer("2")?,
            [wire::PICTURE, "text/html", "<b>2</b>", "text/plain", "2"]
        );
        assert_eq!(answer("5")?, [wire::FAILED, "not 5"]);
        assert_eq!(answer("6")?[2], "<b>6</b>");
        let refused = answer("10")?;
        assert_eq!(refused[0], wire::FAILED);
        assert!(refused[1].contains("goes from 0 to 9"), "{refused:?}");
        drop(kernel);
        thread.join().expect("it ends with the connection");
        Ok(())
    }
}
