//! Answers questions about a cell from its syntax tree, without compiling it.

use crate::nesting;
use ra_ap_syntax::ast::{self, AstNode, HasArgList, HasModuleItem, HasName};
use ra_ap_syntax::{AstToken, Edition, SourceFile, SyntaxNode};

/// Cells are parsed as a function body.
const BEFORE: &str = "fn cell() {\n";
const BEHIND: &str = "\n}";

/// Where a cell defines a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefinedIn {
    /// At the top level, visible to later cells; with its line number, counted from 1.
    Cell(usize),
    /// In a block, and out of scope after it; with its line number.
    Block(usize),
}

/// Indexing, as in `a[[0, i]]`, or selecting a row or column, as in `a.row(i)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    pub variable: String,
    /// Line number, counted from 1.
    pub line: usize,
    /// The indices as written; empty if they are not simple expressions.
    pub indices: Vec<String>,
    /// The axis that the first index applies to.
    pub axis: usize,
}

/// A closure bound by a `let`.
#[derive(Debug, PartialEq, Eq)]
pub struct Closure {
    /// Its parameters as written.
    pub parameters: String,
    pub body: String,
    /// The variables it captures.
    pub captured: Vec<String>,
}

/// An element of a list.
#[derive(Debug, PartialEq, Eq)]
pub struct Element {
    /// Byte offset from the start of the outermost list.
    pub start: usize,
    pub text: String,
    /// Its elements if it is itself a list.
    pub inner: Option<Vec<Element>>,
}

/// Passes the parsed statements of a cell to a function; `None` if the code is nested too deeply.
pub(super) fn with_body<T: Send>(
    code: &str,
    work: impl FnOnce(&ast::StmtList) -> T + Send,
) -> Option<T> {
    nesting::check(code).ok()?;
    nesting::with_room(|| {
        // Blank out commands to preserve line numbers.
        let lines = code.lines().map(|line| match is_command(line) {
            true => "",
            false => line,
        });
        let lines: Vec<&str> = lines.collect();
        let text = format!("{BEFORE}{}{BEHIND}", lines.join("\n"));
        let file = SourceFile::parse(&text, Edition::Edition2024).tree();
        let function = file.items().find_map(|item| match item {
            ast::Item::Fn(function) => Some(function),
            _ => None,
        })?;
        Some(work(&function.body()?.stmt_list()?))
    })
    .flatten()
}

fn is_command(line: &str) -> bool {
    line.trim_start().starts_with(':') || line.starts_with('!')
}

fn line_of(node: &SyntaxNode) -> usize {
    let place = usize::from(node.text_range().start());
    let root = node.ancestors().last().map(|root| root.text().to_string());
    let before = root.map_or(0, |text| text[..place].matches('\n').count());
    before.max(1)
}

/// Where the cell defines this name; a top-level definition takes precedence.
pub fn definition(code: &str, name: &str) -> Option<DefinedIn> {
    with_body(code, |body| {
        let is_it = |defined: &SyntaxNode| {
            let pattern = ast::IdentPat::cast(defined.clone()).and_then(|pattern| pattern.name());
            let item = ast::Item::cast(defined.clone()).and_then(|item| item_name(&item));
            let found = pattern.or(item);
            found.is_some_and(|found| found.text() == name)
        };
        let found: Vec<SyntaxNode> = body.syntax().descendants().filter(is_it).collect();
        let is_open = |node: &SyntaxNode| {
            let within = node.ancestors().skip(1);
            let within = within.take_while(|outer| outer != body.syntax());
            // Parameters, loop variables and names bound by `match` or `if let` are also local.
            !within.into_iter().any(|outer| {
                ast::BlockExpr::can_cast(outer.kind())
                    || ast::ParamList::can_cast(outer.kind())
                    || ast::ForExpr::can_cast(outer.kind())
                    || ast::MatchArm::can_cast(outer.kind())
                    || ast::LetExpr::can_cast(outer.kind())
            })
        };
        let open = found.iter().find(|node| is_open(node));
        match open {
            Some(node) => Some(DefinedIn::Cell(line_of(node))),
            None => found.first().map(|node| DefinedIn::Block(line_of(node))),
        }
    })
    .flatten()
}

