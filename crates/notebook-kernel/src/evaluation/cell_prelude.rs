std::panic::set_hook(Box::new({
    let cells = std::thread::current().id();
    let relayed = std::env::var_os("@RELAY_VARIABLE@").is_some();
    move |panic| {
        let message = panic.payload_as_str().unwrap_or("without a message");
        if relayed && std::thread::current().id() == cells {
            let line = panic.location().map_or(0, |place| if place.file() == "ctx/src/lib.rs" { place.line() } else { 0 });
            println!("@BEGIN_CONTENT@@PANIC_TYPE@\n{line} {message}\n@END_CONTENT@");
        } else {
            eprintln!("panic: {message}");
        }
    }
}));
if std::env::var_os("@RELAY_VARIABLE@").is_some() {
    std::thread::spawn(|| loop {
        std::thread::sleep(std::time::Duration::from_millis(50));
        let _ = std::io::Write::flush(&mut std::io::stdout());
    });
}
macro_rules! notebook_flush {
    () => {
        struct Flush;
        impl Drop for Flush {
            fn drop(&mut self) {
                let _ = std::io::Write::flush(&mut std::io::stdout());
            }
        }
        let _flush = Flush;
    };
}
fn notebook_stderr(text: std::fmt::Arguments) {
    if std::env::var_os("@RELAY_VARIABLE@").is_some() {
        println!("@BEGIN_CONTENT@@STDERR_TYPE@\n{text}\n@END_CONTENT@");
    } else {
        std::eprint!("{text}");
    }
}
macro_rules! eprint {
    ($($text:tt)*) => { crate::notebook_stderr(std::format_args!($($text)*)) };
}
macro_rules! eprintln {
    () => { eprint!("\n") };
    ($($text:tt)*) => { eprint!("{}\n", std::format_args!($($text)*)) };
}
