//! The structure of the source code: modules do not depend on each other in a cycle, and `unsafe`
//! is used only where CONTRIBUTING.md says.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A module: its path from the root of its crate.
type Module = Vec<String>;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The source folders of all crates, including the main program's, and of the program that runs the
/// cells.
fn sources() -> Vec<PathBuf> {
    let crates = fs::read_dir(root().join("crates")).expect("the folder of the crates");
    let crates = crates.map(|entry| entry.expect("a crate").path());
    let folders = crates.chain([root().to_owned()]);
    let sources = folders.map(|folder| folder.join("src"));
    sources
        .chain([root().join("crates/cell-evaluator/runtime")])
        .collect()
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder of sources");
    let paths = entries.map(|entry| entry.expect("a file").path());
    let files = paths.flat_map(|path| match path.is_dir() {
        true => rust_files(&path),
        false => vec![path],
    });
    files
        .filter(|file| file.extension().is_some_and(|ending| ending == "rs"))
        .collect()
}

/// The code of a file, without its tests and comments.
fn code(file: &Path) -> String {
    let text = fs::read_to_string(file).expect("a source file");
    let code = text.split("#[cfg(test)]\nmod tests").next();
    let lines = code.unwrap_or_default().lines();
    let lines = lines.filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// `heatmap/mod.rs` and `heatmap.rs` are the module `heatmap`.
fn module_of(file: &Path, source: &Path) -> Module {
    let path = file.strip_prefix(source).expect("a file of this crate");
    let path = path.with_extension("");
    let names = path.iter().map(|name| name.to_string_lossy().into_owned());
    let mut module: Module = names.collect();
    if matches!(
        module.last().map(String::as_str),
        Some("mod" | "lib" | "main")
    ) {
        module.pop();
    }
    module
}

/// The modules of a crate, and the other modules each of them names.
fn modules(source: &Path) -> BTreeMap<Module, BTreeSet<Module>> {
    let files = rust_files(source);
    let known: BTreeMap<Module, &PathBuf> = files
        .iter()
        .map(|file| (module_of(file, source), file))
        .collect();
    let needs = |(module, file): (&Module, &&PathBuf)| {
        let paths = paths(&code(file), module);
        let owners = paths.iter().filter_map(|path| {
            let lengths = (1..=path.len()).rev();
            let mut beginnings = lengths.map(|length| path[..length].to_vec());
            beginnings.find(|beginning| known.contains_key(beginning))
        });
        let others = owners.filter(|owner| owner != module);
        (module.clone(), others.collect())
    };
    known.iter().map(needs).collect()
}

/// The paths `crate::...` and `super::...` in a module's code, resolved from the root of
/// its crate.
fn paths(code: &str, module: &[String]) -> Vec<Module> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let starts = code
        .match_indices("crate::")
        .chain(code.match_indices("super::"));
    let mut paths = Vec::new();
    for (start, _) in starts {
        if code[..start].ends_with(is_part) {
            continue;
        }
        let rest = &code[start..];
        let (head, tail) = rest.split_at(rest.find(|c| !is_part(c)).unwrap_or(rest.len()));
        let mut path = module.to_vec();
        for name in head.split("::").filter(|name| !name.is_empty()) {
            match name {
                "crate" => path.clear(),
                "super" => drop(path.pop()),
                _ => path.push(name.to_owned()),
            }
        }
        let list = tail
            .strip_prefix('{')
            .and_then(|list| list.split_once("};"));
        let names = list.map_or("", |(list, _)| list).split([',', '{', '}']);
        paths.extend(names.map(|name| {
            let first = name.trim().split("::").next().unwrap_or_default();
            [&path[..], &[first.to_owned()]].concat()
        }));
    }
    paths
}

