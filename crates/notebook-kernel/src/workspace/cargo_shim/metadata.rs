//! What cargo says about all packages below a cell, without those that no signature names, and
//! without those that only the template needs.
//!
//! rust-analyzer reads the sources of every package that it is told of, and keeps what it makes of
//! them. Half of that is of packages that the helper crate is built on and that no type of a
//! variable comes from. A learner's own crate may well name one of them: then it is kept.

use serde_json::Value;
use std::collections::BTreeSet;
use std::env;

/// What rust-analyzer asks of cargo.
pub const METADATA: &str = "metadata";
/// The variable with the names of these packages, with commas between them.
pub const UNNAMED: &str = "NOTEBOOK_KERNEL_UNNAMED";
/// The member of the workspace that depends on the helper crate and nothing else.
const PIN: &str = "pin";

/// The answer of `cargo metadata`, with the packages that are named.
pub fn with_names(answer: &[u8]) -> Vec<u8> {
    let unnamed = env::var(UNNAMED).unwrap_or_default();
    let unnamed: BTreeSet<&str> = unnamed.split(',').filter(|name| !name.is_empty()).collect();
    let changed = serde_json::from_slice(answer)
        .ok()
        .and_then(|metadata| without(metadata, &unnamed));
    changed.unwrap_or_else(|| answer.to_vec())
}

fn without(mut metadata: Value, unnamed: &BTreeSet<&str>) -> Option<Vec<u8>> {
    let packages = metadata["packages"].as_array()?;
    let ids = |is_one: &dyn Fn(&str) -> bool| -> BTreeSet<String> {
        let named = packages
            .iter()
            .filter(|package| package["name"].as_str().is_some_and(is_one));
        named
            .filter_map(|package| Some(package["id"].as_str()?.to_owned()))
            .collect()
    };
    let unnamed = ids(&|name| unnamed.contains(name));
    let pin = ids(&|name| name == PIN);
    let below_helper = reached(&metadata, pin.clone())?;
    for members in ["workspace_members", "workspace_default_members"] {
        if let Some(members) = metadata[members].as_array_mut() {
            members.retain(|id| id.as_str().is_none_or(|id| !pin.contains(id)));
        }
    }
    let members: BTreeSet<String> = texts(&metadata["workspace_members"]).collect();
    for node in metadata["resolve"]["nodes"].as_array_mut()? {
        if !node["id"]
            .as_str()
            .is_some_and(|id| below_helper.contains(id))
        {
            continue; // the cell itself, or a crate of the learner's own
        }
        let is_named = |id: &Value| id.as_str().is_none_or(|id| !unnamed.contains(id));
        node["dependencies"].as_array_mut()?.retain(is_named);
        node["deps"]
            .as_array_mut()?
            .retain(|dependency| is_named(&dependency["pkg"]));
    }
    let kept = reached(&metadata, members)?;
    let is_kept = |one: &Value| one["id"].as_str().is_some_and(|id| kept.contains(id));
    metadata["packages"].as_array_mut()?.retain(is_kept);
    metadata["resolve"]["nodes"].as_array_mut()?.retain(is_kept);
    serde_json::to_vec(&metadata).ok()
}

/// The packages that some depend on, and what these depend on.
fn reached(metadata: &Value, from: BTreeSet<String>) -> Option<BTreeSet<String>> {
    let nodes = metadata["resolve"]["nodes"].as_array()?;
    let mut found = BTreeSet::new();
    let mut next: Vec<String> = from.into_iter().collect();
    while let Some(id) = next.pop() {
        if found.insert(id.clone()) {
            let node = nodes.iter().find(|node| node["id"] == id.as_str());
            next.extend(
                node.into_iter()
                    .flat_map(|node| texts(&node["dependencies"])),
            );
        }
    }
    Some(found)
}

fn texts(list: &Value) -> impl Iterator<Item = String> {
    let texts = list.as_array().into_iter().flatten();
    texts.filter_map(|text| Some(text.as_str()?.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Each package with what it depends on.
    fn metadata(packages: &[(&str, &[&str])]) -> Value {
        let package = |(name, _): &(&str, &[&str])| json!({"id": format!("#{name}"), "name": name});
        let node = |(name, needs): &(&str, &[&str])| {
            let ids: Vec<String> = needs.iter().map(|name| format!("#{name}")).collect();
            let deps: Vec<Value> = ids.iter().map(|id| json!({"pkg": id})).collect();
            json!({"id": format!("#{name}"), "dependencies": ids, "deps": deps})
        };
        json!({
            "packages": packages.iter().map(package).collect::<Vec<_>>(),
            "workspace_members": ["#ctx", "#pin"],
            "resolve": {"nodes": packages.iter().map(node).collect::<Vec<_>>()},
        })
    }

    fn names(metadata: Value) -> Vec<String> {
        let unnamed = BTreeSet::from(["hidden"]);
        let written = without(metadata, &unnamed).expect("metadata");
        let metadata: Value = serde_json::from_slice(&written).expect("JSON");
        let nodes = metadata["resolve"]["nodes"].as_array().expect("nodes");
        let packages = metadata["packages"].as_array().expect("packages");
        assert_eq!(nodes.len(), packages.len());
        let name = |package: &Value| package["name"].as_str().map(str::to_owned);
        packages.iter().filter_map(name).collect()
    }

    const HELPER: [(&str, &[&str]); 5] = [
        ("pin", &["helper"]),
        ("helper", &["named", "hidden"]),
        ("named", &["hidden"]),
        ("hidden", &["deeper"]),
        ("deeper", &[]),
    ];

    #[test]
    fn what_nobody_names_is_left_out_with_what_it_depends_on() {
        let packages = [&HELPER[..], &[("ctx", &["helper"])]].concat();
        assert_eq!(names(metadata(&packages)), ["helper", "named", "ctx"]);
    }

    #[test]
    fn what_the_cell_does_not_depend_on_is_left_out() {
        let packages = [&HELPER[..], &[("ctx", &[][..])]].concat();
        let mut cell_alone = metadata(&packages);
        assert_eq!(names(cell_alone.clone()), ["ctx"]);
        cell_alone["workspace_default_members"] = json!(["#ctx", "#pin"]);
        let written = without(cell_alone, &BTreeSet::new()).expect("metadata");
        let written: Value = serde_json::from_slice(&written).expect("JSON");
        for members in ["workspace_members", "workspace_default_members"] {
            assert_eq!(written[members], json!(["#ctx"]));
        }
    }

    #[test]
    fn what_a_learners_own_crate_depends_on_is_kept() {
        for own in [&["helper", "hidden"][..], &["helper", "own"]] {
            let packages = [&HELPER[..], &[("ctx", own), ("own", &["hidden"])]].concat();
            let names = names(metadata(&packages));
            assert!(names.contains(&"hidden".to_owned()), "{names:?}");
            assert!(names.contains(&"deeper".to_owned()), "{names:?}");
        }
    }

    #[test]
    fn another_answer_stays_as_it_is() {
        for answer in ["", "{}", "error"] {
            assert_eq!(with_names(answer.as_bytes()), answer.as_bytes());
        }
    }
}
