//! Figures as a reader sees them: a decoded PNG, in which matrices are located by their
//! colours, and the image inside the HTML.

use attention::ndarray::Array2;
use std::io::BufRead;
use std::ops::Range;

/// Red, green and blue.
pub type Rgb = [u8; 3];

/// Width, height, and the colour of each pixel.
pub struct Picture {
    pub width: usize,
    pub height: usize,
    pub rgb: Vec<u8>,
}

/// A rectangle of a picture.
#[derive(Clone, Debug)]
pub struct Area {
    pub x: Range<usize>,
    pub y: Range<usize>,
}

/// Saves a figure as PNG under a unique name, and reads it back.
macro_rules! saved {
    ($figure:expr) => {{
        let name = format!(
            "attention-{}-{}-{}.png",
            std::process::id(),
            line!(),
            column!()
        );
        let path = std::env::temp_dir().join(name);
        $figure.save(path.to_str().expect("UTF-8")).expect("saved");
        let file = std::fs::File::open(&path).expect("written");
        let picture = $crate::common::picture::Picture::decode(std::io::BufReader::new(file));
        std::fs::remove_file(path).expect("removed");
        picture
    }};
}
pub(crate) use saved;

impl Picture {
    pub fn decode(file: impl BufRead + std::io::Seek) -> Picture {
        let mut reader = png::Decoder::new(file).read_info().expect("a PNG");
        let mut rgb = vec![0; reader.output_buffer_size().expect("a size")];
        let info = reader.next_frame(&mut rgb).expect("pixels");
        assert_eq!(info.color_type, png::ColorType::Rgb);
        Picture {
            width: info.width as usize,
            height: info.height as usize,
            rgb,
        }
    }

    pub fn at(&self, x: usize, y: usize) -> Rgb {
        let at = 3 * (y * self.width + x);
        [self.rgb[at], self.rgb[at + 1], self.rgb[at + 2]]
    }

    pub fn count(&self, colour: Rgb) -> usize {
        let pixels = self.rgb.chunks_exact(3);
        pixels.filter(|pixel| *pixel == colour).count()
    }

    /// How many pixels of a rectangle are dark.
    pub fn ink(&self, x: Range<usize>, y: Range<usize>) -> usize {
        let dark = |x: usize, y: usize| self.at(x, y).iter().all(|&channel| channel < 100);
        y.flat_map(|y| x.clone().map(move |x| (x, y)))
            .filter(|&(x, y)| dark(x, y))
            .count()
    }

    /// The coloured areas from left to right: the matrices, and the colour bar last.
    /// They are separated by 8 pixels of white space.
    pub fn areas(&self) -> Vec<Area> {
        let coloured = |x: usize, y: usize| {
            let [red, green, blue] = self.at(x, y);
            red.max(green).max(blue) - red.min(green).min(blue) >= 8
        };
        let mut areas: Vec<Area> = Vec::new();
        for x in 0..self.width {
            let mut rows = (0..self.height).filter(|&y| coloured(x, y));
            let Some(top) = rows.next() else { continue };
            let bottom = rows.next_back().unwrap_or(top) + 1;
            match areas.last_mut() {
                Some(area) if x < area.x.end + 8 => {
                    area.x.end = x + 1;
                    area.y = area.y.start.min(top)..area.y.end.max(bottom);
                }
                _ => areas.push(Area {
                    x: x..x + 1,
                    y: top..bottom,
                }),
            }
        }
        areas
    }

    /// The most common colour around the middle of cell (`row`, `column`) of a
    /// matrix of this shape that fills `area`; the number in the cell covers fewer pixels.
    pub fn cell(
        &self,
        area: &Area,
        (rows, columns): (usize, usize),
        (row, column): (usize, usize),
    ) -> Rgb {
        let inner = |range: &Range<usize>, count: usize, index: usize| {
            let side = range.len() as f64 / count as f64;
            let from = range.start as f64 + side * (index as f64 + 0.2);
            let to = from + side * 0.6;
            from as usize..(to.ceil() as usize).max(from as usize + 1)
        };
        let (x, y) = (inner(&area.x, columns, column), inner(&area.y, rows, row));
        let pixels = y.flat_map(|y| x.clone().map(move |x| (x, y)));
        let mut counts = std::collections::BTreeMap::<Rgb, usize>::new();
        for (x, y) in pixels {
            *counts.entry(self.at(x, y)).or_default() += 1;
        }
        let most = counts.into_iter().max_by_key(|(_, count)| *count);
        most.expect("a cell has pixels").0
    }