fn item_name(item: &ast::Item) -> Option<ast::Name> {
    match item {
        ast::Item::Fn(item) => item.name(),
        ast::Item::Struct(item) => item.name(),
        ast::Item::Enum(item) => item.name(),
        ast::Item::Const(item) => item.name(),
        ast::Item::Static(item) => item.name(),
        ast::Item::Trait(item) => item.name(),
        ast::Item::TypeAlias(item) => item.name(),
        ast::Item::MacroRules(item) => item.name(),
        _ => None,
    }
}

/// Where the cell moves this variable, if the syntax shows it: "into `a`".
pub fn destination(code: &str, name: &str) -> Option<String> {
    with_body(code, |body| {
        let uses = body.syntax().descendants().filter_map(ast::PathExpr::cast);
        let uses = uses.filter(|path| path.syntax().text() == name);
        let found = uses.filter_map(|path| moved_by(body, path.syntax()));
        found.last()
    })
    .flatten()
}

/// Describes what takes ownership of this value.
fn moved_by(body: &ast::StmtList, value: &SyntaxNode) -> Option<String> {
    for outer in value.ancestors().skip(1) {
        if &outer == body.syntax() {
            return None;
        }
        if ast::RefExpr::can_cast(outer.kind()) || ast::IndexExpr::can_cast(outer.kind()) {
            return None; // borrowed
        }
        if let Some(variable) = ast::LetStmt::cast(outer.clone()) {
            let Some(ast::Pat::IdentPat(pattern)) = variable.pat() else {
                return None;
            };
            return Some(format!("into `{}`", pattern.name()?.text()));
        }
        if let Some(the_loop) = ast::ForExpr::cast(outer.clone()) {
            let is_iterated = the_loop.iterable()?.syntax() == value;
            return is_iterated.then(|| "into a `for` loop".to_owned());
        }
        if let Some(call) = ast::CallExpr::cast(outer) {
            let is_in_let =
                (call.syntax().ancestors()).any(|node| ast::LetStmt::can_cast(node.kind()));
            if !is_in_let {
                return Some(format!("into `{}(...)`", call.expr()?.syntax().text()));
            }
        }
    }
    None
}

/// This variable's initialiser.
pub fn initialiser(code: &str, name: &str) -> Option<String> {
    with_body(code, |body| {
        Some(closure_or_value(body, name)?.syntax().text().to_string())
    })
    .flatten()
}

/// The name of the method that this variable's initialiser calls last.
pub fn last_method(code: &str, name: &str) -> Option<String> {
    with_body(code, |body| match closure_or_value(body, name)? {
        ast::Expr::MethodCallExpr(call) => Some(call.name_ref()?.text().to_string()),
        _ => None,
    })
    .flatten()
}

fn closure_or_value(body: &ast::StmtList, name: &str) -> Option<ast::Expr> {
    let variables = body.statements().filter_map(|statement| match statement {
        ast::Stmt::LetStmt(variable) => Some(variable),
        _ => None,
    });
    let is_it = |variable: &ast::LetStmt| match variable.pat() {
        Some(ast::Pat::IdentPat(pattern)) => {
            pattern.name().is_some_and(|found| found.text() == name)
        }
        _ => false,
    };
    variables.filter(is_it).last()?.initializer()
}

