//! Figures saved as PNG, decoded again.

use attention::prelude::*;

/// Width, height, and the colour of each pixel.
struct Picture {
    width: usize,
    height: usize,
    rgb: Vec<u8>,
}

impl Picture {
    fn at(&self, x: usize, y: usize) -> [u8; 3] {
        let at = 3 * (y * self.width + x);
        [self.rgb[at], self.rgb[at + 1], self.rgb[at + 2]]
    }

    fn count(&self, colour: [u8; 3]) -> usize {
        self.rgb
            .chunks_exact(3)
            .filter(|pixel| *pixel == colour)
            .count()
    }

    /// How many pixels of a rectangle are dark.
    fn ink(&self, x: std::ops::Range<usize>, y: std::ops::Range<usize>) -> usize {
        let dark = |x: usize, y: usize| self.at(x, y).iter().all(|&channel| channel < 100);
        y.flat_map(|y| x.clone().map(move |x| (x, y)))
            .filter(|&(x, y)| dark(x, y))
            .count()
    }
}

/// Saves a figure under a name of its own, and reads it.
macro_rules! saved {
    ($figure:expr) => {{
        let name = format!("attention-{}-{}.png", std::process::id(), line!());
        let path = std::env::temp_dir().join(name);
        $figure.save(path.to_str().expect("UTF-8")).expect("saved");
        let file = std::fs::File::open(&path).expect("written");
        let mut reader = png::Decoder::new(std::io::BufReader::new(file))
            .read_info()
            .expect("a PNG");
        let mut rgb = vec![0; reader.output_buffer_size().expect("a size")];
        let info = reader.next_frame(&mut rgb).expect("pixels");
        std::fs::remove_file(path).expect("removed");
        Picture {
            width: info.width as usize,
            height: info.height as usize,
            rgb,
        }
    }};
}

#[test]
fn cells_have_their_colours_and_labels_are_written() {
    let picture = saved!(
        heatmap(&array![[0.0_f32, 1.0], [1.0, 0.0]])
            .title("Weights")
            .tokens(&["a", "b"])
    );
    // Two cells of 120 by 120 pixels each, less their values.
    for colour in [[68, 1, 84], [254, 232, 37]] {
        assert!(
            (20_000..33_000).contains(&picture.count(colour)),
            "{}",
            picture.count(colour)
        );
    }
    assert!(picture.ink(0..picture.width, 0..50) > 300, "the title");
    assert_eq!(picture.at(0, 0), [255, 255, 255]);
}

#[test]
fn every_kind_of_figure_is_saved() {
    let weights = array![[1.0_f32, 0.0], [0.25, 0.75]];
    let x = array![[1.0_f32, 0.5], [0.0, 1.0]];
    let mask = causal_mask(2);
    let steps = saved!(attend_steps(&x, &x, &x, Some(&mask)));
    assert!(steps.count([255, 127, 0]) > 500, "the frames");
    assert!(steps.count([217, 217, 217]) > 500, "the hatching");
    let bars = saved!(bars(&array![0.5_f32, 1.0], &["a", "b"]));
    assert!(bars.count([49, 104, 142]) > 480 * 32, "the bars");
    let curves = lines("x", "y")
        .curve("c", &[(0.0, 0.0), (1.0, 1.0)])
        .level("limit", 0.5);
    let curves = saved!(curves);
    assert!(curves.count([0, 114, 178]) > 500, "the curve");
    assert!(
        saved!(graph(&weights, &["a", "b"], &["a", "b"])).ink(0..60, 0..200) > 20,
        "the queries"
    );
    let panel = heatmap(&weights);
    let two = saved!(grid(&[panel.clone(), panel.clone()]));
    assert!(two.count([254, 232, 37]) > saved!(panel).count([254, 232, 37]));
}

#[test]
fn a_dashed_line_has_gaps() {
    let picture = saved!(
        lines("x", "y")
            .curve("c", &[(0.0, 0.0), (9.0, 1.0)])
            .level("limit", 0.5)
    );
    let orange = |x: usize, y: usize| picture.at(x, y) == [213, 94, 0];
    let longest = |y: usize| (200..picture.width).filter(|&x| orange(x, y)).count();
    let row = (200..picture.height)
        .max_by_key(|&y| longest(y))
        .expect("a row");
    let share = longest(row) as f64 / (picture.width - 240) as f64;
    assert!((0.4..0.8).contains(&share), "{share}");
}

#[test]
fn a_large_matrix_is_drawn_from_its_image() {
    let picture = saved!(heatmap(&Array2::<f32>::eye(100)));
    assert!(
        picture.count([68, 1, 84]) > 1_000_000,
        "{}",
        picture.count([68, 1, 84])
    );
}

#[test]
fn labels_of_any_kind_do_no_harm() {
    let tokens = ["猫", "السلام", "😀👍🏽", "<b>", "", "\u{1b}"];
    let picture = saved!(heatmap(&Array2::<f32>::eye(6)).tokens(&tokens));
    assert!(picture.width > 700 && picture.height > 700);
}

#[test]
fn a_path_that_cannot_be_written_is_named() {
    let error = heatmap(&array![[1.0_f32]])
        .save("no/such/folder/a.png")
        .expect_err("no folder");
    assert!(
        error
            .to_string()
            .starts_with("no/such/folder/a.png could not be written: "),
        "{error}"
    );
}
