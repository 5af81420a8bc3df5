//! The public items of the crates that cells name, found by parsing their sources; items that
//! macros generate are not included.

use super::items::{Declared, Item, ItemKind, Items, put};
use crate::imports::Import;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use syn::spanned::Spanned;
use syn::{Item as Syntax, Visibility};

/// Maximum number of re-exports followed from one name.
const MOST_STEPS: usize = 8;

/// Items that cells can name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Index {
    /// The nameable items of each module, by module path.
    pub modules: BTreeMap<String, Items>,
    /// The methods, fields and variants of each type, by type name.
    pub members: BTreeMap<String, Items>,
    /// How often the crates call each method, since their users probably call the same ones.
    pub calls: BTreeMap<String, u32>,
}

/// The modules of a crate by path, as written in the source.
#[derive(Default)]
struct Written {
    modules: BTreeMap<String, Items>,
    /// The imports of each module, and whether each is public.
    uses: BTreeMap<String, Vec<(Import, bool)>>,
    calls: BTreeMap<String, u32>,
}

impl Index {
    /// Adds the public items of a crate. `root` is its root source file.
    pub fn add_crate(&mut self, name: &str, root: &Path) {
        let mut written = Written::default();
        let mut declared = Declared::default();
        if let Some(folder) = root.parent() {
            written.read(folder, name, &mut declared);
        }
        for (method, times) in &written.calls {
            *self.calls.entry(method.clone()).or_default() += times;
        }
        let own: BTreeSet<&String> = written.modules.values().flat_map(Items::keys).collect();
        declared.members.retain(|of_type, _| own.contains(of_type));
        for (of_type, members) in declared.members {
            let public = members.into_iter().filter(|(_, one)| one.is_public);
            self.members.entry(of_type).or_default().extend(public);
        }
        let mut left = vec![name.to_owned()];
        while let Some(module) = left.pop() {
            let items = self.public_in(&written, name, &module);
            let modules = items.iter().filter(|(_, one)| one.kind == ItemKind::Module);
            left.extend(
                modules
                    .map(|(inner, _)| format!("{module}::{inner}"))
                    .filter(|path| written.modules.contains_key(path)),
            );
            self.modules.insert(module, items);
        }
    }

    fn public_in(&self, written: &Written, name: &str, module: &str) -> Items {
        let own = written.modules.get(module).into_iter().flatten();
        let mut items: Items = own
            .filter(|(_, one)| one.is_public)
            .map(|(name, one)| (name.clone(), one.clone()))
            .collect();
        let uses = written.uses.get(module).into_iter().flatten();
        for (import, _) in uses.filter(|(_, is_public)| *is_public) {
            let path = written.path(name, module, &import.path);
            if import.name == "*" {
                let others = self
                    .modules
                    .get(&path)
                    .or_else(|| written.modules.get(&path));
                let others = others
                    .into_iter()
                    .flatten()
                    .filter(|(_, one)| one.is_public);
                items.extend(others.map(|(name, one)| (name.clone(), one.clone())));
            } else {
                let found = self.find(written, name, &path, MOST_STEPS);
                let one = found.unwrap_or_else(|| unknown(&import.name, &path));
                items.insert(import.name.clone(), one);
            }
        }
        items
    }

    /// Finds the item at a path, following re-exports.
    fn find(&self, written: &Written, name: &str, path: &str, steps: usize) -> Option<Item> {
        let (module, last) = path.rsplit_once("::")?;
        let of = |modules: &BTreeMap<String, Items>| modules.get(module)?.get(last).cloned();
        let found = of(&written.modules).or_else(|| of(&self.modules));
        if found.as_ref().is_some_and(|one| one.is_public) || steps == 0 {
            return found;
        }
        // A function is often re-exported from a private module of the same name.
        let mut uses = written.uses.get(module).into_iter().flatten();
        let re_exported = uses.find(|(import, _)| import.name == last);
        let next = re_exported.map(|(import, _)| written.path(name, module, &import.path));
        next.and_then(|next| self.find(written, name, &next, steps - 1))
            .or(found)
    }
}

/// A placeholder for an item of another crate, whose kind is guessed from its name.
fn unknown(name: &str, path: &str) -> Item {
    let kind = match (name.starts_with(char::is_uppercase), path.contains("::")) {
        (true, _) => ItemKind::Type,
        (_, false) => ItemKind::Module,
        _ => ItemKind::Function,
    };
    Item {
        kind,
        text: name.to_owned(),
        declaration: path.to_owned(),
        documentation: String::new(),
        returns: None,
        is_public: true,
    }
}

