//! How the parts of the project fit together: what its manifests say, and which parts depend on
//! which.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use toml::Table;

/// The crates that must not depend on the subject of the lessons.
const GENERAL: [&str; 4] = [
    "crates/cell-evaluator",
    "crates/jupyter-kernel",
    "crates/notebook",
    "crates/notebook-session",
];

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files below a folder of the project.
fn paths(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![project().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_file() {
                found.push(path);
            } else if path.file_name() != Some("target".as_ref()) {
                folders.push(path);
            }
        }
    }
    found.sort();
    found
}

/// All files below a folder of the project, each with its text.
fn files(folder: &str) -> Vec<(PathBuf, String)> {
    let text = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a text");
        (path, text)
    };
    paths(folder).into_iter().map(text).collect()
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
fn one_file_of_the_program_names_the_crate_attention() {
    let names_it = |(path, text): (PathBuf, String)| {
        let code = text.lines().filter(|line| !line.trim().starts_with("//"));
        let code: String = code.collect();
        let names = ["attention::", "crates/attention", ":dep attention"];
        names.iter().any(|name| code.contains(name)).then_some(path)
    };
    let naming: Vec<PathBuf> = files("src").into_iter().filter_map(names_it).collect();
    assert_eq!(naming, [project().join("src/project.rs")]);
}

/// Coinages of this project that were replaced by the field's terms or by plain words.
const GONE: [&str; 10] = [
    "companion crate",
    "foremost",
    "guardian",
    "helper crate",
    "helper_crate",
    "keeper",
    "relay",
    "stand-in",
    "tethered",
    "unnamed type",
];

/// All sources and pages, each with its path and text, except this file, which has to name those
/// words.
fn sources_and_pages() -> Vec<(PathBuf, String)> {
    let folders = [
        "crates",
        "src",
        "tests",
        "docs",
        "classroom",
        "colab",
        "benches",
    ];
    let below = folders.iter().flat_map(|folder| paths(folder));
    let pages =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|page| project().join(page));
    let is_text = |path: &PathBuf| {
        let ending = path.extension().unwrap_or_default();
        ["rs", "py", "md", "js"]
            .iter()
            .any(|known| ending == *known)
            && !path.ends_with("tests/architecture/structure.rs")
    };
    let texts = below.chain(pages).filter(is_text);
    texts
        .map(|path| {
            let text = fs::read_to_string(&path).expect("a text");
            (path, text)
        })
        .collect()
}

/// The nouns of the glossary.
fn glossary() -> Vec<String> {
    let page = fs::read_to_string(project().join("ARCHITECTURE.md")).expect("a page");
    let (_, section) = page.split_once("## Glossary\n").expect("a glossary");
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| "));
    let nouns = rows.filter_map(|row| Some(row.split_once(" | ")?.0.to_owned()));
    nouns.skip(1).collect()
}

#[test]
fn the_glossary_has_nouns_that_the_sources_use() {
    let nouns = glossary();
    assert!((10..=25).contains(&nouns.len()), "{} nouns", nouns.len());
    assert!(nouns.is_sorted(), "{nouns:?}");
    let sources: Vec<(PathBuf, String)> = sources_and_pages()
        .into_iter()
        .filter(|(path, _)| path.extension().is_some_and(|ending| ending == "rs"))
        .collect();
    for noun in nouns {
        let words = noun.split(' ');
        let type_name: String = words
            .map(|word| word[..1].to_uppercase() + &word[1..])
            .collect();
        let module = noun.replace(' ', "_");
        let is_used = |(path, text): &(PathBuf, String)| {
            let has_type = ["struct", "enum", "trait"].iter().any(|kind| {
                let declared = format!("pub {kind} {type_name}");
                text.match_indices(&declared).any(|(start, _)| {
                    !text[start + declared.len()..].starts_with(char::is_alphanumeric)
                })
            });
            let mut parts = path.components();
            has_type
                || parts.any(|part| {
                    Path::new(part.as_os_str()).with_extension("") == Path::new(&module)
                })
        };
        assert!(sources.iter().any(is_used), "no type or module is a {noun}");
    }
}

#[test]
fn words_that_are_gone_do_not_come_back() {
    let texts = sources_and_pages();
    assert!(texts.len() > 400, "only {} texts", texts.len());
    for (path, text) in texts {
        let text = text.to_lowercase();
        for word in GONE {
            let position = text.lines().position(|line| line.contains(word));
            assert_eq!(position, None, "{}: {word}", path.display());
        }
    }
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
    assert!(checked > 15, "only {checked} packages were looked for");
}

