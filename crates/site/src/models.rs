//! The trained models that some lessons load.

use crate::files::Site;
use anyhow::{Context, Result};
use attention::minilm::minilm;
use attention::translator::translator;
use serde_json::{Map, Value, json};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// A model as the lessons load it.
struct Model {
    /// The call that loads it in a lesson's cell.
    call: &'static str,
    /// Its folder in the system's cache.
    folder: &'static str,
    /// `None` for a model too large for a page: its pictures stay as they were stored.
    fetch: Option<fn() -> Result<(), attention::Error>>,
}

const MODELS: [Model; 3] = [
    Model {
        call: "minilm()",
        folder: "all-MiniLM-L6-v2",
        fetch: Some(|| minilm().map(drop)),
    },
    Model {
        call: "translator()",
        folder: "firefox-translations-en-pt",
        fetch: Some(|| translator().map(drop)),
    },
    Model {
        call: "writer()",
        folder: "SmolLM2-135M-Instruct",
        fetch: None,
    },
];

/// The folder on the site; to the WebAssembly program, it is the system's cache.
const HERE: &str = "models";

/// The address that pages load models from, and the size of each file. There are no files if pages
/// load no models.
pub struct Models {
    address: String,
    sizes: Map<String, Value>,
}

impl Models {
    /// Fetches the models that are not in the cache yet. `address` is the server that pages load
    /// them from; if it is empty, the files become part of the site. Without it, pages load no
    /// models, and none are fetched.
    pub fn new(address: Option<&str>, site: &Site) -> Result<Models> {
        let mut models = Models {
            address: HERE.to_owned(),
            sizes: Map::new(),
        };
        let Some(address) = address else {
            return Ok(models);
        };
        for Model { folder, fetch, .. } in MODELS {
            let Some(fetch) = fetch else { continue };
            fetch().with_context(|| format!("{folder} cannot be put on the site"))?;
            for file in files(&cache().join(folder))? {
                let name = file.file_name().unwrap_or_default().to_string_lossy();
                let path = format!("{folder}/{name}");
                models
                    .sizes
                    .insert(path.clone(), json!(file.metadata()?.len()));
                if address.is_empty() {
                    site.copy(&file, &format!("{HERE}/{path}"))?;
                }
            }
        }
        if !address.is_empty() {
            models.address = address.trim_end_matches('/').to_owned();
        }
        Ok(models)
    }

    /// The folders of the models that these cells load.
    pub fn needed(sources: &Value) -> Vec<&'static str> {
        let text = sources.to_string();
        let is_called = |model: &&Model| text.contains(model.call);
        MODELS
            .iter()
            .filter(is_called)
            .map(|model| model.folder)
            .collect()
    }

    /// How many megabytes a page loads for the models in these folders, if the site has them.
    pub fn megabytes(&self, folders: &[&str]) -> Option<u64> {
        let is_needed = |path: &str| folders.iter().any(|folder| path.starts_with(folder));
        let sizes = self.sizes.iter().filter(|(path, _)| is_needed(path));
        let bytes: u64 = sizes.filter_map(|(_, size)| size.as_u64()).sum();
        (bytes > 0).then_some(bytes.div_ceil(1_000_000))
    }

    /// The server that the pages must be allowed to connect to, besides the site's own; empty if
    /// there is none.
    pub fn server(&self) -> &str {
        let end = self.address.match_indices('/').nth(2);
        match self.address.contains("://") {
            true => &self.address[..end.map_or(self.address.len(), |(end, _)| end)],
            false => "",
        }
    }

    /// A script that tells the worker where the models are.
    pub fn script(&self) -> String {
        let models = json!({ "address": self.address, "sizes": self.sizes });
        format!("const MODELS = {models};\n")
    }
}

/// The folder where the crate `attention` keeps models.
fn cache() -> PathBuf {
    let set = |name| env::var_os(name).filter(|folder| !folder.is_empty());
    let caches = set("XDG_CACHE_HOME").map(PathBuf::from);
    let caches = caches.or_else(|| Some(PathBuf::from(set("HOME")?).join(".cache")));
    let caches = caches.unwrap_or_else(env::temp_dir);
    caches.join("attention-notebooks")
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("{}", folder.display()))?;
    let paths = entries.map(|entry| Ok(entry?.path()));
    let mut paths: Vec<PathBuf> = paths.collect::<Result<_>>()?;
    paths.retain(|path| path.is_file());
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(address: &str) -> Models {
        let sizes = json!({ "a/x": 1_200_000, "b/y": 1 });
        Models {
            address: address.to_owned(),
            sizes: sizes.as_object().cloned().unwrap_or_default(),
        }
    }

    #[test]
    fn a_page_may_connect_to_the_models_server_and_no_other() {
        assert_eq!(at("models").server(), "");
        assert_eq!(at("https://x.org").server(), "https://x.org");
        assert_eq!(at("https://x.org:81/a/b").server(), "https://x.org:81");
    }

    #[test]
    fn only_what_is_needed_counts() {
        assert_eq!(at("models").megabytes(&["a"]), Some(2));
        assert_eq!(at("models").megabytes(&["c"]), None);
        let sources = json!(["let model = minilm()?;"]);
        assert_eq!(Models::needed(&sources), ["all-MiniLM-L6-v2"]);
        assert!(Models::needed(&json!(["heatmap(&a)"])).is_empty());
        let large = Models::needed(&json!(["let model = writer()?;"]));
        assert_eq!(at("models").megabytes(&large), None);
        assert_eq!(large, ["SmolLM2-135M-Instruct"]);
    }
}
