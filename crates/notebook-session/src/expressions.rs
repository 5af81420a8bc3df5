//! Finds the syntax at a position in a cell: the operands of an operator, a variable, a loop.

use crate::cell_syntax::with_body;
use crate::diagnostic::LineSpan;
use ra_ap_syntax::ast::{self, AstNode, HasLoopBody, HasName};
use ra_ap_syntax::{SyntaxKind, SyntaxNode, TextRange};

/// A binary operation whose operands each fit on one line.
#[derive(Debug, PartialEq, Eq)]
pub struct Operation {
    pub left: LineSpan,
    pub right: LineSpan,
    pub operator: String,
    /// The operator and right-hand side of the assignment this operation belongs to, such as the
    /// `+=` of `x += a * b`.
    pub assignment: Option<(String, LineSpan)>,
}

/// A `let` that binds a single name.
#[derive(Debug, PartialEq, Eq)]
pub struct LetBinding {
    pub name: LineSpan,
    pub is_mutable: bool,
    pub value: LineSpan,
}

/// The variable of a `for` loop.
#[derive(Debug, PartialEq, Eq)]
pub struct LoopVariable {
    pub name: LineSpan,
    /// Whether the loop body contains `*name`.
    pub is_dereferenced: bool,
}

/// The operation whose operator or operand is at this place.
pub fn operation(cell: &str, at: LineSpan) -> Option<Operation> {
    with_body(cell, |body| {
        let operations = body.syntax().descendants().filter_map(ast::BinExpr::cast);
        let found = operations.filter_map(|one| {
            let left = place(one.lhs()?.syntax())?;
            let right = place(one.rhs()?.syntax())?;
            let token = one.op_token()?;
            let operator = place_of(one.syntax(), token.text_range())?;
            [left, right, operator].contains(&at).then(|| Operation {
                left,
                right,
                operator: token.text().to_owned(),
                assignment: assignment(&one),
            })
        });
        found.last()
    })
    .flatten()
}

/// The variable to which a statement of the cell, outside all blocks, assigns this value.
pub fn assigned(cell: &str, value: LineSpan) -> Option<LineSpan> {
    with_body(cell, |body| {
        let expressions = body.syntax().children().map(|one| match one.kind() {
            SyntaxKind::EXPR_STMT => one.first_child(),
            _ => Some(one),
        });
        let mut assignments = expressions.flatten().filter_map(ast::BinExpr::cast);
        assignments.find_map(|one| {
            let name = ast::PathExpr::cast(one.lhs()?.syntax().clone())?;
            let is_it = one.op_token()?.text() == "=" && place(one.rhs()?.syntax())? == value;
            place(name.syntax()).filter(|_| is_it)
        })
    })
    .flatten()
}

/// Whether there is an operation without parentheses here.
pub fn is_operation(cell: &str, at: LineSpan) -> bool {
    with_body(cell, |body| {
        let mut operations = body.syntax().descendants().filter_map(ast::BinExpr::cast);
        operations.any(|one| place(one.syntax()) == Some(at))
    })
    .unwrap_or(false)
}

fn assignment(inner: &ast::BinExpr) -> Option<(String, LineSpan)> {
    let mut outer = inner.syntax().parent()?;
    while ast::ParenExpr::can_cast(outer.kind()) {
        outer = outer.parent()?;
    }
    let outer = ast::BinExpr::cast(outer)?;
    let operator = outer.op_token()?.text().to_owned();
    let is_it = ["+=", "-=", "*=", "/="].contains(&operator.as_str());
    Some((operator, place(outer.rhs()?.syntax())?)).filter(|_| is_it)
}

/// The last `let` of this name at or above this line.
pub fn variable(cell: &str, name: &str, line: usize) -> Option<LetBinding> {
    with_body(cell, |body| {
        let variables = body.syntax().descendants().filter_map(ast::LetStmt::cast);
        let found = variables.filter_map(|one| {
            let Some(ast::Pat::IdentPat(pattern)) = one.pat() else {
                return None;
            };
            let named = pattern.name().filter(|found| found.text() == name)?;
            Some(LetBinding {
                name: place(named.syntax())?,
                is_mutable: pattern.mut_token().is_some(),
                value: place(one.initializer()?.syntax())?,
            })
        });
        found.filter(|found| found.name.line <= line).last()
    })
    .flatten()
}

/// The variable with this name in a loop that encloses this line.
pub fn loop_variable(cell: &str, name: &str, line: usize) -> Option<LoopVariable> {
    with_body(cell, |body| {
        let loops = body.syntax().descendants().filter_map(ast::ForExpr::cast);
        let found = loops.filter_map(|one| {
            let names = one.pat()?.syntax().descendants();
            let names = names.filter_map(|node| ast::IdentPat::cast(node)?.name());
            let named = names
                .into_iter()
                .find(|found| found.text() == name)
                .and_then(|found| place(found.syntax()))?;
            let lines = one.syntax().text().to_string().matches('\n').count();
            let block = one.loop_body()?;
            let mut inner = block.syntax().descendants();
            let dereferenced = format!("*{name}");
            Some((named.line..=named.line + lines).contains(&line))
                .filter(|is_around| *is_around)?;
            Some(LoopVariable {
                name: named,
                is_dereferenced: inner.any(|node| {
                    ast::PrefixExpr::can_cast(node.kind()) && node.text() == dereferenced.as_str()
                }),
            })
        });
        found.last()
    })
    .flatten()
}

