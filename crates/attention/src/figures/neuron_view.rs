//! Why a score is as high as it is: a query times a key, number by number.

use crate::error::Error;
use crate::figures::figure::{Figure, figure_methods, titled};
use crate::figures::heatmap::{Heatmap, PanelContext, heatmap};
use crate::figures::hover;
use crate::figures::matrix_colours::Kind;
use crate::figures::numbers::short_number;
use crate::figures::panels::{GAP, MAX_WIDTH, PlacedPanel, below_title, level, titled_scene};
use crate::figures::scene::{Point, Scene};
use crate::markup::text::text_width;
use ndarray::ArrayRef1;

/// The largest side of a cell in pixels; cells are smaller if the page is too narrow.
const LARGEST: i32 = 40;

/// A query times a key. See [`neuron_view`].
#[derive(Clone, Debug, PartialEq)]
pub struct NeuronView {
    /// Query, key, and their products, as rows.
    rows: [Heatmap; 3],
    products: Vec<f32>,
    title: String,
}

/// A query, a key, and below them the product of each pair of their numbers. The sum of the
/// products is the score, so the strongest colours of the last row explain why the score
/// is high or low.
///
/// `q` and `k` are (D,). The score is shown divided by `sqrt(D)`, as it enters the softmax. Query
/// and key share a scale; the products have their own. NaN and infinities are grey.
///
/// Python: `bertviz.neuron_view`
///
/// # Panics
///
/// If `q` and `k` differ in length, or are empty.
///
/// ```
/// use attention::figures::neuron_view;
/// use ndarray::array;
///
/// let figure = neuron_view(&array![1.0, 2.0, 0.0, 1.0], &array![3.0, -1.0, 5.0, 1.0]);
/// assert!(figure.text().contains("(3.00 - 2.00 + 0.00 + 1.00) / sqrt(4) = 1.00"));
/// ```
#[track_caller]
pub fn neuron_view(q: &ArrayRef1<f32>, k: &ArrayRef1<f32>) -> NeuronView {
    assert!(
        q.len() == k.len() && !q.is_empty(),
        "neuron_view: q has {} numbers and k has {}: both need the same, at least one",
        q.len(),
        k.len(),
    );
    let products = q.to_owned() * k;
    let finite = q.iter().chain(k).filter(|x| x.is_finite());
    let largest = finite.fold(f32::MIN_POSITIVE, |most, x| most.max(x.abs()));
    let largest = f64::from(largest);
    let row = |values: &ArrayRef1<f32>, name: &str, kind| {
        let row = values.to_owned().insert_axis(ndarray::Axis(0));
        heatmap(&row).title(name).kind(kind)
    };
    NeuronView {
        rows: [
            row(q, "query", Kind::Query).range(-largest, largest),
            row(k, "key", Kind::Key).range(-largest, largest),
            row(&products, "query times key", Kind::Score),
        ],
        products: products.to_vec(),
        title: String::new(),
    }
}

impl NeuronView {
    /// The rows, one below the other.
    fn placed(&self) -> Vec<PlacedPanel> {
        let context = |cell: i32| PanelContext::Grid {
            cell,
            has_rows: true,
            has_columns: true,
        };
        let width = |cell: i32| self.rows[0].layout_within(context(cell)).size.0;
        let fits = |cell: &i32| width(*cell) <= MAX_WIDTH;
        let cell = (1..=LARGEST).rev().find(fits).unwrap_or(1);
        let mut placed: Vec<PlacedPanel> = Vec::new();
        let mut top = below_title(&self.heading());
        for row in &self.rows {
            placed.extend(level(vec![(0, row.clone().within(context(cell)))], top));
            top = GAP + placed.last().map_or(top, PlacedPanel::bottom);
        }
        placed
    }

    /// The title, and the result.
    fn heading(&self) -> String {
        let (sum, score) = self.sum_and_score();
        let result = format!("score: {sum} / sqrt({}) = {score}", self.products.len());
        match self.title.is_empty() {
            true => result,
            false => format!("{}, {result}", self.title),
        }
    }

    /// The calculation of the score, with every product.
    fn terms(&self) -> String {
        let mut terms = String::new();
        for (index, &product) in self.products.iter().enumerate() {
            let number = short_number(f64::from(product.abs()));
            let sign = match (index, product < 0.0) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            };
            terms += &format!("{sign}{number}");
        }
        let score = self.sum_and_score().1;
        format!("({terms}) / sqrt({}) = {score}", self.products.len())
    }

    /// The sum of the products, and that sum divided by the square root of their number.
    fn sum_and_score(&self) -> (String, String) {
        let sum = f64::from(self.products.iter().sum::<f32>());
        let score = sum / (self.products.len() as f64).sqrt();
        (short_number(sum), short_number(score))
    }
}

impl Figure for NeuronView {
    fn scene(&self) -> Result<Scene, Error> {
        let placed = self.placed();
        let width = placed
            .iter()
            .map(|panel| panel.layout.size.0)
            .max()
            .unwrap_or(0);
        let heading = self.heading();
        let width = width.max(text_width(&heading) * 16 / 13);
        let height = placed.last().map_or(0, PlacedPanel::bottom);
        let mut scene = titled_scene((width, height), &heading, &self.plain_text())?;
        placed.iter().try_for_each(|panel| panel.draw(&mut scene))?;
        Ok(scene)
    }

    fn html_around(&self, svg: &str, size: Point) -> Result<String, Error> {
        let fields: Vec<hover::Fields> = self.placed().iter().map(PlacedPanel::fields).collect();
        Ok(hover::html(svg, size, &self.plain_text(), &fields))
    }

    fn plain_text(&self) -> String {
        let rows: Vec<String> = self.rows.iter().map(Figure::plain_text).collect();
        titled(
            &self.title,
            &format!("{}\n{}", rows.join("\n"), self.terms()),
        )
    }
}

figure_methods!(
    NeuronView,
    "neuron_view(&ndarray::array![1.0, 2.0], &ndarray::array![3.0, -1.0])"
);

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array1, Array2, array};

    #[test]
    fn every_product_has_its_sign() {
        let figure = neuron_view(&array![-1.0, 2.0, 3.0, 0.0], &array![2.0, -1.0, 1.0, 5.0]);
        assert_eq!(
            figure.terms(),
            "(-2.00 - 2.00 + 3.00 + 0.00) / sqrt(4) = -0.50"
        );
    }

    #[test]
    fn query_and_key_share_the_scale_of_the_larger() {
        let row = |numbers: [f32; 2], name: &str, kind| {
            heatmap(&Array2::from(vec![numbers]))
                .title(name)
                .kind(kind)
                .range(-8.0, 8.0)
        };
        for (q, k) in [([1.0, 2.0], [3.0, -8.0]), ([-8.0, 2.0], [3.0, 1.0])] {
            let [query, key, _] =
                neuron_view(&Array1::from(q.to_vec()), &Array1::from(k.to_vec())).rows;
            assert_eq!(query, row(q, "query", Kind::Query));
            assert_eq!(key, row(k, "key", Kind::Key));
        }
    }
}
