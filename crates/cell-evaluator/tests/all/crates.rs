//! Crates for cells: those compiled at set-up, and those added by a notebook.

use cell_evaluator::{Cargo, Crates, PrebuiltCrates, Trouble};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

fn cargo() -> Cargo {
    let rustc = crate::common::rustc();
    Cargo {
        program: rustc.with_file_name("cargo"),
        rustc,
        variables: BTreeMap::new(),
        compilers: Default::default(),
    }
}

/// Crates in a folder, with a notebook next to them.
struct CrateFolder {
    folder: TempDir,
    prebuilt: PrebuiltCrates,
}

impl CrateFolder {
    /// Creates a folder with the crate `prebuilt`, which depends on the crate `below`.
    fn new() -> CrateFolder {
        let folder = tempfile::tempdir().expect("a folder");
        let prebuilt = PrebuiltCrates {
            workspace: folder.path().to_owned(),
            crates: vec![folder.path().join("prebuilt")],
            unoptimised: vec!["below".to_owned()],
            codegen_units: BTreeMap::from([("prebuilt".to_owned(), 1)]),
            are_installed: false,
        };
        let place = CrateFolder { folder, prebuilt };
        place.write("below", "", "pub struct Below(pub i32);");
        place.write(
            "prebuilt",
            "[dependencies]\nbelow = { path = \"../below\" }\n",
            "pub use below;\nuse std::any::Any;\nuse std::sync::Mutex;\n\
             use std::sync::atomic::{AtomicI32, Ordering::SeqCst};\n\
             static CALLS: AtomicI32 = AtomicI32::new(0);\n\
             pub fn calls() -> i32 { CALLS.fetch_add(1, SeqCst) + 1 }\n\
             static KEPT: Mutex<Option<Box<dyn Any + Send>>> = Mutex::new(None);\n\
             pub fn keep(value: Box<dyn Any + Send>) { *KEPT.lock().unwrap() = Some(value); }\n\
             pub fn kept() -> Box<dyn Any + Send> { KEPT.lock().unwrap().take().unwrap() }\n\
             pub fn number() -> below::Below { below::Below(41) }\n",
        );
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, dependencies: &str, source: &str) {
        let folder = self.path(name);
        fs::create_dir_all(folder.join("src")).expect("a folder");
        let manifest = format!("[package]\nname = \"{name}\"\nedition = \"2024\"\n{dependencies}");
        fs::write(folder.join("Cargo.toml"), manifest).expect("a manifest");
        fs::write(folder.join("src/lib.rs"), source).expect("a source");
    }

    /// Runs set-up; returns its progress lines.
    fn set_up(&self) -> Result<Vec<String>, Trouble> {
        let mut told = Vec::new();
        let mut tell = |line: &str, _| told.push(line.trim().to_owned());
        self.prebuilt
            .make(&self.path("made"), &cargo(), &mut tell)?;
        Ok(told)
    }

    fn crates(&self) -> Crates {
        Crates::read(&self.path("made"), &self.path("notebook")).expect("crates")
    }

    /// A `:dep` line for one of the crates.
    fn line(&self, name: &str) -> String {
        format!(":dep {name} = {{ path = {:?} }}", self.path(name))
    }

    /// Compiles a source with the crates, the way cells are compiled.
    fn compile(&self, crates: &Crates, name: &str, source: &str) -> PathBuf {
        let file = self.path("notebook").join(name);
        let linked = crates.linked().expect("a library");
        let text = format!("extern crate {linked} as _;\n{source}");
        fs::write(file.with_extension("rs"), text).expect("a source");
        let mut rustc = Command::new(crate::common::rustc());
        rustc
            .args(["--edition=2024", "-Cprefer-dynamic", "-o"])
            .arg(&file);
        if !source.contains("fn main") {
            rustc.arg("--crate-type=dylib");
        }
        for (name, file) in crates.externs() {
            rustc
                .arg("--extern")
                .arg(format!("{name}={}", file.display()));
        }
        for folder in crates.search() {
            rustc.arg("-L").arg(folder);
        }
        let output = rustc
            .arg(file.with_extension("rs"))
            .output()
            .expect("rustc");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        file
    }

    fn start(&self, crates: &Crates, program: &Path) -> Child {
        let mut rustc = Command::new(crate::common::rustc());
        let standard = rustc
            .args(["--print", "target-libdir"])
            .output()
            .expect("rustc");
        let mut search = String::from_utf8_lossy(&standard.stdout).trim().to_owned();
        for folder in crates.search() {
            search += &format!(":{}", folder.display());
        }
        let mut program = Command::new(program);
        program.env("LD_LIBRARY_PATH", search);
        program.stdin(Stdio::piped()).stdout(Stdio::piped());
        program.spawn().expect("the program")
    }

