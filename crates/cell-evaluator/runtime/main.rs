//! The process that runs cells: loads a library, calls its function and reports how it ended.
//! Set-up compiles it separately, next to `cell_runtime`.
#![allow(unsafe_code, reason = "a library is loaded whose function is of the type that its writer gives it")]

use cell_runtime::{Ended, Store};
use std::ffi::{CStr, CString, c_char, c_int, c_ulong, c_void};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::process::id;
use std::thread;
use std::time::Duration;

unsafe extern "C" {
    fn dlopen(file: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlerror() -> *const c_char;
    #[cfg(target_os = "linux")]
    fn prctl(option: c_int, ...) -> c_int;
    safe fn _exit(status: c_int) -> !;
}

const RTLD_NOW: c_int = 2;
/// The interval at which printed text is flushed, so that even text without a newline is shown.
const FLUSH: Duration = Duration::from_millis(50);

type CellFunction = fn(&mut Store) -> Result<(), Ended>;

fn main() -> io::Result<()> {
    let socket = std::env::args_os().nth(1).ok_or(io::ErrorKind::InvalidInput)?;
    let kernel = UnixStream::connect(socket)?;
    let mut answers = kernel.try_clone()?;
    end_with_parent();
    cell_runtime::prepare();
    thread::spawn(|| loop {
        thread::sleep(FLUSH);
        let _ = io::stdout().flush(); // a cell may have closed it
    });
    let process = id();
    writeln!(answers, "{process}")?;
    let mut store = Store::default();
    for line in BufReader::new(kernel).lines() {
        let line = line?;
        let fields: Vec<&str> = line.split('\t').collect();
        let answer = match fields[..] {
            ["run", library, name] => run(library, name, &mut store),
            _ => "unknown".to_owned(),
        };
        if id() != process {
            _exit(0) // a child forked by the cell: only the parent answers
        }
        let _ = io::stdout().flush(); // a cell may have closed it
        writeln!(answers, "{answer}")?;
    }
    Ok(())
}

/// Makes the operating system end this process when its parent is killed, since nothing else would,
/// and kill it rather than the notebook's kernel when memory runs out.
#[cfg(target_os = "linux")]
fn end_with_parent() {
    const PR_SET_PDEATHSIG: c_int = 1;
    const SIGKILL: c_ulong = 9;
    // SAFETY: this option takes a number and touches no memory.
    unsafe { prctl(PR_SET_PDEATHSIG, SIGKILL) };
    let _ = std::fs::write("/proc/self/oom_score_adj", "500"); // the maximum is 1000
}

#[cfg(not(target_os = "linux"))]
fn end_with_parent() {}

fn run(library: &str, name: &str, store: &mut Store) -> String {
    let cell = match load(library, name) {
        Ok(cell) => cell,
        Err(why) => return format!("not loaded\t{}", one_line(&why)),
    };
    match cell(store) {
        Ok(()) => "done".to_owned(),
        Err(Ended::Err(message)) => format!("failed\t{}", one_line(&message)),
        Err(Ended::Panic(panic)) => {
            let (message, file) = (one_line(&panic.message), one_line(&panic.file));
            format!("panicked\t{message}\t{file}\t{}\t{}", panic.line, panic.column)
        }
    }
}

/// Escapes a field of an answer, which is a line of tab-separated fields.
fn one_line(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('\n', "\\n");
    text.replace('\t', "\\t").replace('\r', "\\r")
}

/// Loads a library and looks up its function. Libraries stay loaded: their values and functions may
/// still be in use.
fn load(library: &str, name: &str) -> Result<CellFunction, String> {
    let library = CString::new(library).map_err(|error| error.to_string())?;
    let name = CString::new(name).map_err(|error| error.to_string())?;
    // SAFETY: both strings are null-terminated. Whatever the library runs when it is loaded is the
    // learner's own code, like the cell.
    let function = unsafe {
        let library = dlopen(library.as_ptr(), RTLD_NOW);
        if library.is_null() {
            return Err(why());
        }
        dlsym(library, name.as_ptr())
    };
    if function.is_null() {
        return Err(why());
    }
    // SAFETY: the evaluator wrote this function with this type, and the same compiler compiled it
    // and this program against the same `cell_runtime`.
    Ok(unsafe { std::mem::transmute::<*mut c_void, CellFunction>(function) })
}

fn why() -> String {
    // SAFETY: after a failed call, `dlerror` returns a string owned by the system.
    let text = unsafe { CStr::from_ptr(dlerror()) };
    text.to_string_lossy().into_owned()
}
