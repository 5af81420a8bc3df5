//! The stored outputs of a cell as HTML that contains no script.

use crate::files::Site;
use crate::notebook::Output;
use crate::rust::escaped;
use ammonia::Builder;
use anyhow::Result;
use std::borrow::Cow;
use std::collections::HashSet;

/// The CSS properties that figures, tables and verdicts in the lessons use. Positioned elements
/// are inside a picture, which clips them.
const STYLES: [&str; 37] = [
    "align-items",
    "background",
    "border",
    "border-bottom",
    "border-collapse",
    "border-left",
    "border-radius",
    "bottom",
    "box-sizing",
    "color",
    "column-gap",
    "display",
    "flex-wrap",
    "font-family",
    "font-size",
    "font-weight",
    "gap",
    "grid-auto-flow",
    "grid-template-columns",
    "height",
    "left",
    "line-height",
    "margin",
    "max-width",
    "opacity",
    "overflow",
    "overflow-wrap",
    "overflow-x",
    "padding",
    "position",
    "right",
    "text-align",
    "top",
    "vertical-align",
    "white-space",
    "width",
    "word-break",
];

/// The beginning of the address of an inline image.
const IMAGE: &str = "data:image/svg+xml,";

/// An output's HTML; its images become files on the site.
pub fn to_html(output: &Output, site: &Site) -> Result<String> {
    match output {
        Output::Plain(text) => Ok(format!("<pre>{}</pre>", escaped(text))),
        Output::Html(html) => with_files(&safe(html), site),
    }
}

fn safe(html: &str) -> String {
    let mut builder = Builder::default();
    builder
        .add_tags(["details", "progress", "summary"])
        .add_generic_attributes(["aria-hidden", "class", "style", "title"])
        .add_tag_attributes("progress", ["max", "value"])
        .add_tag_attributes("details", ["open"])
        .add_url_schemes(["data"])
        .filter_style_properties(HashSet::from(STYLES))
        .link_rel(Some("noopener"))
        .attribute_filter(|element, attribute, value| {
            let is_data = value.trim_start().to_lowercase().starts_with("data:");
            let is_image = element == "img" && attribute == "src" && value.starts_with(IMAGE);
            (!is_data || is_image).then_some(Cow::Borrowed(value))
        });
    builder.clean(html).to_string()
}

/// Moves each image to a file, so that the page can be read before its pictures have loaded.
fn with_files(html: &str, site: &Site) -> Result<String> {
    let begin = format!("src=\"{IMAGE}");
    let mut pieces = html.split(&begin);
    let mut whole = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (image, rest) = piece.split_once('"').unwrap_or((piece, ""));
        let svg = decoded(image);
        let path = site.write_named(&svg, "svg")?;
        whole += &format!("src=\"{path}\"{} loading=\"lazy\"{rest}", size(&svg));
    }
    Ok(whole)
}

/// The size as attributes, so that nothing moves when the picture loads.
fn size(svg: &str) -> String {
    let head = svg.split('>').next().unwrap_or_default();
    let of = |name: &str| {
        let value = head
            .split(&format!(" {name}='"))
            .nth(1)?
            .split('\'')
            .next()?;
        let is_number = value.parse::<f64>().is_ok();
        is_number.then(|| format!(" {name}=\"{value}\""))
    };
    of("width")
        .zip(of("height"))
        .map_or(String::new(), |(width, height)| width + &height)
}

/// An image's text: HTML escapes, then percent escapes.
fn decoded(image: &str) -> String {
    let image = image
        .replace("&quot;", "\"")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
    let (mut bytes, mut rest) = (Vec::new(), image.as_bytes());
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| *first == b'%');
        let code = code.and_then(|code| u8::from_str_radix(str::from_utf8(code).ok()?, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notebook::{Cell, Notebook};
    use std::path::Path;

    #[test]
    fn images_become_files_with_their_size() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let site = Site::begin(folder.path())?;
        let svg = "%3Csvg width='330' height='44' id='%26apos;'%3E%3C/svg%3E";
        let html = format!("<div style=\"margin:0\"><img alt=\"a\" src=\"{IMAGE}{svg}\"></div>");
        let html = to_html(&Output::Html(html), &site)?;
        let path = html
            .split("src=\"")
            .nth(1)
            .and_then(|rest| rest.split('"').next())
            .unwrap_or_default();
        assert!(
            html.contains("width=\"330\" height=\"44\" loading=\"lazy\""),
            "{html}"
        );
        let written = std::fs::read_to_string(folder.path().join(path))?;
        assert_eq!(written, "<svg width='330' height='44' id='&apos;'></svg>");
        Ok(())
    }

    /// A missing property would, for example, move the tooltips of a heatmap off its cells.
    #[test]
    fn the_styles_of_the_lessons_outputs_are_kept() -> Result<()> {
        let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut styles = HashSet::new();
        for notebook in Notebook::read_all(&project, "")? {
            for cell in notebook.cells {
                let Cell::Code { outputs, .. } = cell else {
                    continue;
                };
                for output in outputs {
                    let Output::Html(html) = output else { continue };
                    let all = html.split(" style=\"").skip(1);
                    let all = all.filter_map(|rest| rest.split('"').next());
                    let names = all.flat_map(|style| style.split(';'));
                    let names = names.filter_map(|one| Some(one.split_once(':')?.0.to_owned()));
                    styles.extend(names);
                }
            }
        }
        let dropped = styles
            .iter()
            .filter(|style| !STYLES.contains(&style.as_str()));
        assert_eq!(dropped.collect::<Vec<_>>(), Vec::<&String>::new());
        assert!(styles.contains("grid-auto-flow"), "{styles:?}");
        Ok(())
    }

    #[test]
    fn nothing_in_an_output_becomes_script_or_covers_the_page() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let site = Site::begin(folder.path())?;
        for hostile in [
            "<script>alert(1)</script>",
            "<i title=\"a\" onmouseover=\"alert(1)\">b</i>",
            "<a href=\"data:text/html,<script>alert(1)</script>\">b</a>",
            "<a href=\" data:text/html,x\">b</a>",
            "<img src=\"data:text/html,x\">",
            "<img src=\"http://elsewhere/x.svg\" onload=alert(1)>",
            "<div style=\"background-image:url(http://elsewhere/x)\">b</div>",
            "<style>body{display:none}</style><form action=x><input></form>",
            "<iframe src=x></iframe><object data=x></object>",
        ] {
            let html = to_html(&Output::Html(hostile.to_owned()), &site)?;
            for never in [
                "<script",
                " on",
                "data:",
                "elsewhere/x\"",
                "url(",
                "<style",
                "<form",
                "<iframe",
                "<object",
            ] {
                assert!(!html.contains(never), "{hostile}: {html}");
            }
        }
        let plain = Output::Plain("<script>alert(1)</script>".to_owned());
        assert_eq!(
            to_html(&plain, &site)?,
            "<pre>&lt;script&gt;alert(1)&lt;/script&gt;</pre>"
        );
        Ok(())
    }
}