    /// Fails unless, in the matrix that fills `area`, a greater value is always darker, and the
    /// smallest and the largest value have the colours at the ends of the scale for queries.
    #[track_caller]
    pub fn assert_shades(&self, area: &Area, matrix: &Array2<f32>) {
        let mut cells: Vec<(f32, Rgb, (usize, usize))> = matrix
            .indexed_iter()
            .map(|(index, &value)| (value, self.cell(area, matrix.dim(), index), index))
            .collect();
        cells.sort_by(|a, b| a.0.total_cmp(&b.0));
        for pair in cells.windows(2) {
            let darker = luminance(pair[1].1) < luminance(pair[0].1);
            assert!(pair[0].0 == pair[1].0 || darker, "{pair:?}");
        }
        assert_eq!(cells[0].1, WHITE, "the least value");
        assert_eq!(cells[cells.len() - 1].1, QUERY, "the greatest");
    }
}

/// The start of every scale, and the ends of those for queries and for weights.
pub const WHITE: Rgb = [255, 255, 255];
pub const QUERY: Rgb = [0, 105, 168];
pub const WEIGHT: Rgb = [217, 154, 0];
/// The ends of the scale for scores: above 0 and below it.
pub const SLATE: Rgb = [61, 70, 82];
pub const RED: Rgb = [178, 24, 43];
/// The background of a hidden cell, and the colour of values that are not finite.
pub const HIDDEN: Rgb = [217, 217, 217];
pub const NOT_FINITE: Rgb = [200, 200, 200];

/// The lightness of a colour.
pub fn luminance([red, green, blue]: Rgb) -> f64 {
    0.2126 * f64::from(red) + 0.7152 * f64::from(green) + 0.0722 * f64::from(blue)
}

/// The colour of a value at this fraction of the scale.
pub fn towards(end: Rgb, share: f64) -> Rgb {
    [0, 1, 2].map(|channel| {
        let (from, to) = (f64::from(WHITE[channel]), f64::from(end[channel]));
        (from + (to - from) * share.sqrt()).round() as u8
    })
}

/// The SVG of the image in some HTML, with its data URI decoded as a browser does.
#[track_caller]
pub fn image_of(html: &str) -> String {
    let start = "src=\"data:image/svg+xml,";
    let (_, rest) = html.split_once(start).expect("an image");
    let (address, _) = rest.split_once('"').expect("an address ends");
    // These characters would end or change the address or the HTML.
    let forbidden = |c: char| matches!(c, '#' | '<' | '>' | '&' | '\n' | '\t');
    assert!(!address.contains(forbidden), "{address}");
    let mut bytes = Vec::new();
    let mut rest = address.as_bytes();
    while let Some((&first, others)) = rest.split_first() {
        let code = || u8::from_str_radix(std::str::from_utf8(others.get(..2)?).ok()?, 16).ok();
        match (first, code()) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &others[2..];
            }
            _ => {
                bytes.push(first);
                rest = others;
            }
        }
    }
    String::from_utf8(bytes).expect("UTF-8")
}

/// The contents of a picture: the names of its elements, their attributes and their texts.
#[track_caller]
pub fn contents(svg: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).unwrap_or_else(|e| panic!("{e}: {svg}"));
    let nodes = document.descendants();
    let content = |node: roxmltree::Node| match node.is_element() {
        true => {
            let attributes = node
                .attributes()
                .map(|a| format!("{}={}", a.name(), a.value()));
            format!(
                "{:?} {:?}",
                node.tag_name().name(),
                attributes.collect::<Vec<_>>()
            )
        }
        // Either kind of quote is fine within a style's rules.
        false if node.parent().is_some_and(|node| node.has_tag_name("style")) => {
            node.text().unwrap_or("").replace('"', "'")
        }
        false => node.text().unwrap_or("").replace('\n', ""),
    };
    nodes.map(content).collect()
}

/// Fails unless the image in the HTML shows the same picture as the SVG.
#[track_caller]
pub fn assert_same_picture(html: &str, svg: &str) {
    let (image, svg) = (contents(&image_of(html)), contents(svg));
    assert_eq!(image.len(), svg.len(), "the number of elements");
    for (in_html, in_svg) in image.iter().zip(&svg) {
        assert_eq!(in_html, in_svg);
    }
}
