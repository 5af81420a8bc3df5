//! The text cells of a notebook as HTML.

use crate::rust;
use ammonia::Builder;
use pulldown_cmark::{
    CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html,
};
use pulldown_latex::config::{DisplayMode, RenderConfig};
use pulldown_latex::{Storage, mathml};
use std::collections::BTreeSet;

/// While the HTML is sanitised, pieces that were generated here are replaced by their numbers
/// between these two characters.
const MADE: [char; 2] = ['\u{f0000}', '\u{f0001}'];

/// A heading of the text.
pub struct Heading {
    pub level: u8,
    pub id: String,
    pub title: String,
}

/// Converts Markdown to HTML that contains no scripts, whatever the Markdown contains. Also returns
/// its headings, with ids that are not among those `taken`.
pub fn to_html(
    text: &str,
    link: &dyn Fn(&str) -> String,
    taken: &BTreeSet<String>,
) -> (String, Vec<Heading>) {
    let mut taken = taken.clone();
    let text = text.replace(MADE, "");
    let options = Options::ENABLE_MATH | Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let (mut made, mut headings, mut events) = (Vec::new(), Vec::new(), Vec::new());
    let mut is_code = false;
    let mut parser = Parser::new_ext(&text, options).peekable();
    while let Some(event) = parser.next() {
        match event {
            Event::InlineMath(code) => events.push(math(&code, DisplayMode::Inline, &mut made)),
            Event::DisplayMath(code) => events.push(math(&code, DisplayMode::Block, &mut made)),
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language)))
                if &*language == "rust" =>
            {
                is_code = true;
            }
            Event::Text(code) if is_code => {
                let code = rust::highlighted(&code);
                let code = format!("<pre class=\"code\"><code>{code}</code></pre>");
                events.push(keep(code, &mut made));
            }
            Event::End(TagEnd::CodeBlock) if is_code => is_code = false,
            Event::Start(Tag::Heading { level, .. }) => {
                let mut inside = Vec::new();
                while let Some(event) = parser
                    .next_if(|event| !matches!(event, Event::End(_) if is_end_of_heading(event)))
                {
                    inside.push(event);
                }
                parser.next();
                headings.push(heading(level, &inside, &mut taken));
                let id = &headings[headings.len() - 1].id;
                let begin = format!("<{level} id=\"{}\">", rust::escaped(id));
                events.push(keep(begin, &mut made));
                for event in inside {
                    match event {
                        Event::InlineMath(code) => {
                            events.push(math(&code, DisplayMode::Inline, &mut made));
                        }
                        event => events.push(event),
                    }
                }
                events.push(keep(format!("</{level}>"), &mut made));
            }
            Event::Start(Tag::Link {
                link_type,
                dest_url,
                title,
                id,
            }) => {
                let dest_url = CowStr::from(link(&dest_url));
                events.push(Event::Start(Tag::Link {
                    link_type,
                    dest_url,
                    title,
                    id,
                }));
            }
            Event::Start(Tag::Image {
                link_type,
                dest_url,
                title,
                id,
            }) => {
                let dest_url = CowStr::from(link(&dest_url));
                events.push(Event::Start(Tag::Image {
                    link_type,
                    dest_url,
                    title,
                    id,
                }));
            }
            event => events.push(event),
        }
    }
    let mut unsafe_html = String::new();
    html::push_html(&mut unsafe_html, events.into_iter());
    let safe = Builder::default()
        .link_rel(None)
        .clean(&unsafe_html)
        .to_string();
    let lazy = safe.replace("<img ", "<img loading=\"lazy\" ");
    (with_made(&folded(&lazy), &made), headings)
}

/// Makes block quotes that begin with bold words collapsible: only their first paragraph is always
/// shown.
fn folded(html: &str) -> String {
    // The inserted tags have no attributes, so they cannot close an attribute value in which the
    // tags that they replace are hidden.
    let mut boxes = html.split("<blockquote>\n<p><strong>");
    let mut whole = boxes.next().unwrap_or_default().to_owned();
    for one in boxes {
        let one = one.replacen("</p>", "</summary>", 1);
        let one = one.replacen("</blockquote>", "</details>", 1);
        whole += &format!("<details><summary><strong>{one}");
    }
    whole
}

fn is_end_of_heading(event: &Event) -> bool {
    matches!(event, Event::End(TagEnd::Heading(_)))
}

