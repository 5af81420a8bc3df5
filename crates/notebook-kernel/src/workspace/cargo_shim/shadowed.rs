//! Keeps a variable that a cell defines anew until the cell has succeeded.
//!
//! A cell that evcxr compiles takes all variables out of its store, and puts them back when it
//! has ended, but for those that the cell defines anew: of these the old values are gone
//! even if the cell panics before it has new ones. So a line is added to the source that evcxr
//! has written: what is not in the store at the end goes back there. If the cell has moved an
//! old value elsewhere, that does not compile, and the source stays as it was.

/// Where evcxr's own code for the store goes on, and what is put before it.
const STORE: &str = "pub fn create_variable_store() -> *mut VariableStore {";
const PUT_IF_MISSING: &str = "impl VariableStore { \
    pub fn put_if_missing<T: 'static>(&mut self, name: &str, value: T) { \
    self.variables.entry(name.to_owned()).or_insert_with(|| Box::new(value)); } } ";
/// The last lines of the function of a cell.
const LAST: &str = "\nevcxr_variable_store\n}";

/// The source of a cell that keeps what it defines anew; nothing if it defines only what is
/// new, or looks different from what evcxr writes.
pub fn keeping_shadowed(source: &str) -> Option<String> {
    let end = source.rfind(LAST)?;
    let store = source.find(STORE)?;
    let after_cell = source[..end].rfind("\n})) {")?;
    let mut lines = String::new();
    for (name, value_type) in source.lines().filter_map(taken) {
        let put = format!(">(stringify!({name}), {name});");
        if source[..after_cell].contains(&put) {
            lines += &format!(
                "evcxr_variable_store.put_if_missing::<{value_type}>(stringify!({name}), {name}); "
            );
        }
    }
    if lines.is_empty() {
        return None;
    }
    // Lines keep their numbers, which messages are about.
    let (before, cell, after) = (&source[..store], &source[store..end], &source[end..]);
    Some(format!(
        "{before}{PUT_IF_MISSING}{cell}\n{lines}{}",
        &after[1..]
    ))
}

/// The name and the type of the variable that a line takes out of the store.
fn taken(line: &str) -> Option<(&str, &str)> {
    let definition = line.strip_prefix("let ")?;
    let (name, value) = definition.split_once(" = evcxr_variable_store.take_variable::<")?;
    let name = name.trim_start_matches("mut ");
    let value_type = value.strip_suffix(&format!(">(stringify!({name}));"))?;
    Some((name, value_type))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cell as evcxr 0.22 writes it, with these statements in it and after it.
    fn cell(statements: &str, at_the_end: &str) -> String {
        format!(
            "mod evcxr_internal_runtime {{\npub struct VariableStore;\n\
             pub fn create_variable_store() -> *mut VariableStore {{\n}}\n}}\n\
             pub extern \"C\" fn run_user_code_3(\n\
             let words = evcxr_variable_store.take_variable::<[&'static str; 2]>(stringify!(words));\n\
             let mut n = evcxr_variable_store.take_variable::<i32>(stringify!(n));\n\
             match std::panic::catch_unwind(\n  std::panic::AssertUnwindSafe(||{{\n\
             {statements}\n}})) {{ \n  Ok(_) => {{}}\n  Err(_) => {{\n}}}}\n{at_the_end}\n\
             evcxr_variable_store\n}}\n"
        )
    }

    const NEW_WORDS: &str = "let words = 1;\n\
        evcxr_variable_store.put_variable::<i32>(stringify!(words), words);";
    const OLD_N: &str = "evcxr_variable_store.put_variable::<i32>(stringify!(n), n);";

    #[test]
    fn what_is_defined_anew_goes_back_if_it_is_missing() {
        let source = cell(NEW_WORDS, OLD_N);
        let kept = keeping_shadowed(&source).expect("a source");
        let line = "\nevcxr_variable_store.put_if_missing::<[&'static str; 2]>(stringify!(words), \
                    words); evcxr_variable_store\n}\n";
        assert!(kept.ends_with(line), "{kept}");
        assert!(!kept.contains("put_if_missing::<i32>"), "{kept}");
        assert!(kept.contains("pub fn put_if_missing"), "{kept}");
        let number = |text: &str| text.lines().count();
        assert_eq!(number(&kept), number(&source));
    }

    #[test]
    fn other_sources_stay_as_they_are() {
        let n = "evcxr_variable_store.put_variable::<u8>(stringify!(m), m);";
        assert_eq!(keeping_shadowed(&cell(n, OLD_N)), None);
        assert_eq!(keeping_shadowed("pub fn f() {}"), None);
        let without_store = cell(NEW_WORDS, OLD_N).replace("create_variable_store", "other");
        assert_eq!(keeping_shadowed(&without_store), None);
    }
}