    /// Compiles a program with the crates and runs it.
    fn run(&self, crates: &Crates, source: &str) -> String {
        let program = self.compile(crates, "program", source);
        let output = self.start(crates, &program).wait_with_output();
        let output = output.expect("the program");
        assert!(output.status.success());
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

/// Adds crates offline; returns the progress lines.
fn add(crates: &Crates, lines: &[&str]) -> Result<(Crates, Vec<String>), Trouble> {
    let mut told = Vec::new();
    let mut tell = |line: &str| told.push(line.trim().to_owned());
    let added = crates.add(lines, true, &cargo(), &mut tell)?;
    Ok((added, told))
}

#[track_caller]
fn refused<T>(result: Result<T, Trouble>) -> String {
    match result {
        Err(other @ (Trouble::Stopped | Trouble::Failed(_))) => panic!("{other}"),
        Err(refused) => refused.to_string(),
        Ok(_) => panic!("it was not refused"),
    }
}

#[test]
fn what_is_added_links_to_what_was_there() -> Result<(), Trouble> {
    let place = CrateFolder::new();
    let told = place.set_up()?;
    assert!(
        told.iter()
            .any(|line| line.starts_with("Compiling prebuilt v0")),
        "{told:?}"
    );
    assert_eq!(place.set_up()?, [""; 0], "it is there");
    let first = place.crates();
    let program = "fn main() { print!(\"{} {}\", prebuilt::number().0, prebuilt::calls()); }";
    assert_eq!(place.run(&first, program), "41 1");

    // Existing crates are not compiled again.
    let nothing = Cargo {
        program: "/no/cargo".into(),
        rustc: "/no/rustc".into(),
        ..cargo()
    };
    let lines = [place.line("prebuilt"), place.line("below")];
    let same = first.add(
        &lines.each_ref().map(String::as_str),
        true,
        &nothing,
        &mut |_| (),
    )?;
    assert_eq!(same.linked(), first.linked());
    let program = "fn main() { let below::Below(n) = prebuilt::number(); print!(\"{n}\"); }";
    assert_eq!(place.run(&same, program), "41");

    place.write(
        "own-crate",
        "[dependencies]\nprebuilt = { path = \"../prebuilt\" }\n",
        "pub fn next(number: prebuilt::below::Below) -> i32 { prebuilt::calls() * 1000 + number.0 }",
    );
    let (added, told) = add(&same, &[&place.line("own-crate")])?;
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("Compiling own-crate v0"), "{told:?}");
    assert!(added.goes_on_from(&first) && !first.goes_on_from(&added));
    // All share one `CALLS` and one type.
    let program =
        "fn main() { prebuilt::calls(); print!(\"{}\", own_crate::next(prebuilt::number())); }";
    assert_eq!(place.run(&added, program), "2041");
    assert!(!added.is_outdated());

    // The notebook's own name for a crate.
    let renamed = format!(
        "other = {{ package = \"own-crate\", path = {:?} }}",
        place.path("own-crate")
    );
    let (renamed, told) = add(&added, &[&renamed])?;
    assert_eq!(told, [""; 0]);
    assert_eq!(
        place.run(&renamed, &program.replace("own_crate", "other")),
        "2041"
    );
    Ok(())
}

#[test]
#[allow(
    clippy::zombie_processes,
    reason = "a test that fails ends its process with itself"
)]
fn a_process_that_runs_takes_what_is_added_and_its_values_go_on() -> Result<(), Trouble> {
    let place = CrateFolder::new();
    place.set_up()?;
    let crates = place.crates();
    let loads = "unsafe extern \"C\" {\n\
         fn dlopen(file: *const i8, flags: i32) -> *mut ();\n\
         fn dlsym(library: *mut (), name: *const i8) -> *const ();\n}\n\
         fn main() {\n\
             for file in std::io::stdin().lines() {\n\
                 let file = std::ffi::CString::new(file.unwrap()).unwrap();\n\
                 unsafe {\n\
                     let library = dlopen(file.as_ptr().cast(), 2);\n\
                     let cell = dlsym(library, c\"cell\".as_ptr().cast());\n\
                     std::mem::transmute::<_, fn()>(cell)();\n\
                 }\n\
             }\n\
         }";
    let process = place.compile(&crates, "process", loads);
    let mut process = place.start(&crates, &process);
    let mut cells = process.stdin.take().expect("a pipe");
    let cell = |statements: &str| format!("#[unsafe(no_mangle)] pub fn cell() {{ {statements} }}");
    let first =
        cell("prebuilt::keep(Box::new(prebuilt::number())); println!(\"{}\", prebuilt::calls());");
    let first = place.compile(&crates, "cell_1.so", &first);
    writeln!(cells, "{}", first.display())?;
    let mut printed = BufReader::new(process.stdout.take().expect("a pipe")).lines();
    assert_eq!(printed.next().expect("a line")?, "1");

    place.write(
        "own",
        "[dependencies]\nprebuilt = { path = \"../prebuilt\" }\n",
        "pub fn next(number: &prebuilt::below::Below) -> i32 { prebuilt::calls() * 1000 + number.0 }",
    );
    let (added, _) = add(&crates, &[&place.line("own")])?;
    let second = "let kept = prebuilt::kept().downcast::<prebuilt::below::Below>().unwrap();\n\
         println!(\"{}\", own::next(&kept));";
    let second = place.compile(&added, "cell_2.so", &cell(second));
    writeln!(cells, "{}", second.display())?;
    assert_eq!(printed.next().expect("a line")?, "2041");
    drop(cells);
    assert!(process.wait()?.success());
    Ok(())
}