/// The modules that `module` needs, directly or indirectly.
fn all_needs(module: &Module, needs: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeSet<Module> {
    let mut found = BTreeSet::new();
    let mut next: Vec<&Module> = needs[module].iter().collect();
    while let Some(module) = next.pop() {
        if found.insert(module.clone()) {
            next.extend(&needs[module]);
        }
    }
    found
}

/// The modules that are part of a cycle.
fn cycle(needs: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<String> {
    let in_a_cycle = |module: &&Module| all_needs(module, needs).contains(*module);
    let modules = needs.keys().filter(in_a_cycle);
    modules.map(|module| module.join("::")).collect()
}

#[test]
fn no_module_needs_one_that_needs_it() {
    for source in sources() {
        let cycle = cycle(&modules(&source));
        assert!(cycle.is_empty(), "{}: {cycle:?}", source.display());
    }
}

/// For each folder at any depth: which of its files and folders use which others in it.
fn siblings(
    modules: &BTreeMap<Module, BTreeSet<Module>>,
) -> Vec<BTreeMap<Module, BTreeSet<Module>>> {
    let folders: BTreeSet<&[String]> = modules
        .keys()
        .flat_map(|module| (0..module.len()).map(|length| &module[..length]))
        .collect();
    let inside = |folder: &[String]| {
        let entry = |module: &Module| {
            (module.len() > folder.len() && module.starts_with(folder))
                .then(|| module[..=folder.len()].to_vec())
        };
        let mut needs: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
        for (module, needed) in modules {
            let Some(user) = entry(module) else { continue };
            let mut others: BTreeSet<Module> = needed.iter().filter_map(entry).collect();
            others.remove(&user);
            for other in &others {
                needs.entry(other.clone()).or_default();
            }
            needs.entry(user).or_default().extend(others);
        }
        needs
    };
    folders.into_iter().map(inside).collect()
}

#[test]
fn no_folder_needs_one_that_needs_it() {
    for source in sources() {
        for needs in siblings(&modules(&source)) {
            let cycle = cycle(&needs);
            assert!(cycle.is_empty(), "{}: {cycle:?}", source.display());
        }
    }
}

/// The crates whose `lib.rs` promises that each module uses only those above it.
const IN_ORDER: [&str; 3] = ["cell-evaluator", "jupyter-kernel", "notebook-session"];

#[test]
fn each_module_uses_those_declared_above_it() {
    for name in IN_ORDER {
        let source = root().join("crates").join(name).join("src");
        let declarations = code(&source.join("lib.rs"));
        let declared = declarations.lines().filter_map(|line| {
            let line = line.strip_prefix("pub ").unwrap_or(line);
            line.strip_prefix("mod ")?.strip_suffix(';')
        });
        let declared: Vec<&str> = declared.collect();
        let place = |module: &Module| declared.iter().position(|name| *name == module[0]);
        for (user, used) in &siblings(&modules(&source))[0] {
            for one in used {
                let are_known = place(user).is_some() && place(one).is_some();
                let is_above = are_known && place(one) < place(user);
                assert!(is_above, "{name}: {} uses {}", user[0], one[0]);
            }
        }
    }
}

#[test]
fn the_test_sees_a_cycle_of_folders() {
    let module = |path: &str| path.split('/').map(str::to_owned).collect::<Module>();
    let needs = |user: &str, used: &str| (module(user), BTreeSet::from([module(used)]));
    let modules = BTreeMap::from([
        needs("judge/words", "verdict/html"),
        needs("verdict/text", "judge/digits"),
        (module("judge/digits"), BTreeSet::new()),
        (module("verdict/html"), BTreeSet::new()),
    ]);
    assert!(cycle(&modules).is_empty());
    let cycles: Vec<Vec<String>> = siblings(&modules).iter().map(cycle).collect();
    assert!(cycles.contains(&vec!["judge".to_owned(), "verdict".to_owned()]));
}

#[test]
fn the_test_sees_a_cycle() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect(name);
    fs::create_dir(folder.path().join("inner")).expect("a folder");
    write("lib.rs", "mod above;\nmod inner;\n");
    write("above.rs", "use crate::inner::{leaf::Leaf, other};\n");
    write("inner/mod.rs", "pub mod leaf;\n");
    write(
        "inner/leaf.rs",
        "use super::super::above;\n// use crate::nothing;\n",
    );
    let needs = modules(folder.path());
    let above = vec!["above".to_owned()];
    assert!(all_needs(&above, &needs).contains(&above), "{needs:?}");
}

#[test]
fn unsafe_code_stands_in_the_named_modules_only() {
    let named = [
        "crates/attention/src/numerics/fresh.rs",
        "crates/attention/src/numerics/product.rs",
        "crates/attention/src/model_files/mapped_file.rs",
        "crates/cell-evaluator/runtime/main.rs",
        "crates/exercises/src/judge/fork.rs",
    ];
    for file in sources().iter().flat_map(|source| rust_files(source)) {
        let path = file.strip_prefix(root()).expect("below the root");
        let allows = code(&file).contains("allow(unsafe_code");
        assert_eq!(
            allows,
            named.iter().any(|named| path == Path::new(named)),
            "{}",
            path.display()
        );
    }
}

/// The names of the types that a file declares, other than those of its functions and tests.
fn types(file: &Path) -> Vec<String> {
    let code = code(file);
    let declared = |line: &str| {
        let line = match line.strip_prefix("pub") {
            Some(rest) => rest.split_once(' ')?.1,
            None => line,
        };
        let (kind, rest) = line.split_once(' ')?;
        let name = rest.split(|c: char| !c.is_alphanumeric()).next()?;
        ["struct", "enum", "trait", "type"]
            .contains(&kind)
            .then(|| name.to_owned())
    };
    code.lines().filter_map(declared).collect()
}

/// Readers who follow a cell pass through all of these crates.
#[test]
fn no_two_types_that_a_cell_meets_share_a_name() {
    let folders = [
        "cell-evaluator/src",
        "jupyter-kernel/src",
        "notebook/src",
        "notebook-session/src",
    ];
    let mut owners: BTreeMap<String, PathBuf> = BTreeMap::new();
    for folder in folders {
        for file in rust_files(&root().join("crates").join(folder)) {
            for name in types(&file) {
                if let Some(other) = owners.insert(name.clone(), file.clone()) {
                    panic!("{name}: {} and {}", other.display(), file.display());
                }
            }
        }
    }
    assert!(owners.len() > 150, "only {} types were found", owners.len());
}

#[test]
fn no_type_is_called_what_any_could_be() {
    let vague = [
        "Answer", "Copy", "End", "Made", "Place", "Request", "Shared", "State",
    ];
    // `State` is PyTorch's own word here: `torch.get_rng_state()`.
    let allowed = root().join("crates/torch-random/src/torch/mod.rs");
    for file in sources().iter().flat_map(|source| rust_files(source)) {
        let found = types(&file);
        let found = found.iter().find(|name| vague.contains(&name.as_str()));
        assert!(
            found.is_none() || file == allowed,
            "{}: {found:?}",
            file.display()
        );
    }
}