fn heading(level: HeadingLevel, inside: &[Event], taken: &mut BTreeSet<String>) -> Heading {
    let text = inside.iter().map(|event| match event {
        Event::Text(text) | Event::Code(text) | Event::InlineMath(text) => text.to_string(),
        _ => String::new(),
    });
    let title: String = text.collect();
    let words = title.to_lowercase();
    let words: Vec<&str> = words
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let words = words.join("-");
    let numbered = (2..).map(|number| format!("{words}-{number}"));
    let mut ids = std::iter::once(words.clone()).chain(numbered);
    let id = ids.find(|id| taken.insert(id.clone())).unwrap_or_default();
    Heading {
        level: level as u8,
        id,
        title,
    }
}

/// A formula as MathML. Text that is not a formula is shown unchanged.
fn math(code: &str, mode: DisplayMode, made: &mut Vec<String>) -> Event<'static> {
    let storage = Storage::new();
    let parser = pulldown_latex::Parser::new(code, &storage);
    let config = RenderConfig {
        display_mode: mode,
        ..RenderConfig::default()
    };
    let mut formula = String::new();
    let is_formula = pulldown_latex::Parser::new(code, &storage).all(|event| event.is_ok());
    if !is_formula || mathml::push_mathml(&mut formula, parser, config).is_err() {
        formula = format!("<code>{}</code>", rust::escaped(code));
    }
    keep(formula, made)
}

fn keep(html: String, made: &mut Vec<String>) -> Event<'static> {
    made.push(html);
    let [before, after] = MADE;
    Event::Text(format!("{before}{}{after}", made.len() - 1).into())
}

fn with_made(html: &str, made: &[String]) -> String {
    let [before, after] = MADE;
    let mut whole = String::new();
    let mut rest = html;
    while let Some((text, from)) = rest.split_once(before) {
        let (number, left) = from.split_once(after).unwrap_or((from, ""));
        whole += text;
        whole += number
            .parse()
            .ok()
            .and_then(|number: usize| made.get(number))
            .map_or("", String::as_str);
        rest = left;
    }
    whole + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(text: &str) -> String {
        to_html(text, &|link| format!("to-{link}"), &BTreeSet::new()).0
    }

    #[test]
    fn formulas_are_mathml_and_code_is_coloured() {
        let inline = html("the root $\\sqrt{d_k}$ of");
        assert!(
            inline.contains("<math") && inline.contains("<msqrt>"),
            "{inline}"
        );
        assert!(html("$$a$$").contains("display=\"block\""));
        let wrong = html("$\\nonsense{$");
        assert!(
            !wrong.contains("<math") && wrong.contains("nonsense"),
            "{wrong}"
        );
        let code = html("```rust\nlet x = 1;\n```");
        assert!(
            code.contains("<span class=\"keyword\">let</span>"),
            "{code}"
        );
    }

    #[test]
    fn links_lead_to_pages_and_headings_have_ids() {
        let taken = BTreeSet::from(["scores-again".to_owned()]);
        let text = "## Scores, *again*\n[x](a.ipynb) ![y](b.svg)";
        let (html, headings) = to_html(text, &|link| format!("to-{link}"), &taken);
        assert!(
            html.contains("<h2 id=\"scores-again-2\">Scores, <em>again</em></h2>"),
            "{html}"
        );
        assert!(
            html.contains("href=\"to-a.ipynb\"") && html.contains("src=\"to-b.svg\""),
            "{html}"
        );
        assert_eq!(
            (headings[0].level, headings[0].title.as_str()),
            (2, "Scores, again")
        );
    }

    #[test]
    fn a_box_unfolds_and_other_quotations_stay() {
        assert_eq!(
            html("> **The Rust you need** (more)\n>\n> - a\n\n> a *quotation*"),
            "<details><summary><strong>The Rust you need</strong> (more)</summary>\n\
             <ul>\n<li>a</li>\n</ul>\n</details>\n<blockquote>\n<p>a <em>quotation</em></p>\n</blockquote>\n"
        );
    }

    #[test]
    fn nothing_in_a_text_becomes_script() {
        for hostile in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "[x](javascript:alert(1))",
            "## <svg onload=alert(1)>",
            "$</math><script>alert(1)</script>$",
            "```rust\n</code><script>alert(1)</script>\n```",
            "\u{f0000}0\u{f0001}<iframe src=x>",
            "## a\" onclick=\"alert(1)",
            "$\\href{javascript:alert(1)}{x}$",
            "$\\text{<script>alert(1)</script>}$",
        ] {
            let (html, _) = to_html(hostile, &str::to_owned, &BTreeSet::new());
            let html = html.to_lowercase();
            for never in [
                "<script",
                "<img src=x onerror",
                "href=\"javascript",
                "<svg",
                "<iframe",
                "\"a\" onclick",
            ] {
                assert!(!html.contains(never), "{hostile}: {html}");
            }
        }
    }
}