#[test]
fn an_edited_crate_is_compiled_again_whatever_the_time_of_its_file_is() -> Result<(), Trouble> {
    let place = CrateFolder::new();
    place.set_up()?;
    place.write("own", "", "pub fn answer() -> i32 { 41 }");
    let line = place.line("own");
    let (mut crates, _) = add(&place.crates(), &[&line])?;
    let program = "fn main() { print!(\"{}\", own::answer()); }";
    assert_eq!(place.run(&crates, program), "41");
    for (answer, hours) in [("42", 24), ("43", -24_i64)] {
        let source = place.path("own/src/lib.rs");
        fs::write(&source, format!("pub fn answer() -> i32 {{ {answer} }}"))?;
        let away = Duration::from_secs(hours.unsigned_abs() * 3600);
        let time = match hours > 0 {
            true => SystemTime::now() + away,
            false => SystemTime::now() - away,
        };
        File::options()
            .append(true)
            .open(source)?
            .set_modified(time)?;
        assert!(crates.is_outdated());
        let (next, told) = add(&crates, &[&line])?;
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(!next.is_outdated());
        assert!(!next.goes_on_from(&crates));
        assert!(next.goes_on_from(&place.crates()));
        assert_eq!(place.run(&next, program), answer);
        crates = next;
    }
    // A crate that does not compile leaves everything unchanged.
    fs::write(
        place.path("own/src/lib.rs"),
        "pub fn answer() -> i32 { wrong }",
    )?;
    let sentence = refused(add(&crates, &[&line]));
    assert!(
        sentence.starts_with("a crate that this cell needs does not compile:"),
        "{sentence}"
    );
    assert!(sentence.contains("cannot find value `wrong`"), "{sentence}");
    assert_eq!(place.run(&crates, program), "43");
    // Nor does a crate that no longer exists change anything.
    fs::rename(place.path("own"), place.path("away"))?;
    let sentence = refused(add(&crates, &[]));
    let expected = format!(
        "the crate `own` is no longer in {}",
        place.path("own").display()
    );
    assert!(sentence.starts_with(&expected), "{sentence}");
    fs::rename(place.path("away"), place.path("own"))?;
    Ok(())
}

#[test]
fn crates_that_cannot_be_had_are_refused() -> Result<(), Trouble> {
    let place = CrateFolder::new();
    place.set_up()?;
    let crates = place.crates();
    let sentence = refused(add(&crates, &["no-crate-has-this-name = \"1\""]));
    assert!(
        sentence.contains("put `:offline 0` on a line above"),
        "{sentence}"
    );
    assert!(!sentence.contains("--offline"), "{sentence}");
    let features = format!(
        "prebuilt = {{ path = {:?}, features = [\"no\"] }}",
        place.path("prebuilt")
    );
    assert!(refused(add(&crates, &[&features])).contains("`no`"));
    let sentence = refused(add(
        &crates,
        &[&place.line("below").replace("below =", "other =")],
    ));
    assert!(sentence.contains("`other`"), "{sentence}");
    place.write(
        "tool",
        "[[bin]]\nname = \"tool\"\npath = \"src/lib.rs\"\n[lib]\npath = \"no.rs\"\n",
        "",
    );
    assert!(!refused(add(&crates, &[&place.line("tool")])).is_empty());
    fs::create_dir_all(place.path("program/src"))?;
    fs::write(
        place.path("program/Cargo.toml"),
        "[package]\nname = \"program\"\n",
    )?;
    fs::write(place.path("program/src/main.rs"), "fn main() {}")?;
    let sentence = refused(add(&crates, &[&place.line("program")]));
    assert!(sentence.contains("`program` has no library"), "{sentence}");
    let program = "fn main() { print!(\"{}\", prebuilt::calls()); }";
    assert_eq!(place.run(&crates, program), "1");
    Ok(())
}