/// The methods that a text calls: `len` in `words.len()`.
fn called(text: &str) -> impl Iterator<Item = &str> {
    text.split('.').skip(1).filter_map(|rest| {
        let is_part = |one: char| one.is_alphanumeric() || one == '_';
        let end = rest.find(|one| !is_part(one))?;
        let (name, after) = rest.split_at(end);
        let is_called = after.starts_with('(') || after.starts_with("::<");
        (is_called && !name.is_empty()).then_some(name)
    })
}

impl Written {
    /// Reads the files of a module that has its own folder.
    fn read(&mut self, folder: &Path, module: &str, declared: &mut Declared) {
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            let path = entry.path();
            let stem = path
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let inner = match stem.as_str() {
                "lib" | "mod" => module.to_owned(),
                _ => format!("{module}::{stem}"),
            };
            if path.is_dir() {
                self.read(&path, &inner, declared);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                for method in called(&text) {
                    *self.calls.entry(method.to_owned()).or_default() += 1;
                }
                if let Ok(file) = syn::parse_file(&text) {
                    self.add(&inner, &file.items, declared);
                }
            }
        }
    }

    fn add(&mut self, module: &str, items: &[Syntax], declared: &mut Declared) {
        let mut here = Declared::default();
        for item in items {
            here.add(item);
            match item {
                Syntax::Use(item) => {
                    let is_public = matches!(item.vis, Visibility::Public(_));
                    let start = item.use_token.span.join(item.semi_token.span());
                    let code = start
                        .and_then(|span| span.source_text())
                        .unwrap_or_default();
                    let uses = self.uses.entry(module.to_owned()).or_default();
                    uses.extend(Import::all(&code).into_iter().map(|one| (one, is_public)));
                }
                Syntax::Mod(inner) => {
                    if let Some((_, items)) = &inner.content {
                        self.add(&format!("{module}::{}", inner.ident), items, declared);
                    }
                }
                _ => {}
            }
        }
        for (of_type, members) in here.members {
            let all = declared.members.entry(of_type).or_default();
            for (name, member) in members {
                put(all, name, member);
            }
        }
        self.modules
            .entry(module.to_owned())
            .or_default()
            .extend(here.items);
    }

    /// Resolves a path in a module to an absolute path.
    fn path(&self, name: &str, module: &str, path: &[String]) -> String {
        let mut module = module.to_owned();
        let mut rest = path;
        match path.first().map(String::as_str) {
            Some("crate") => {
                name.clone_into(&mut module);
                rest = &path[1..];
            }
            Some("self") => rest = &path[1..],
            Some("super") => {
                while rest.first().is_some_and(|one| one == "super") {
                    let outer = module.rsplit_once("::").map_or("", |(outer, _)| outer);
                    module = outer.to_owned();
                    rest = &rest[1..];
                }
            }
            Some(first) => {
                let children = self
                    .modules
                    .keys()
                    .filter_map(|one| one.strip_prefix(&module));
                let children: BTreeSet<&str> = children.collect();
                let is_here = self
                    .modules
                    .get(&module)
                    .is_some_and(|items| items.contains_key(first))
                    || children.contains(format!("::{first}").as_str());
                if !is_here {
                    return path.join("::");
                }
            }
            None => {}
        }
        let rest = rest.iter().map(|part| format!("::{part}"));
        module + &rest.collect::<String>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_public_is_found_through_re_exports() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = [
            (
                "lib.rs",
                "mod inner; pub mod prelude; pub use inner::deep::{softmax, Own as Mine}; pub use arrays; mod hidden { pub fn no() {} }",
            ),
            ("inner/mod.rs", "pub mod deep;"),
            (
                "inner/deep.rs",
                "/// Weights.\npub fn softmax(scores: &[f32]) -> Mine { loop {} } pub struct Own { show: u8 } impl Own { pub fn show(&self) {} fn secret(&self) {} }",
            ),
            (
                "prelude.rs",
                "pub use crate::{softmax, Mine}; pub use arrays::{Matrix, matrix};",
            ),
        ];
        std::fs::create_dir(folder.path().join("inner")).expect("a folder");
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).expect("a file");
        }
        let mut index = Index::default();
        index.add_crate("toy", &folder.path().join("lib.rs"));
        let names = |module: &str| index.modules[module].keys().cloned().collect::<Vec<_>>();
        assert_eq!(names("toy"), ["Mine", "arrays", "prelude", "softmax"]);
        assert_eq!(
            names("toy::prelude"),
            ["Matrix", "Mine", "matrix", "softmax"]
        );
        let softmax = &index.modules["toy::prelude"]["softmax"];
        assert_eq!(softmax.documentation, "Weights.");
        assert_eq!(index.members["Own"].keys().collect::<Vec<_>>(), ["show"]);
        assert!(!index.modules.contains_key("toy::hidden"));
    }
}
