//! Checks the stored drawings of the lessons, and all pictures in the notebooks.

#[path = "../../examples/coding_attention_drawings/drawings/mod.rs"]
mod drawings;

use roxmltree::Document;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

const NOTEBOOKS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../notebooks");

/// The files in `folder` with this extension, sorted.
fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|found| found == ending))
        .collect();
    paths.sort();
    paths
}

fn read(path: &Path) -> String {
    let text = fs::read_to_string(path);
    let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.replace("\r\n", "\n") // for a checkout on Windows
}

/// Notebook, alternative text and address of each picture in a markdown cell.
fn pictures() -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    for path in files(NOTEBOOKS, "ipynb") {
        let notebook: serde_json::Value =
            serde_json::from_str(&read(&path)).expect("a notebook is JSON");
        let name = path.display().to_string();
        let cells = notebook["cells"].as_array().expect("a notebook has cells");
        for cell in cells.iter().filter(|cell| cell["cell_type"] == "markdown") {
            let source = match &cell["source"] {
                serde_json::Value::Array(lines) => {
                    lines.iter().filter_map(|line| line.as_str()).collect()
                }
                text => text.as_str().expect("a source is text").to_owned(),
            };
            // Excludes the brackets of a macro, as in `array![...]`.
            let pictures = source.match_indices("![").filter(|(place, _)| {
                !source[..*place].ends_with(|sign: char| sign.is_alphanumeric())
            });
            for picture in pictures.map(|(place, _)| &source[place + 2..]) {
                let (alt, rest) = picture.split_once("](").expect("a picture has an address");
                let (address, _) = rest.split_once(')').expect("an address ends");
                found.push((name.clone(), alt.to_owned(), address.to_owned()));
            }
        }
    }
    found
}

#[test]
fn the_drawings_are_all_stored_and_they_are_what_the_code_draws() {
    let stored: Vec<PathBuf> = files(drawings::FOLDER, "svg");
    let drawn = drawings::all();
    let again = "run `cargo run --release -p attention --example coding_attention_drawings`";
    let names = |path: &PathBuf| path.file_name().map(|name| name.to_owned());
    assert_eq!(
        stored.iter().filter_map(names).collect::<Vec<_>>(),
        drawn.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
        "other files are stored; {again}"
    );
    for (path, (name, svg)) in stored.iter().zip(&drawn) {
        assert!(
            read(path) == *svg,
            "{name} is not what is drawn now; {again}"
        );
    }
}

#[test]
fn every_drawing_is_a_small_svg_that_says_in_words_what_is_seen() {
    for path in files(drawings::FOLDER, "svg") {
        let (name, svg) = (path.display(), read(&path));
        assert!(svg.len() < 30_000, "{name} has {} bytes", svg.len());
        let document = Document::parse(&svg).unwrap_or_else(|error| panic!("{name}: {error}"));
        let root = document.root_element();
        let size = |side: &str| -> u32 {
            let value = root.attribute(side).and_then(|value| value.parse().ok());
            value.unwrap_or_else(|| panic!("{name} has no {side}"))
        };
        let (width, height) = (size("width"), size("height"));
        assert!(width <= 760, "{name} is {width} wide");
        assert_eq!(
            root.attribute("viewBox"),
            Some(format!("0 0 {width} {height}").as_str()),
            "{name}"
        );
        assert_eq!(root.attribute("role"), Some("img"), "{name}");
        assert_eq!(
            root.tag_name().namespace(),
            Some("http://www.w3.org/2000/svg"),
            "{name}"
        );
        for (tag, least) in [("title", 10), ("desc", 80)] {
            let node = root.children().find(|node| node.has_tag_name(tag));
            let words = node.and_then(|node| node.text()).unwrap_or("");
            assert!(words.len() >= least, "{name}: <{tag}> says only {words:?}");
        }
        assert!(
            svg.contains("prefers-color-scheme:dark"),
            "{name} has no dark colours"
        );
        let outside = ["href", "<script", "@import", "<image", "<foreignObject"];
        let found = outside.iter().find(|word| svg.contains(**word));
        assert_eq!(found, None, "{name} needs something from outside");
    }
}

