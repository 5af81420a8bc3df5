//! The crates that cells use: the places of their sources, and an index of their items. Set-up
//! records both, so that cargo need not be called later.

use super::index::Index;
use super::named::named_crates;
use crate::crates::{Content, Crates, METADATA, read};
use crate::types::BELOW;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// The crates that cells use.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Library {
    /// In dependency order: each crate comes after its dependencies.
    crates: Vec<Source>,
    /// The crates that cells can name, and their indices in the list.
    direct: BTreeMap<String, Option<usize>>,
    /// The public items of the crates that cells can name.
    pub index: Index,
}

/// A crate's sources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Source {
    name: String,
    root: PathBuf,
    folder: PathBuf,
    version: String,
    edition: String,
    features: Vec<String>,
    /// The names of its dependencies, and their indices in the list.
    dependencies: Vec<(String, usize)>,
}

/// The name of the library's file, which is next to the compiled crates that it describes.
const FILE: &str = "library.json";

impl Library {
    /// Writes the library for the crates that set-up has compiled in `set_up`, unless it exists.
    ///
    /// # Errors
    ///
    /// If nothing is compiled there, or if a file cannot be written.
    pub fn prepare(set_up: &Path) -> io::Result<()> {
        let (folder, content) = read(set_up)?;
        let file = folder.join(FILE);
        if Library::read(&file).is_err() {
            Library::from_metadata(&folder, &content)?.write(&file)?;
        }
        Ok(())
    }

    /// The library for a notebook's crates: set-up's, or a new one if the notebook has added
    /// crates.
    ///
    /// # Errors
    ///
    /// If the files next to the crates cannot be read.
    pub fn of(crates: &Crates) -> io::Result<Library> {
        let (folder, content) = crates.content();
        let made = Library::read(&folder.join(FILE)).ok();
        let names = content.named();
        match made.filter(|made| made.direct.keys().eq(names.keys())) {
            Some(made) => Ok(made),
            None => Library::from_metadata(folder, content),
        }
    }

    fn from_metadata(folder: &Path, content: &Content) -> io::Result<Library> {
        let metadata: Value = serde_json::from_slice(&std::fs::read(folder.join(METADATA))?)?;
        let named = content.named().into_iter();
        let named = named.map(|(name, one)| (name, (one.name.as_str(), one.version.to_string())));
        Ok(Library::new(&metadata, &named.collect()))
    }

    /// Makes a library of the crates in `named` (each name in cells with its package and version)
    /// and their dependencies, from the output of `cargo metadata` for the host platform. A crate
    /// that no public declaration names is left out: it would cost time and memory, and no
    /// completion needs it.
    pub fn new(metadata: &Value, named: &BTreeMap<&str, (&str, String)>) -> Library {
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let by_id = |value: &Value| -> BTreeMap<String, Value> {
            let pairs = list(value).into_iter();
            pairs.map(|one| (text(&one["id"]), one)).collect()
        };
        let packages = by_id(&metadata["packages"]);
        let mut library = Library::default();
        let mut reader = Reader {
            nodes: by_id(&metadata["resolve"]["nodes"]),
            packages: &packages,
            places: BTreeMap::new(),
        };
        for (name, (package, version)) in named {
            let is_it = |one: &&Value| one["name"] == *package && one["version"] == **version;
            let id = packages.values().find(is_it).map(|one| text(&one["id"]));
            let place = reader.add(&id.unwrap_or_default(), &mut library.crates);
            if let Some(place) = place {
                library.index.add_crate(name, &library.crates[place].root);
            }
            library.direct.insert((*name).to_owned(), place);
        }
        library
    }

    fn write(&self, path: &Path) -> io::Result<()> {
        atomic_file::write(path, &serde_json::to_vec(self)?)
    }

    fn read(path: &Path) -> io::Result<Library> {
        Ok(serde_json::from_slice(&std::fs::read(path)?)?)
    }

