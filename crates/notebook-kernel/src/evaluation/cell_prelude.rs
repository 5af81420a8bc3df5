std::panic::set_hook(Box::new({
    let cells = std::thread::current().id();
    let secret = std::env::var("@SECRET_VARIABLE@");
    move |panic| {
        let message = panic.payload_as_str().unwrap_or("without a message");
        match &secret {
            Ok(secret) if std::thread::current().id() == cells => {
                let line = panic.location().map_or(0, |place| if place.file() == "ctx/src/lib.rs" { place.line() } else { 0 });
                println!("@BEGIN_CONTENT@@PANIC_TYPE@@SECRET_PARAMETER@{secret}\n{line} {message}\n@END_CONTENT@@SECRET_PARAMETER@{secret}");
            }
            _ if std::thread::current().name() == Some("@LIVE_THREAD@") => {}
            _ => eprintln!("panic: {message}"),
        }
    }
}));
if std::env::var_os("@SECRET_VARIABLE@").is_some() {
    std::thread::spawn(|| loop {
        std::thread::sleep(std::time::Duration::from_millis(50));
        let _ = std::io::Write::flush(&mut std::io::stdout());
    });
}
fn notebook_secret() -> Option<String> {
    let set = || {
        let at_first = std::fs::read("/proc/self/environ").ok()?;
        let set = at_first.split(|byte| *byte == 0).find_map(|one| one.strip_prefix(b"@SECRET_VARIABLE@="))?;
        String::from_utf8(set.to_vec()).ok()
    };
    std::env::var("@SECRET_VARIABLE@").ok().or_else(set)
}
struct NotebookCell {
    secret: Option<String>,
}
impl NotebookCell {
    fn begin() -> NotebookCell {
        let cell = NotebookCell { secret: notebook_secret() };
        cell.mark("@CELL_BEGINS@");
        cell
    }
    fn mark(&self, place: &str) {
        if let Some(secret) = &self.secret {
            println!("{place}@SECRET_PARAMETER@{secret}");
        }
        let _ = std::io::Write::flush(&mut std::io::stdout());
    }
}
impl Drop for NotebookCell {
    fn drop(&mut self) {
        self.mark("@CELL_ENDS@");
    }
}
macro_rules! notebook_cell {
    () => {
        let _cell = crate::NotebookCell::begin();
    };
}
fn notebook_stderr(text: std::fmt::Arguments) {
    match notebook_secret() {
        Some(secret) => println!("@BEGIN_CONTENT@@STDERR_TYPE@@SECRET_PARAMETER@{secret}\n{text}\n@END_CONTENT@@SECRET_PARAMETER@{secret}"),
        None => std::eprint!("{text}"),
    }
}
macro_rules! eprint {
    ($($text:tt)*) => { crate::notebook_stderr(std::format_args!($($text)*)) };
}
macro_rules! eprintln {
    () => { eprint!("\n") };
    ($($text:tt)*) => { eprint!("{}\n", std::format_args!($($text)*)) };
}