/// Where a name is used without being called: in the cell itself, or in a function that it defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    Cell,
    Function,
}

/// Where the cell uses this name without calling it or passing it to a method.
pub fn value_of_name(cell: &str, name: &str) -> Option<Use> {
    with_body(cell, |body| {
        let mut paths = body.syntax().descendants().filter_map(ast::PathExpr::cast);
        let found = paths.find(|path| {
            let is_called = path.syntax().parent().and_then(ast::CallExpr::cast);
            let is_called = is_called.and_then(|call| call.expr());
            // Methods such as `map` take functions as arguments.
            let arguments = path.syntax().parent().and_then(ast::ArgList::cast);
            let call = arguments.and_then(|arguments| arguments.syntax().parent());
            let is_given = call.is_some_and(|call| ast::MethodCallExpr::can_cast(call.kind()));
            path.syntax().text() == name
                && !is_given
                && is_called.is_none_or(|called| called.syntax() != path.syntax())
        })?;
        let around = found.syntax().ancestors();
        let mut around = around.take_while(|node| node != body.syntax());
        Some(match around.any(|node| ast::Fn::can_cast(node.kind())) {
            true => Use::Function,
            false => Use::Cell,
        })
    })
    .flatten()
}

/// The place of a node that fits on one line.
fn place(node: &SyntaxNode) -> Option<LineSpan> {
    place_of(node, node.text_range())
}

fn place_of(node: &SyntaxNode, range: TextRange) -> Option<LineSpan> {
    let root = node.ancestors().last()?.text().to_string();
    let (start, end) = (usize::from(range.start()), usize::from(range.end()));
    let text = &root[start..end];
    let line_start = root[..start].rfind('\n')? + 1;
    let column = root[line_start..start].chars().count();
    (!text.contains('\n')).then(|| LineSpan {
        line: root[..start].matches('\n').count(),
        start: column,
        end: column + text.chars().count(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELL: &str = "fn f(あ: &A, rows: &A) {\n    let mut s = 0;\n    for (i, row) in rows {\n        s += あ[i] * row;\n        *row;\n    }\n}";

    fn place(line: usize, start: usize, end: usize) -> LineSpan {
        LineSpan { line, start, end }
    }

    #[test]
    fn an_operation_is_found_by_its_sign_and_by_its_sides() {
        let expected = Operation {
            left: place(4, 13, 17),
            right: place(4, 20, 23),
            operator: "*".to_owned(),
            assignment: Some(("+=".to_owned(), place(4, 13, 23))),
        };
        for at in [(18, 19), (13, 17), (20, 23)] {
            let found = operation(CELL, place(4, at.0, at.1));
            assert_eq!(found.as_ref(), Some(&expected), "{at:?}");
        }
        let outer = operation(CELL, place(4, 10, 12)).expect("the assignment");
        assert_eq!((outer.operator.as_str(), outer.assignment), ("+=", None));
        assert_eq!(operation(CELL, place(2, 4, 7)), None);
    }

    #[test]
    fn an_assignment_outside_blocks_is_found_by_its_value() {
        let cell = "x = f(1);\nif x { x = 2; }\nx.y = 3; x += 4; x = 5";
        let found = |line, start, end| assigned(cell, place(line, start, end));
        assert_eq!(found(1, 4, 8), Some(place(1, 0, 1)));
        assert_eq!(found(3, 21, 22), Some(place(3, 17, 18)));
        for (line, start) in [(2, 11), (3, 6), (3, 14)] {
            assert_eq!(found(line, start, start + 1), None, "{line}, {start}");
        }
    }

    #[test]
    fn a_variable_is_found_with_its_value() {
        let expected = LetBinding {
            name: place(2, 12, 13),
            is_mutable: true,
            value: place(2, 16, 17),
        };
        assert_eq!(variable(CELL, "s", 4), Some(expected));
        assert_eq!(variable(CELL, "s", 1), None);
        assert_eq!(variable(CELL, "row", 9), None);
    }

    #[test]
    fn the_name_of_a_loop_is_found_in_its_pattern() {
        let found = loop_variable(CELL, "row", 4).expect("the loop");
        assert_eq!(
            (found.name, found.is_dereferenced),
            (place(3, 12, 15), true)
        );
        assert!(
            !loop_variable(CELL, "i", 4)
                .expect("the loop")
                .is_dereferenced
        );
        assert_eq!(loop_variable(CELL, "row", 7), None);
    }

    #[test]
    fn a_name_that_is_called_is_no_value() {
        assert_eq!(value_of_name("f(1); g(f)", "f"), Some(Use::Cell));
        assert_eq!(value_of_name("f(1); g(f)", "g"), None);
        assert_eq!(value_of_name("x.map(f)", "f"), None);
        assert_eq!(value_of_name("fn h() { f.x }", "f"), Some(Use::Function));
    }
}