#[test]
fn what_is_drawn_stays_on_the_sheet() {
    for path in files(drawings::FOLDER, "svg") {
        let svg = read(&path);
        let document = Document::parse(&svg).expect("the SVG is XML");
        let root = document.root_element();
        let number = |node: &roxmltree::Node, name: &str| -> f64 {
            node.attribute(name)
                .and_then(|value| value.parse().ok())
                .unwrap_or(0.0)
        };
        let (width, height) = (number(&root, "width"), number(&root, "height"));
        let mut seen = 0;
        for node in root.children().filter(|node| node.is_element()) {
            let (x, y) = (number(&node, "x"), number(&node, "y"));
            let words = |name: &str| node.attribute(name).unwrap_or("");
            let points = match node.tag_name().name() {
                "rect" => vec![
                    (x, y),
                    (x + number(&node, "width"), y + number(&node, "height")),
                ],
                "path" => points_of_path(words("d")),
                "polyline" | "polygon" => coordinates(words("points")),
                "line" => vec![
                    (number(&node, "x1"), number(&node, "y1")),
                    (number(&node, "x2"), number(&node, "y2")),
                ],
                // Assumes narrow letters of 5 pixels, so some text that is too wide goes undetected.
                "text" => {
                    let turned = node.attribute("transform").is_some();
                    let texts = node.descendants().filter(|node| node.is_text());
                    let letters: String = texts.filter_map(|text| text.text()).collect();
                    let width = if turned {
                        0.0
                    } else {
                        5.0 * letters.chars().count() as f64
                    };
                    let left = match node.attribute("text-anchor") {
                        Some("start") => x,
                        Some(_) => x - width,
                        None => x - width / 2.0,
                    };
                    vec![(left, y - 8.0), (left + width, y)]
                }
                "title" | "desc" | "style" | "defs" => continue,
                other => panic!("{}: is <{other}> on the sheet?", path.display()),
            };
            assert!(!points.is_empty(), "{}: {node:?}", path.display());
            seen += 1;
            for (x, y) in points {
                let on_sheet = (0.0..=width).contains(&x) && (0.0..=height).contains(&y);
                let text = node.text();
                assert!(on_sheet, "{}: ({x}, {y}) {text:?}", path.display());
            }
        }
        assert!(seen > 10, "{}: only {seen} elements", path.display());
    }
}

/// The numbers in a text, as pairs.
fn coordinates(text: &str) -> Vec<(f64, f64)> {
    let words = text.split(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-'));
    let numbers: Vec<f64> = words.filter_map(|word| word.parse().ok()).collect();
    assert!(numbers.len().is_multiple_of(2), "pairs: {text}");
    numbers
        .chunks_exact(2)
        .map(|pair| (pair[0], pair[1]))
        .collect()
}

/// The points a path passes through, and its control points.
fn points_of_path(commands: &str) -> Vec<(f64, f64)> {
    let mut points = Vec::new();
    let mut rest = commands;
    while let Some(command) = rest.chars().next() {
        let end = rest[1..].find(|c: char| c.is_ascii_alphabetic());
        let (numbers, next) = rest[1..].split_at(end.unwrap_or(rest.len() - 1));
        let step = || numbers.parse::<f64>().expect("one number");
        match (command, points.last().copied()) {
            ('M' | 'L' | 'C', _) => points.extend(coordinates(numbers)),
            ('h', Some((x, y))) => points.push((x + step(), y)),
            ('v', Some((x, y))) => points.push((x, y + step())),
            ('z', Some(_)) => {}
            _ => panic!("{command} in {commands}"),
        }
        rest = next;
    }
    points
}

#[test]
fn every_picture_in_a_notebook_exists_and_has_an_alternative_text() {
    for (notebook, alt, address) in pictures() {
        assert!(
            alt.len() >= 20,
            "{notebook}: {address} has no alternative text"
        );
        if !address.contains(':') {
            let file = Path::new(NOTEBOOKS).join(&address);
            assert!(file.is_file(), "{notebook}: {address} does not exist");
        }
    }
}

#[test]
fn every_drawing_is_shown_and_those_of_the_original_in_its_order() {
    let folder = "../assets/coding_attention/";
    let mut shown: Vec<String> = pictures()
        .into_iter()
        .filter_map(|(_, _, address)| Some(address.strip_prefix(folder)?.to_owned()))
        .collect();
    // The cheat sheet at the end repeats one drawing.
    let mut seen = HashSet::new();
    shown.retain(|name| seen.insert(name.clone()));
    // Drawings added later appear where they are needed, and the one that shows the six weights
    // comes after the learner has computed them.
    let is_moved = |name: &str| name > "23" || name == "06_self_attention.svg";
    let of_the_original = shown.iter().filter(|name| !is_moved(name));
    assert!(of_the_original.is_sorted(), "{shown:?}");
    shown.sort();
    let drawn: Vec<&str> = drawings::all().iter().map(|(name, _)| *name).collect();
    assert_eq!(shown, drawn);
}
