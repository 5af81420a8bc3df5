//! The description of a name, as text and as Markdown.

/// The description of a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hover {
    /// For consoles.
    pub text: String,
    /// For notebooks.
    pub markdown: String,
}

impl Hover {
    /// Converts the language server's answer, leaving out what is of no use to a learner. `None` if
    /// nothing is left, or for a field that cells cannot access.
    pub fn new(markdown: &str) -> Option<Hover> {
        let mut blocks: Vec<&str> = markdown.trim().split("\n\n").collect();
        let is_of_cells = ["```rust\ncell\n```", "```rust\ncell::"]
            .iter()
            .any(|path| blocks[0].starts_with(path));
        if is_of_cells {
            blocks.remove(0);
        }
        let markdown = blocks.join("\n\n");
        if !is_of_cells && is_private_field(&blocks) {
            return None;
        }
        let markdown = match is_of_cells {
            true => markdown,
            false => without_private_fields(&markdown),
        };
        (!markdown.trim().is_empty()).then(|| Hover {
            text: plain(&markdown),
            markdown,
        })
    }

    /// Combines a declaration and its documentation.
    pub fn of(declaration: &str, documentation: &str) -> Hover {
        let code = format!("```rust\n{declaration}\n```");
        let about = documentation.trim();
        let markdown = match about.is_empty() {
            true => code,
            false => format!("{code}\n\n---\n\n{about}"),
        };
        Hover {
            text: plain(&markdown),
            markdown,
        }
    }
}

/// Whether this is a path followed by `name: Type` without `pub`.
fn is_private_field(blocks: &[&str]) -> bool {
    let [path, field, ..] = blocks else {
        return false;
    };
    let code = |block: &str| {
        let code = block.strip_prefix("```rust\n")?.strip_suffix("\n```")?;
        Some(code.to_owned())
    };
    let (Some(path), Some(field)) = (code(path), code(field)) else {
        return false;
    };
    let field = match field.strip_prefix("pub(") {
        Some(rest) => rest.split_once(") ").map_or("", |(_, field)| field),
        None => &field,
    };
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let name = field.split_once(": ").map_or("", |(name, _)| name);
    let is_path = path.chars().all(|c| is_word(c) || ":<>, ".contains(c));
    is_path && !name.is_empty() && name.chars().all(is_word)
}

/// The declaration of a type, with only the fields that cells can access.
fn without_private_fields(markdown: &str) -> String {
    let mut lines = markdown.split('\n');
    let mut kept = Vec::new();
    while let Some(line) = lines.next() {
        kept.push(line);
        if line.starts_with("pub struct ") && line.ends_with('{') {
            let fields = lines.by_ref().take_while(|line| *line != "}");
            let is_public = |field: &&str| field.trim_start().starts_with("pub ");
            let (public, other): (Vec<&str>, Vec<&str>) = fields.partition(is_public);
            kept.extend(public);
            if !other.is_empty() {
                kept.push("    /* private fields */");
            }
            kept.push("}");
        }
    }
    kept.join("\n")
}

/// Removes the markup from Markdown. (It contains no links.)
fn plain(markdown: &str) -> String {
    let mut text = String::new();
    let mut is_code = false;
    for line in markdown.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
        } else if is_code {
            // rust-analyzer appends a comment that says which rule of a macro matched.
            text += line.split(" // matched arm").next().unwrap_or(line);
            text.push('\n');
        } else if line.trim() != "---" {
            text += &without_marks(line);
            text.push('\n');
        }
    }
    while text.contains("\n\n\n") {
        text = text.replace("\n\n\n", "\n\n");
    }
    text.trim().to_owned()
}

fn without_marks(line: &str) -> String {
    let mut text = String::new();
    for (place, part) in line.split('`').enumerate() {
        match place % 2 {
            0 => text += &part.replace("**", "").replace('\\', ""),
            _ => text += part, // code
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(markdown: &str) -> Option<String> {
        Hover::new(markdown).map(|one| one.text)
    }

    #[test]
    fn the_text_has_no_marks() {
        let markdown = "\n```rust\ntoy::text\n```\n\n```rust\npub fn show(x: &[u8])\n```\n\n---\n\n`x` = `f32`\n\n---\n\nOf `\\x[0]`, \\_ in **bold** [1].\n\n```rust\nlet a = `b`;\n```";
        let expected = "toy::text\n\npub fn show(x: &[u8])\n\nx = f32\n\nOf \\x[0], _ in bold [1].\n\nlet a = `b`;";
        assert_eq!(text(markdown).as_deref(), Some(expected));
        assert_eq!(text(""), None);
    }

    #[test]
    fn fields_that_cells_cannot_use_are_not_described() {
        let field = |path: &str, field: &str| {
            text(&format!("```rust\n{path}\n```\n\n```rust\n{field}\n```"))
        };
        for private in ["matrix: Vec<f64>", "pub(crate) near: u8"] {
            assert_eq!(field("toy::Picture", private), None);
        }
        assert!(field("toy::Picture", "pub open: u8").is_some());
        assert!(field("toy", "pub fn f(a: u8)").is_some());
        assert_eq!(
            field("cell::Pair", "first: u8").as_deref(),
            Some("first: u8")
        );
        assert_eq!(
            text("```rust\nlet a: u8\n```").as_deref(),
            Some("let a: u8")
        );
    }

    #[test]
    fn a_declaration_has_its_public_fields_alone() {
        let declared = |path: &str| {
            let code = "pub struct Bar {\n    pub length: u8,\n    cells: Vec<u8>,\n}";
            text(&format!("```rust\n{path}\n```\n\n```rust\n{code}\n```")).unwrap_or_default()
        };
        let public =
            "toy::bars\n\npub struct Bar {\n    pub length: u8,\n    /* private fields */\n}";
        assert_eq!(declared("toy::bars"), public);
        assert!(declared("cell").contains("cells"));
    }
}
