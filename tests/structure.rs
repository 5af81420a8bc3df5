//! How the parts of the project hang together: what its manifests and its `use` lines say.

mod common;

use common::project;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use toml::Table;

/// The crates that know nothing of what the lessons are about.
const GENERAL: [&str; 2] = ["crates/notebook", "crates/notebook-kernel"];

/// All files below a folder of the project, with their paths in it.
fn files(folder: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![project().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_file() {
                let text = fs::read_to_string(&path).expect("a text");
                found.push((path, text));
            } else if path.file_name() != Some("target".as_ref()) {
                folders.push(path);
            }
        }
    }
    found.sort();
    found
}

fn manifest(file: &str) -> Table {
    let text = fs::read_to_string(project().join(file)).expect("a manifest");
    toml::from_str(&text).expect("TOML")
}

#[test]
fn the_kernel_knows_nothing_of_attention() {
    for folder in GENERAL {
        let files = files(folder);
        assert!(files.len() > 5, "{folder} has only {} files", files.len());
        for (path, text) in files {
            let line = text
                .lines()
                .position(|line| line.to_lowercase().contains("attention"));
            assert_eq!(line, None, "{}", path.display());
        }
    }
}

#[test]
fn one_file_of_the_program_names_the_helper_crate() {
    let names_it = |(path, text): (PathBuf, String)| {
        let code = text.lines().filter(|line| !line.trim().starts_with("//"));
        let code: String = code.collect();
        let names = ["attention::", "crates/attention", ":dep attention"];
        names.iter().any(|name| code.contains(name)).then_some(path)
    };
    let naming: Vec<PathBuf> = files("src").into_iter().filter_map(names_it).collect();
    assert_eq!(naming, [project().join("src/project.rs")]);
}

#[test]
fn every_package_of_a_profile_is_in_the_lock_file() {
    let locked: BTreeSet<(String, String)> = manifest("Cargo.lock")["package"]
        .as_array()
        .expect("packages")
        .iter()
        .map(|package| ["name", "version"].map(|key| package[key].as_str().expect(key).to_owned()))
        .map(|[name, version]| (name, version))
        .collect();
    let mut checked = 0;
    for (profile, settings) in manifest("Cargo.toml")["profile"]
        .as_table()
        .expect("profiles")
    {
        let packages = settings
            .get("package")
            .and_then(|packages| packages.as_table());
        for package in packages.into_iter().flat_map(Table::keys) {
            let (wanted, version) = package.split_once('@').unwrap_or((package, ""));
            let is_it = |(name, found): &(String, String)| {
                name == wanted && (version.is_empty() || version == found)
            };
            let is_locked = package == "*" || locked.iter().any(is_it);
            assert!(is_locked, "profile {profile}: no package {package}");
            checked += 1;
        }
    }
    assert!(checked > 50, "only {checked} packages were looked for");
}

/// A module of the kernel, and what it imports from other modules.
fn imports(path: &Path, text: &str) -> (String, BTreeSet<String>) {
    let source = project().join("crates/notebook-kernel/src");
    let inner = path
        .strip_prefix(source)
        .expect("a source")
        .with_extension("");
    let own = inner.display().to_string().replace('/', "::");
    let own_text = text.split("#[cfg(test)]").next().unwrap_or_default();
    // `use crate::a::{b, c::d};` as `crate::a::b` and `crate::a::c::d`.
    let statements = own_text.split("\nuse crate::").skip(1);
    let statements = statements.map(|rest| rest.split(';').next().unwrap_or_default());
    let mut imported = BTreeSet::new();
    for statement in statements {
        let statement: String = statement.split_whitespace().collect();
        match statement.split_once("::{") {
            None => drop(imported.insert(statement)),
            Some((base, names)) => {
                let names = names.trim_end_matches('}').split(',');
                imported.extend(
                    names.map(|name| format!("{base}::{}", name.trim_end_matches("::self"))),
                );
            }
        }
    }
    (own, imported)
}

#[test]
fn no_module_of_the_kernel_needs_itself_by_way_of_others() {
    let sources = files("crates/notebook-kernel/src");
    let modules: BTreeMap<String, BTreeSet<String>> = sources
        .iter()
        .filter(|(path, _)| !path.ends_with("lib.rs"))
        .map(|(path, text)| imports(path, text))
        .collect();
    // An import names a module, or something in it.
    let module_of = |import: &str| -> Option<String> {
        let parent = import.rsplit_once("::").map(|(parent, _)| parent);
        let mut names = [Some(import), parent].into_iter().flatten();
        names
            .find(|name| modules.contains_key(*name))
            .map(str::to_owned)
    };
    let mut open: BTreeMap<&String, BTreeSet<String>> = BTreeMap::new();
    for (module, imports) in &modules {
        let needed: Option<BTreeSet<String>> =
            imports.iter().map(|import| module_of(import)).collect();
        let needed =
            needed.unwrap_or_else(|| panic!("{module} imports from no module: {imports:?}"));
        open.insert(module, needed);
    }
    assert!(
        open.values().map(BTreeSet::len).sum::<usize>() > 50,
        "{open:?}"
    );
    // Modules of which all that they need is settled are settled; in a cycle none ever is.
    let mut settled: BTreeSet<String> = BTreeSet::new();
    while !open.is_empty() {
        let next: Vec<&String> = (open.iter())
            .filter(|(_, needed)| needed.is_subset(&settled))
            .map(|(module, _)| *module)
            .collect();
        assert!(!next.is_empty(), "a cycle among {open:#?}");
        for module in next {
            open.remove(module);
            settled.insert(module.clone());
        }
    }
}

#[test]
fn the_kernel_in_the_readme_is_the_example() {
    let of_kernel = |file: &str| {
        let path = project().join("crates/notebook-kernel").join(file);
        fs::read_to_string(path).expect("a text")
    };
    let example = of_kernel("examples/toy_kernel.rs");
    let block = format!("```no_run\n{example}```\n");
    assert!(of_kernel("README.md").contains(&block), "{block}");
}