    /// The project description for rust-analyzer: these crates, the standard library, and a crate
    /// for cells.
    pub fn project(&self, cell: &Path, sysroot: &Path) -> Value {
        let mut crates: Vec<Value> = self.crates.iter().map(Source::described).collect();
        let direct = self.direct.iter();
        let direct = direct.filter_map(|(name, place)| Some((name.clone(), (*place)?)));
        // Types of variables use these names for crates that cells cannot name.
        let below = self.crates.iter().enumerate();
        let below = below.map(|(place, one)| (format!("{BELOW}{}", one.name), place));
        let mut own = Source {
            name: "cell".to_owned(),
            root: cell.to_owned(),
            folder: cell.parent().unwrap_or(cell).to_owned(),
            version: String::new(),
            edition: "2024".to_owned(),
            features: Vec::new(),
            dependencies: direct.chain(below).collect(),
        }
        .described();
        own["is_workspace_member"] = json!(true);
        crates.push(own);
        let sources = sysroot.join("lib/rustlib/src/rust/library");
        json!({
            "sysroot": sysroot,
            "sysroot_src": sources,
            "sysroot_project": { "crates": standard_library(&sources) },
            "crates": crates,
        })
    }
}

/// The crates of the standard library. The CPU intrinsics of `core`, which are in another folder
/// and make up more than half of its sources, are left out.
fn standard_library(sources: &Path) -> Vec<Value> {
    let names = ["core", "alloc", "std"];
    let one = |(place, name): (usize, &&str)| {
        let root = sources.join(name).join("src/lib.rs");
        let dependencies = names[..place].iter().enumerate();
        Source {
            name: (*name).to_owned(),
            folder: sources.join(name),
            root,
            version: String::new(),
            edition: "2024".to_owned(),
            features: vec!["std".to_owned()],
            dependencies: dependencies
                .map(|(place, name)| ((*name).to_owned(), place))
                .collect(),
        }
        .described()
    };
    names.iter().enumerate().map(one).collect()
}

impl Source {
    fn described(&self) -> Value {
        let dependencies = self.dependencies.iter();
        let dependencies: Vec<Value> = dependencies
            .map(|(name, place)| json!({ "name": name, "crate": place }))
            .collect();
        let features = self.features.iter();
        let features: Vec<String> = features.map(|one| format!("feature=\"{one}\"")).collect();
        json!({
            "display_name": self.name,
            "root_module": self.root,
            "edition": self.edition,
            "deps": dependencies,
            "cfg": features,
            "is_workspace_member": false,
            "source": { "include_dirs": [self.root.parent()], "exclude_dirs": [] },
            "env": {
                "CARGO_MANIFEST_DIR": self.folder,
                "CARGO_PKG_NAME": self.name,
                "CARGO_PKG_VERSION": self.version,
            },
        })
    }
}

struct Reader<'a> {
    nodes: BTreeMap<String, Value>,
    packages: &'a BTreeMap<String, Value>,
    places: BTreeMap<String, Option<usize>>,
}

impl Reader<'_> {
    /// Adds a package's library to the list; returns its index.
    fn add(&mut self, id: &str, crates: &mut Vec<Source>) -> Option<usize> {
        if let Some(place) = self.places.get(id) {
            return *place;
        }
        self.places.insert(id.to_owned(), None);
        let package = self.packages.get(id)?;
        let target = package["targets"].as_array()?.iter().find(|target| {
            let kinds = target["kind"].as_array();
            let is_library = |kind: &Value| ["lib", "rlib", "dylib"].iter().any(|one| kind == one);
            kinds.is_some_and(|kinds| kinds.iter().any(is_library))
        })?;
        let root = PathBuf::from(text(&target["src_path"]));
        let node = self.nodes.get(id)?.clone();
        let is_normal = |one: &&Value| {
            let kinds = one["dep_kinds"].as_array();
            kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind["kind"].is_null()))
        };
        let all = node["deps"].as_array()?.iter().filter(is_normal);
        let all: BTreeMap<String, String> = all
            .map(|one| (text(&one["name"]), text(&one["pkg"])))
            .collect();
        let folder = root.parent()?;
        let names: Vec<&str> = all.keys().map(String::as_str).collect();
        let named = named_crates(folder, &names);
        let mut dependencies = Vec::new();
        for (name, id) in all.iter().filter(|(name, _)| named.contains(*name)) {
            if let Some(place) = self.add(id, crates) {
                dependencies.push((name.clone(), place));
            }
        }
        crates.push(Source {
            name: text(&target["name"]).replace('-', "_"),
            folder: Path::new(&text(&package["manifest_path"]))
                .parent()?
                .to_owned(),
            root,
            version: text(&package["version"]),
            edition: text(&target["edition"]),
            features: node["features"].as_array()?.iter().map(text).collect(),
            dependencies,
        });
        let place = crates.len() - 1;
        self.places.insert(id.to_owned(), Some(place));
        Some(place)
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
