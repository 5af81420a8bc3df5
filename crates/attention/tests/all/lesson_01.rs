//! The results of lesson 01, "Coding Attention Mechanism", compared with golden/lesson_01.json.

use crate::common::Golden;
use attention::prelude::*;

/// Permitted difference, relative to the expected value: two roundings of f32. The sums and
/// products are the same as PyTorch's, but in a different order.
const TOLERANCE: f64 = 2.0 * f32::EPSILON as f64;

struct Lesson(Golden);

impl Lesson {
    fn lesson_01() -> Lesson {
        Lesson(Golden::parse(include_str!("../golden/lesson_01.json")).at(&["values"]))
    }

    fn inputs(&self) -> Array2<f32> {
        self.0.at(&["inputs"]).matrix()
    }

    #[track_caller]
    fn check<'a>(&self, name: &str, computed: impl IntoIterator<Item = &'a f32>) {
        let computed: Vec<f64> = computed.into_iter().copied().map(f64::from).collect();
        let expected = self.0.at(&[name]).values();
        assert_eq!(computed.len(), expected.len(), "{name}: number of values");
        for (index, (computed, expected)) in computed.iter().zip(&expected).enumerate() {
            let difference = (computed - expected).abs();
            assert!(
                difference <= TOLERANCE * expected.abs(),
                "{name}[{index}]: computed {computed}, PyTorch has {expected}, off by {difference:e}"
            );
        }
    }
}

#[test]
fn lesson_01_one_query_step_by_step() {
    let golden = Lesson::lesson_01();
    let inputs = golden.inputs();
    let query = inputs.row(1).to_owned();

    let scores_2 = scores(&query, &inputs);
    golden.check("attn_scores_2", &scores_2);
    golden.check("attn_scores_2.sum", &[scores_2.sum()]);
    golden.check("dot", &[inputs.row(0).dot(&query)]);

    let divided = &scores_2 / scores_2.sum();
    golden.check("attn_weights_2_tmp", &divided);

    golden.check("attn_weights_2_naive", &softmax_naive(&scores_2));
    let naive_sum = torch_sum(&softmax_naive(&scores_2));
    assert_eq!(
        vec![f64::from(naive_sum)],
        golden.0.at(&["attn_weights_2_naive.sum"]).values()
    );
    let weights_2 = softmax(&scores_2);
    golden.check("attn_weights_2", &weights_2);
    golden.check("attn_weights_2.sum", &[weights_2.sum()]);
    golden.check("context_vec_2", &context(&weights_2, &inputs));
}

#[test]
fn lesson_01_all_queries_at_once() {
    let golden = Lesson::lesson_01();
    let inputs = golden.inputs();

    let all_scores = scores(&inputs, &inputs);
    golden.check("attn_scores_loops", &all_scores);
    golden.check("attn_scores_matmul", &all_scores);
    let weights = softmax(&all_scores);
    golden.check("attn_weights", &weights);
    golden.check("attn_weights[0].sum", &[weights.row(0).sum()]);
    golden.check("all_context_vecs", &context(&weights, &inputs));

    let attention = attend_with_scale(&inputs, &inputs, &inputs, None, 1.0);
    golden.check("attn_scores_matmul", &attention.scores);
    golden.check("attn_weights", &attention.weights);
    golden.check("all_context_vecs", &attention.context);
}

#[test]
fn lesson_01_prints_the_digits_of_the_original() {
    let inputs = Lesson::lesson_01().inputs();
    let weights = softmax(&scores(&inputs, &inputs));
    assert_eq!(
        show(&weights).to_string(),
        "[[0.2098, 0.2006, 0.1981, 0.1242, 0.1220, 0.1452],\n \
          [0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581],\n \
          [0.1390, 0.2369, 0.2326, 0.1242, 0.1108, 0.1565],\n \
          [0.1435, 0.2074, 0.2046, 0.1462, 0.1263, 0.1720],\n \
          [0.1526, 0.1958, 0.1975, 0.1367, 0.1879, 0.1295],\n \
          [0.1385, 0.2184, 0.2128, 0.1420, 0.0988, 0.1896]]  f32 (6, 6)"
    );
}