/// The crates that cargo reaches from the default members along these edges, with their features.
fn crates_with_features(edges: &str) -> BTreeSet<String> {
    let mut tree = Command::new(env!("CARGO"));
    tree.args(["tree", "--locked", "--prefix=none", "--format={p} [{f}]"]);
    let output = tree
        .args(["--edges", edges])
        .current_dir(project())
        .output();
    let output = output.expect("cargo starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let lines = String::from_utf8_lossy(&output.stdout);
    let lines = lines.lines().map(|line| line.trim_end_matches(" (*)"));
    lines.map(str::to_owned).collect()
}

/// If a crate's features change, it is compiled again, along with everything that depends on it. If
/// a test's dependency added one to `syn`, `cargo run` after `cargo test` would compile for two
/// minutes.
#[test]
fn what_only_tests_depend_on_changes_no_other_crate() {
    let program = crates_with_features("normal,build");
    assert!(program.len() > 200, "{}", program.len());
    let tested = crates_with_features("normal,build,dev");
    // getrandom may differ, because few crates depend on it.
    let changed: Vec<&String> = (program.difference(&tested))
        .filter(|name| !name.starts_with("getrandom "))
        .collect();
    assert!(changed.is_empty(), "{changed:#?}");
}

#[test]
fn the_kernel_in_the_readme_is_the_example() {
    let of_crate = |file: &str| {
        let path = project().join("crates/notebook-session").join(file);
        fs::read_to_string(path).expect("a text")
    };
    let example = of_crate("examples/toy_kernel.rs");
    let block = format!("```no_run\n{example}```\n");
    assert!(of_crate("README.md").contains(&block), "{block}");
}

/// The numbers in a text, as they are written.
fn numbers(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    let words = words.map(|word| word.trim_matches('.'));
    // "28e3143" is a commit, although it can be parsed as a number.
    let is_number = |word: &&str| word.parse::<f64>().is_ok() && !word.contains('e');
    words.filter(is_number).collect()
}

#[test]
fn the_summary_of_the_benchmarks_quotes_the_results() {
    let results = files("benches/results");
    let texts = results.iter().flat_map(|(_, text)| text.lines());
    let lines: Vec<Vec<&str>> = texts.map(numbers).collect();
    let summary = fs::read_to_string(project().join("BENCHMARKS.md")).expect("a page");
    assert!(summary.lines().count() <= 120, "more than one page");
    let mut compared = 0;
    for row in summary.lines().filter(|line| line.starts_with('|')) {
        let (_, cells) = row[1..].split_once('|').expect("two cells");
        let quoted = numbers(cells);
        let has_all = |line: &Vec<&str>| quoted.iter().all(|number| line.contains(number));
        assert!(lines.iter().any(has_all), "no result says {row}");
        compared += quoted.len();
    }
    assert!(compared > 80, "only {compared} numbers were compared");
}

/// The packages of a requirements file with their versions, without markers.
fn pins(file: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(project().join(file)).expect("requirements");
    let lines = text.lines().filter(|line| line.contains("=="));
    let pin = |line: &str| line.split([' ', ';', '\\']).next().map(str::to_owned);
    lines.filter_map(pin).collect()
}

#[test]
fn the_image_has_the_projects_packages_each_with_a_hash() {
    let (projects, image) = (pins("requirements.txt"), pins("binder/requirements.txt"));
    assert!(projects.len() > 50);
    let missing: Vec<&String> = projects.difference(&image).collect();
    assert!(
        missing.is_empty(),
        "make binder/requirements.txt again: {missing:?}"
    );
    let text = fs::read_to_string(project().join("binder/requirements.txt")).expect("requirements");
    for entry in text.split("\n").collect::<Vec<_>>().windows(2) {
        let is_package = entry[0].contains("==");
        assert!(
            !is_package || entry[1].contains("--hash=sha256:"),
            "{}",
            entry[0]
        );
    }
}

/// A dev container's settings, without the comments that JSON does not allow.
fn dev_container(file: &str) -> serde_json::Value {
    let text = fs::read_to_string(project().join(file)).expect("settings");
    let is_comment = |line: &&str| line.trim_start().starts_with("//");
    let lines: Vec<&str> = text.lines().filter(|line| !is_comment(line)).collect();
    serde_json::from_str(&lines.join("\n")).expect("JSON")
}

#[test]
fn a_dev_container_is_the_same_built_or_downloaded() {
    let mut built = dev_container(".devcontainer/devcontainer.json");
    let mut downloaded = dev_container(".devcontainer/prebuilt/devcontainer.json");
    let dockerfile = built["build"]["dockerfile"].take();
    assert_eq!(dockerfile, "../binder/Dockerfile");
    assert_eq!(downloaded["image"].take(), "ghcr.io/owner/name");
    for settings in [&mut built, &mut downloaded] {
        let settings = settings.as_object_mut().expect("an object");
        for own in ["name", "build", "image"] {
            settings.remove(own);
        }
    }
    assert!(!built["postAttachCommand"].is_null());
    assert_eq!(built, downloaded);
    // The image that is downloaded was built from the same Dockerfile.
    let workflow = project().join(".github/workflows/image.yml");
    let workflow = fs::read_to_string(workflow).expect("a workflow");
    for step in [
        "docker build -t attention -f binder/Dockerfile .",
        "image=ghcr.io/${GITHUB_REPOSITORY,,}\n",
        "docker tag attention \"$image\"",
        "docker push \"$image\"",
    ] {
        assert!(workflow.contains(step), "{step}");
    }
}