/// The closure bound to this variable; `outside` are the other variables it could capture.
pub fn closure(code: &str, name: &str, outside: &[&str]) -> Option<Closure> {
    with_body(code, |body| {
        let ast::Expr::ClosureExpr(closure) = closure_or_value(body, name)? else {
            return None;
        };
        let parameters = closure.param_list()?;
        let parameters: Vec<String> = parameters
            .params()
            .map(|parameter| parameter.syntax().text().to_string())
            .collect();
        let expression = closure.body()?;
        let inner = expression.syntax().descendants();
        let mut captured: Vec<String> = inner
            .filter_map(ast::PathExpr::cast)
            .map(|path| path.syntax().text().to_string())
            .filter(|used| outside.contains(&used.as_str()))
            .collect();
        captured.dedup();
        Some(Closure {
            parameters: parameters.join(", "),
            body: expression.syntax().text().to_string(),
            captured,
        })
    })
    .flatten()
}

/// The names of all variables bound to closures.
pub fn closure_names(code: &str) -> Vec<String> {
    with_body(code, |body| {
        let variables = body.statements().filter_map(|statement| match statement {
            ast::Stmt::LetStmt(variable) => Some(variable),
            _ => None,
        });
        let named =
            variables.filter_map(
                |variable| match (variable.pat()?, variable.initializer()?) {
                    (ast::Pat::IdentPat(pattern), ast::Expr::ClosureExpr(_)) => {
                        Some(pattern.name()?.text().to_string())
                    }
                    _ => None,
                },
            );
        named.collect()
    })
    .unwrap_or_default()
}

/// All indexing and slicing in the cell.
pub fn accesses(code: &str) -> Vec<Access> {
    with_body(code, |body| {
        let nodes = body.syntax().descendants();
        nodes.filter_map(|node| access(&node)).collect()
    })
    .unwrap_or_default()
}

fn access(node: &SyntaxNode) -> Option<Access> {
    let (base, indices, axis) = if let Some(index) = ast::IndexExpr::cast(node.clone()) {
        let indices = match index.index()? {
            ast::Expr::ArrayExpr(array) => array.exprs().collect(),
            single => vec![single],
        };
        (index.base()?, indices, 0)
    } else {
        let call = ast::MethodCallExpr::cast(node.clone())?;
        let axis = match call.name_ref()?.text() {
            "row" | "row_mut" => 0,
            "column" | "column_mut" => 1,
            "slice" | "slice_mut" | "index_axis" => 0, // their arguments are not plain indices
            _ => return None,
        };
        (call.receiver()?, call.arg_list()?.args().collect(), axis)
    };
    let ast::Expr::PathExpr(variable) = base else {
        return None;
    };
    let texts: Vec<String> = indices
        .iter()
        .map(|index| index.syntax().text().to_string())
        .collect();
    let is_plain = indices.iter().all(is_plain);
    Some(Access {
        variable: variable.syntax().text().to_string(),
        line: line_of(node),
        indices: if is_plain { texts } else { Vec::new() },
        axis,
    })
}

/// Whether this is arithmetic on names and numbers, without calls.
fn is_plain(expression: &ast::Expr) -> bool {
    let mut nodes = expression.syntax().descendants();
    nodes.all(|node| match ast::Expr::cast(node.clone()) {
        Some(ast::Expr::Literal(literal)) => ast::IntNumber::cast(literal.token()).is_some(),
        Some(ast::Expr::PathExpr(_) | ast::Expr::BinExpr(_) | ast::Expr::ParenExpr(_)) => true,
        Some(_) => false,
        None => !ast::Path::can_cast(node.kind()) || !node.text().to_string().contains(':'),
    })
}

/// The elements of a list such as `[a, [b, c]]`.
pub fn elements(list: &str) -> Option<Vec<Element>> {
    with_body(list, |body| match body.tail_expr()? {
        ast::Expr::ArrayExpr(list) => Some(elements_of(&list)),
        _ => None,
    })
    .flatten()
}

fn elements_of(list: &ast::ArrayExpr) -> Vec<Element> {
    let element = |one: ast::Expr| Element {
        start: usize::from(one.syntax().text_range().start()) - BEFORE.len(),
        text: one.syntax().text().to_string(),
        inner: match &one {
            ast::Expr::ArrayExpr(inner) => Some(elements_of(inner)),
            _ => None,
        },
    };
    list.exprs().map(element).collect()
}

