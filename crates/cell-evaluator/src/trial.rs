//! Tests whether a compiler is usable: the part of its output that is read here has no stable
//! format.

use crate::cell_compiler::CellCompiler;
use crate::cell_error::CellError;
use crate::process::Ending;
use crate::rustc::Compiler;
use std::path::Path;

/// A cell with a type of each kind that is handled differently, and the names expected for them.
const CELL: &str = "struct Pair(u8, &'static str);\n\
    let number = 1_u8; let words = vec![String::new()]; let pair = Pair(1, \"a\"); let call = i32::pow;";
const TYPES: [(&str, &str); 4] = [
    ("call", "fn(i32, u32) -> i32"),
    ("number", "u8"),
    ("pair", "item_0::Pair"),
    ("words", "std::vec::Vec<std::string::String>"),
];

/// Compiles a fixed cell in `folder` and reads the types of its variables. If a compiler writes
/// them differently, change `types.rs`.
///
/// # Errors
///
/// If the types are not as expected or the cell does not compile; the error says what was found.
pub fn try_compiler(compiler: &Compiler, folder: &Path) -> Result<(), String> {
    let mut cells = CellCompiler::new(folder, compiler.clone());
    let compiled = cells.compile(CELL, None);
    let compiled = compiled.map_err(|failure| match failure {
        CellError::Fault(why) => why,
        other => format!("{other:?}"),
    })?;
    if let Err(failure) = cells.ran(compiled, Ending::Done) {
        return Err(format!("{failure:?}"));
    }
    let found = cells.variables().values();
    let found: Vec<(&str, &str)> = found
        .map(|one| (one.name.as_str(), one.type_code.as_str()))
        .collect();
    match found == TYPES {
        true => Ok(()),
        false => Err(format!("the types of {CELL:?} are read as {found:?}")),
    }
}