#[test]
fn macros_are_crates_too() -> Result<(), Trouble> {
    let place = CrateFolder::new();
    place.set_up()?;
    place.write(
        "own-macros",
        "[lib]\nproc-macro = true\n",
        "#[proc_macro]\npub fn seven(_: proc_macro::TokenStream) -> proc_macro::TokenStream { \"7\".parse().unwrap() }",
    );
    let crates = place.crates();
    let (added, _) = add(&crates, &[&place.line("own-macros")])?;
    assert_eq!(added.linked(), crates.linked());
    assert_eq!(
        place.run(
            &added,
            "fn main() { print!(\"{}\", own_macros::seven!()); }"
        ),
        "7"
    );
    Ok(())
}

#[test]
fn set_up_follows_its_sources_and_keeps_what_is_in_use() -> Result<(), Trouble> {
    let mut place = CrateFolder::new();
    place.set_up()?;
    let first = place.crates();
    place.write("below", "", "pub struct Below(pub i32); // changed");
    assert!(first.is_outdated());
    place.write("prebuilt", "", "wrong");
    assert!(refused(place.set_up()).contains("does not compile"));
    let program = "fn main() { print!(\"{}\", prebuilt::calls()); }";
    assert_eq!(place.run(&place.crates(), program), "1");
    place.write("prebuilt", "", "pub fn calls() -> i32 { 7 }");
    place.set_up()?;
    assert_eq!(place.run(&place.crates(), program), "7");
    assert_eq!(
        place.run(&first, program),
        "1",
        "a notebook goes on with what it began with"
    );
    drop(first);
    place.prebuilt.codegen_units.clear();
    place.set_up()?;
    let folders = fs::read_dir(place.path("made"))?;
    let names = folders.filter_map(|folder| folder.ok()?.file_name().into_string().ok());
    assert_eq!(
        names.filter(|name| name.starts_with("libraries-")).count(),
        1
    );
    Ok(())
}

#[test]
fn two_set_ups_at_once_and_one_that_was_stopped_do_no_harm() -> Result<(), Trouble> {
    let place = CrateFolder::new();
    let stopped = cargo();
    stopped.compilers.stop();
    let result = place
        .prebuilt
        .make(&place.path("made"), &stopped, &mut |_, _| ());
    assert!(matches!(result, Err(Trouble::Stopped)));
    fs::create_dir_all(place.path("made/libraries-1"))?; // as left by a killed set-up
    std::thread::scope(|scope| {
        let both = [0, 1].map(|_| scope.spawn(|| place.set_up()));
        let told = both.map(|one| one.join().expect("no panic").expect("it is made").len());
        assert!(told.contains(&0), "one waited for the other: {told:?}");
    });
    assert!(!place.path("made/libraries-1").exists());
    assert_eq!(
        place.run(
            &place.crates(),
            "fn main() { print!(\"{}\", prebuilt::calls()); }"
        ),
        "1"
    );
    Ok(())
}

#[test]
fn an_installation_is_only_read() -> Result<(), Trouble> {
    let mut place = CrateFolder::new();
    place.prebuilt.are_installed = true;
    place.set_up()?;
    let writable = |is_writable: bool| {
        let mode = if is_writable { "u+w" } else { "a-w" };
        Command::new("chmod")
            .args(["-R", mode])
            .arg(place.path("made"))
            .status()
    };
    writable(false)?;
    // A path to a copy elsewhere: in an installation, only the name counts.
    let line = ":dep prebuilt = { path = \"../no/such/prebuilt\" }";
    let (crates, told) = add(&place.crates(), &[line])?;
    assert_eq!(told, [""; 0]);
    place.write(
        "own",
        "[dependencies]\nprebuilt = { path = \"../prebuilt\" }\n",
        "pub use prebuilt::calls;",
    );
    let (added, told) = add(&crates, &[&place.line("own")])?;
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(
        place.run(&added, "fn main() { print!(\"{}\", own::calls()); }"),
        "1"
    );
    let refused = refused(add(&crates, &["no_such_crate = \"1\""]));
    assert!(
        refused.contains("not part of this installation"),
        "{refused}"
    );
    writable(true)?;
    Ok(())
}

