//! Rust as HTML, coloured.

use ra_ap_rustc_lexer::{FrontmatterAllowed, LiteralKind, TokenKind, tokenize};

const KEYWORDS: [&str; 35] = [
    "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum", "extern",
    "false", "fn", "for", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub",
    "ref", "return", "self", "static", "struct", "super", "trait", "true", "type", "use", "while",
];

/// The code as the content of a `<code>` element, in which comments, literals, keywords, types,
/// macros and functions have classes.
pub fn highlighted(code: &str) -> String {
    let mut html = String::new();
    let mut place = 0;
    let tokens: Vec<_> = tokenize(code, FrontmatterAllowed::No).collect();
    for token in tokens {
        let end = place + token.len as usize;
        let (text, after) = (&code[place..end], &code[end..]);
        place = end;
        let class = match token.kind {
            TokenKind::LineComment { .. } | TokenKind::BlockComment { .. } => "comment",
            TokenKind::Literal { kind, .. } => match kind {
                LiteralKind::Int { .. } | LiteralKind::Float { .. } => "number",
                _ => "string",
            },
            TokenKind::Lifetime { .. } => "type",
            TokenKind::Ident | TokenKind::RawIdent => name_class(text, after),
            _ => "",
        };
        let text = escaped(text);
        match class {
            "" => html += &text,
            class => html += &format!("<span class=\"{class}\">{text}</span>"),
        }
    }
    html
}

fn name_class(name: &str, after: &str) -> &'static str {
    match name {
        _ if KEYWORDS.contains(&name) => "keyword",
        "todo" | "unimplemented" if after.starts_with('!') => "macro todo",
        _ if after.starts_with('!') && !after.starts_with("!=") => "macro",
        _ if after.starts_with('(') => "function",
        _ if name.starts_with(char::is_uppercase) => "type",
        "f32" | "f64" | "usize" | "u64" | "i32" | "bool" | "str" => "type",
        _ => "",
    }
}

/// Escapes text for use in HTML and in its attributes.
pub fn escaped(text: &str) -> String {
    let escape = |c: char| match c {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '"' => "&quot;".to_owned(),
        c => c.to_string(),
    };
    text.chars().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_stays_text_and_its_parts_have_classes() {
        let code = "let x: f32 = sum(&[1.5]); // <script>\nprintln!(\"{x}\")";
        let class = |class: &str, text: &str| format!("<span class=\"{class}\">{text}</span>");
        let expected = [
            &class("keyword", "let"),
            " x: ",
            &class("type", "f32"),
            " = ",
            &class("function", "sum"),
            "(&amp;[",
            &class("number", "1.5"),
            "]); ",
            &class("comment", "// &lt;script&gt;"),
            "\n",
            &class("macro", "println"),
            "!(",
            &class("string", "&quot;{x}&quot;"),
            ")",
        ];
        assert_eq!(highlighted(code), expected.concat());
    }

    #[test]
    fn text_that_is_no_rust_is_kept() {
        for text in ["", "\"open", "é 'x", ":dep a = { path = \"b\" }", "r#\""] {
            let html = highlighted(text);
            let plain = ammonia::Builder::empty().clean(&html).to_string();
            assert_eq!(plain, text.replace('&', "&amp;"), "{html}");
        }
    }
}