/// The variables used in an expression.
pub fn names_in(expression: &str) -> Vec<String> {
    with_body(expression, |body| {
        let paths = body.syntax().descendants().filter_map(ast::PathExpr::cast);
        paths.map(|path| path.syntax().text().to_string()).collect()
    })
    .unwrap_or_default()
}

/// The path under which the cell imports this name: from the last `use` that contains it, or has a
/// glob, which could contain it.
pub fn imported(code: &str, name: &str) -> Option<String> {
    with_body(code, |body| {
        let uses = body.syntax().descendants().filter_map(ast::Use::cast);
        let texts = uses.filter_map(|one| Some(one.use_tree()?.syntax().text().to_string()));
        let path = texts.filter_map(|text| {
            let root = text.split("::").next()?.trim().to_owned();
            if matches!(root.as_str(), "std" | "core" | "alloc" | "crate" | "self") {
                return None;
            }
            let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            let is_named = words.into_iter().any(|word| word == name);
            match text.strip_suffix("::*") {
                Some(module) => Some(format!("{module}::{name}")),
                None => is_named.then(|| format!("{root}::{name}")),
            }
        });
        path.last()
    })
    .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_found_with_their_lines() {
        let cell = ":dep toy = \"1\"\nlet (a, mut b) = f();\n{ let c = 1; }\nfn g(d: u8) {}";
        assert_eq!(definition(cell, "a"), Some(DefinedIn::Cell(2)));
        assert_eq!(definition(cell, "b"), Some(DefinedIn::Cell(2)));
        assert_eq!(definition(cell, "c"), Some(DefinedIn::Block(3)));
        assert_eq!(definition(cell, "g"), Some(DefinedIn::Cell(4)));
        assert_eq!(definition(cell, "d"), Some(DefinedIn::Block(4)));
        assert_eq!(definition(cell, "e"), None);
    }

    #[test]
    fn it_is_read_where_a_variable_is_moved_to() {
        let into = |code: &str| destination(code, "x");
        assert_eq!(into("let a = x;").as_deref(), Some("into `a`"));
        assert_eq!(into("let a = f(&y, x);").as_deref(), Some("into `a`"));
        assert_eq!(
            into("for row in x {}").as_deref(),
            Some("into a `for` loop")
        );
        assert_eq!(into("drop(x);").as_deref(), Some("into `drop(...)`"));
        assert_eq!(into("let a = f(&x);"), None);
        assert_eq!(into("let (a, b) = x;"), None);
    }

    #[test]
    fn indices_are_read_with_their_lines() {
        let found = accesses("let i = 1;\na[[i, 2]] + b[f(1)] + c.row(i + 1).sum()");
        let access = |variable: &str, indices: &[&str]| Access {
            variable: variable.to_owned(),
            line: 2,
            indices: indices.iter().map(|index| (*index).to_owned()).collect(),
            axis: 0,
        };
        assert!(found.contains(&access("a", &["i", "2"])), "{found:?}");
        assert!(found.contains(&access("b", &[])), "{found:?}");
        assert!(found.contains(&access("c", &["i + 1"])), "{found:?}");
    }

    #[test]
    fn closures_are_taken_apart() {
        let found = closure("let f = |x: f32| x + off;", "f", &["off", "x2"]);
        let expected = Closure {
            parameters: "x: f32".to_owned(),
            body: "x + off".to_owned(),
            captured: vec!["off".to_owned()],
        };
        assert_eq!(found, Some(expected));
    }

    #[test]
    fn a_name_has_the_path_of_its_use() {
        assert_eq!(
            imported("use toy::prelude::*;", "f").as_deref(),
            Some("toy::prelude::f")
        );
        assert_eq!(imported("use toy::{g, f};", "f").as_deref(), Some("toy::f"));
        assert_eq!(imported("use toy::g;", "f"), None);
        assert_eq!(imported("use std::fs::*;", "f"), None);
    }
}