#[test]
fn a_notebook_copied_elsewhere_finds_the_prebuilt_crates() -> Result<(), Trouble> {
    let place = CrateFolder::new();
    place.set_up()?;
    let (crates, told) = add(
        &place.crates(),
        &[":dep prebuilt = { path = \"../no/such/prebuilt\" }"],
    )?;
    assert_eq!(told, [""; 0]);
    let printed = place.run(&crates, "fn main() { print!(\"{}\", prebuilt::calls()); }");
    assert_eq!(printed, "1");
    for line in [
        ":dep below = { path = \"../no/such/below\" }",
        ":dep prebuilt = { path = \"../no/such\", nonsense = 1 }",
    ] {
        refused(add(&place.crates(), &[line]));
    }
    Ok(())
}

#[test]
fn two_versions_of_a_crate_are_two_crates() -> Result<(), Trouble> {
    let place = CrateFolder::new();
    place.set_up()?;
    let crates = place.crates();
    let newer = place.path("newer");
    fs::create_dir_all(newer.join("src"))?;
    let manifest = "[package]\nname = \"below\"\nversion = \"2.0.0\"\nedition = \"2024\"\n";
    fs::write(newer.join("Cargo.toml"), manifest)?;
    fs::write(newer.join("src/lib.rs"), "pub fn version() -> i32 { 2 }")?;
    let line = format!("newer = {{ package = \"below\", path = {newer:?} }}");
    let (added, _) = add(&crates, &[&line, &place.line("below")])?;
    assert!(added.goes_on_from(&crates));
    let program = "fn main() { let below::Below(n) = prebuilt::number(); \
                   print!(\"{n} {}\", newer::version()); }";
    assert_eq!(place.run(&added, program), "41 2");
    // A name can stand for only one crate.
    let other = format!("below = {{ path = {newer:?} }}");
    let sentence = refused(add(&crates, &[&place.line("below"), &other]));
    assert!(
        sentence.contains("`below` is asked for twice"),
        "{sentence}"
    );
    Ok(())
}

/// Cargo compiles a crate once, with all the features that anything needs.
#[test]
fn a_further_feature_of_a_prebuilt_crate_makes_another_crate() -> Result<(), Trouble> {
    let place = CrateFolder::new();
    let source = "pub struct Below(pub i32, #[cfg(feature = \"more\")] pub i32);\n\
                  pub fn below(n: i32) -> Below { Below(n, #[cfg(feature = \"more\")] 7) }";
    place.write("below", "[features]\nmore = []\n", source);
    let dependency = "[dependencies]\nbelow = { path = \"../below\" }\n";
    let source = "pub fn number() -> below::Below { below::below(41) }";
    place.write("prebuilt", dependency, source);
    place.set_up()?;
    let crates = place.crates();
    let line = place
        .line("below")
        .replace(" }", ", features = [\"more\"] }");
    let (added, told) = add(&crates, &[&line])?;
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(
        !added.goes_on_from(&crates),
        "values of the earlier type cannot go on"
    );
    let program = "fn main() { print!(\"{}\", prebuilt::number().1); }";
    assert_eq!(place.run(&added, program), "7");
    let program = "fn main() { print!(\"{}\", prebuilt::number().0); }";
    assert_eq!(place.run(&crates, program), "41");
    Ok(())
}

#[test]
fn without_a_network_it_says_so_and_what_was_tried() -> Result<(), Trouble> {
    let place = CrateFolder::new();
    place.set_up()?;
    let home = place.path("cargo-home");
    let nowhere = [
        ("CARGO_HOME", home.as_os_str()),
        ("CARGO_HTTP_PROXY", "http://127.0.0.1:9".as_ref()),
        ("CARGO_NET_RETRY", "0".as_ref()),
    ];
    let nowhere = nowhere.map(|(name, value)| (name.into(), value.to_owned()));
    let cargo = Cargo {
        variables: nowhere.into(),
        ..cargo()
    };
    let mut told = String::new();
    let line = "no-crate-has-this-name = \"1\"";
    let tried = place
        .crates()
        .add(&[line], false, &cargo, &mut |line| told += line);
    let sentence = refused(tried);
    assert!(sentence.contains("Connect to the network"), "{sentence}");
    assert!(told.contains("Updating crates.io index"), "{told}");
    Ok(())
}
