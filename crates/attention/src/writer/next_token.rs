//! Predictions of the next token: a probability for every token, and ways to choose one.

use super::byte_pairs::BytePairs;
use crate::figures::bars::{Bars, bars};
use crate::figures::matrix_colours::Kind;
use ndarray::Array1;
use std::sync::Arc;
use torch_random::torch::Generator;

/// The tokens that may follow a text, the most probable first, and equally probable ones in the
/// order of their numbers.
///
/// At first, these are all V tokens of the vocabulary. [`temperature`](NextToken::temperature)
/// changes their probabilities; [`top_k`](NextToken::top_k) and [`top_p`](NextToken::top_p) keep
/// only some tokens, whose probabilities again sum to 1.
///
/// PyTorch: `torch.softmax(logits, dim=-1).sort(descending=True, stable=True)`
#[derive(Clone, Debug)]
pub struct NextToken {
    /// The K tokens that are left.
    pub tokens: Vec<usize>,
    /// (K,): the logit of each token, divided by the temperature.
    pub logits: Array1<f32>,
    /// (K,): they sum to 1.
    pub probabilities: Array1<f32>,
    pieces: Arc<BytePairs>,
}

impl NextToken {
    /// `logits` has a number for each token of the vocabulary.
    pub(super) fn new(pieces: Arc<BytePairs>, logits: Vec<f32>) -> NextToken {
        // Sorts integer keys: sorting indices by the floats they refer to takes three times as
        // long.
        let key = |(token, logit): (usize, &f32)| {
            let bits = logit.to_bits();
            let falling = if bits >> 31 == 1 {
                bits
            } else {
                !bits ^ (1 << 31)
            };
            u64::from(falling) << 32 | token as u64
        };
        let mut keys: Vec<u64> = logits.iter().enumerate().map(key).collect();
        keys.sort_unstable();
        let tokens: Vec<usize> = keys.iter().map(|key| *key as u32 as usize).collect();
        let logits: Array1<f32> = tokens.iter().map(|&token| logits[token]).collect();
        NextToken {
            tokens,
            probabilities: probabilities(&logits),
            logits,
            pieces,
        }
    }

    /// The most probable token.
    ///
    /// PyTorch: `logits.argmax()`
    ///
    /// ```no_run
    /// let model = attention::writer::writer()?;
    /// let next = model.draft(&model.pieces.encode("The capital of France is"))?.next_token();
    /// assert_eq!(model.pieces.decode(&[next.best()]), " Paris");
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn best(&self) -> usize {
        self.tokens[0]
    }

    /// The probability of a token; 0 if it was removed.
    ///
    /// ```no_run
    /// let model = attention::writer::writer()?;
    /// let next = model.draft(&model.pieces.encode("The capital of France is"))?.next_token();
    /// let paris = model.pieces.encode(" Paris")[0];
    /// assert!((next.probability(paris) - 0.7725).abs() < 1e-3);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn probability(&self, token: usize) -> f32 {
        let place = self.tokens.iter().position(|found| *found == token);
        place.map_or(0.0, |place| self.probabilities[place])
    }

    /// The rank of a token, 1 for the most probable one.
    ///
    /// # Panics
    ///
    /// If it is not in the vocabulary or was removed.
    ///
    /// ```no_run
    /// let model = attention::writer::writer()?;
    /// let next = model.draft(&model.pieces.encode("The capital of France is"))?.next_token();
    /// assert_eq!(next.rank(model.pieces.encode(" Paris")[0]), 1);
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[track_caller]
    pub fn rank(&self, token: usize) -> usize {
        let place = self.tokens.iter().position(|found| *found == token);
        let place = place.unwrap_or_else(|| {
            panic!(
                "NextToken::rank: token {token} is not among the {} that are left",
                self.tokens.len()
            )
        });
        place + 1
    }

    /// The entropy in nats, which says how undecided the model is: 0 if one token is certain, ln K
    /// if all are equally probable.
    ///
    /// PyTorch: `torch.special.entr(probabilities).sum()`
    ///
    /// ```no_run
    /// let model = attention::writer::writer()?;
    /// let next = model.draft(&model.pieces.encode("She opened the door and"))?.next_token();
    /// assert!((next.entropy() - 4.45).abs() < 0.01);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn entropy(&self) -> f32 {
        let terms = self.probabilities.iter().map(|&p| match p > 0.0 {
            true => -f64::from(p) * f64::from(p).ln(),
            false => 0.0,
        });
        terms.sum::<f64>() as f32
    }

    /// The prediction with all logits divided by `temperature`: below 1, the probable tokens become
    /// more probable; above 1, the others do. At 0, only the most probable one is left.
    ///
    /// PyTorch: `torch.softmax(logits / temperature, dim=-1)`
    ///
    /// # Panics
    ///
    /// If `temperature` is below 0 or not finite.
    ///
    /// ```no_run
    /// let model = attention::writer::writer()?;
    /// let next = model.draft(&model.pieces.encode("She opened the door and"))?.next_token();
    /// assert!(next.temperature(0.5).probabilities[0] > next.probabilities[0]);
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn temperature(&self, temperature: f64) -> NextToken {
        assert!(
            temperature >= 0.0 && temperature.is_finite(),
            "NextToken::temperature: the temperature is {temperature}, but it must be 0 or more"
        );
        if temperature == 0.0 {
            return self.first(1);
        }
        let logits = self
            .logits
            .map(|logit| (f64::from(*logit) / temperature) as f32);
        NextToken {
            probabilities: probabilities(&logits),
            logits,
            ..self.clone()
        }
    }

    /// Keeps the `k` most probable tokens, or all if there are fewer.
    ///
    /// PyTorch: `logits.topk(k)`, then softmax
    ///
    /// Source: Fan, Lewis, Dauphin 2018, "Hierarchical Neural Story Generation", section 5.4.
    ///
    /// # Panics
    ///
    /// If `k` is 0.
    ///
    /// ```no_run
    /// let model = attention::writer::writer()?;
    /// let next = model.draft(&model.pieces.encode("She opened the door and"))?.next_token();
    /// assert!((next.top_k(5).probabilities[0] - 0.4845).abs() < 1e-3);
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn top_k(&self, k: usize) -> NextToken {
        assert!(
            k > 0,
            "NextToken::top_k: k is 0, but at least one token must be left"
        );
        self.first(k)
    }

    /// Keeps the most probable tokens until their probabilities sum to at least `p`, including the
    /// token that reaches it.
    ///
    /// Transformers: `TopPLogitsWarper(p)`
    ///
    /// Source: Holtzman et al. 2020, "The Curious Case of Neural Text Degeneration", section 3.1.
    ///
    /// # Panics
    ///
    /// Unless `p` is above 0 and at most 1.
    ///
    /// ```no_run
    /// let model = attention::writer::writer()?;
    /// let next = model.draft(&model.pieces.encode("She opened the door and"))?.next_token();
    /// assert_eq!(next.top_p(0.3).tokens.len(), 4);
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn top_p(&self, p: f64) -> NextToken {
        assert!(
            p > 0.0 && p <= 1.0,
            "NextToken::top_p: p is {p}, but it must be above 0 and at most 1"
        );
        let mut sum = 0.0;
        let before = self.probabilities.iter().take_while(|probability| {
            let is_missing = sum < p;
            sum += f64::from(**probability);
            is_missing
        });
        let count = before.count();
        self.first(count)
    }

    /// Draws one of the tokens according to their probabilities.
    ///
    /// PyTorch: `torch.multinomial(probabilities, 1)`
    ///
    /// ```no_run
    /// use attention::rng::torch::Generator;
    ///
    /// let model = attention::writer::writer()?;
    /// let next = model.draft(&model.pieces.encode("She opened the door and"))?.next_token();
    /// let token = next.top_k(5).draw(&mut Generator::manual_seed(1));
    /// assert!(next.rank(token) <= 5);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn draw(&self, rng: &mut Generator) -> usize {
        self.tokens[rng.multinomial(&self.probabilities, 1)[0]]
    }

    /// The probabilities of the first `count` tokens, as bars on a scale from 0 to 1.
    ///
    /// # Panics
    ///
    /// If `count` is 0.
    ///
    /// ```no_run
    /// let model = attention::writer::writer()?;
    /// let next = model.draft(&model.pieces.encode("The capital of France is"))?.next_token();
    /// assert!(next.bars(5).text().contains("␣Paris"));
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[track_caller]
    pub fn bars(&self, count: usize) -> Bars {
        assert!(
            count > 0,
            "NextToken::bars: the count is 0: there is nothing to draw"
        );
        let first = self.first(count);
        let shown = self.probabilities.slice(ndarray::s![..first.tokens.len()]);
        bars(&shown, &self.pieces.show(&first.tokens))
            .range(0.0, 1.0)
            .kind(Kind::Weight)
    }

    /// Only the first `count` tokens, whose probabilities again sum to 1.
    fn first(&self, count: usize) -> NextToken {
        let count = count.min(self.tokens.len());
        let logits = self.logits.slice(ndarray::s![..count]).to_owned();
        NextToken {
            tokens: self.tokens[..count].to_vec(),
            probabilities: probabilities(&logits),
            logits,
            pieces: self.pieces.clone(),
        }
    }
}

/// The softmax. The sum is in f64: with 49,152 small numbers, one in f32 would lose a digit.
fn probabilities(logits: &Array1<f32>) -> Array1<f32> {
    let max = logits.fold(f32::NEG_INFINITY, |max, logit| max.max(*logit));
    let exps = logits.map(|logit| (logit - max).exp());
    let sum: f64 = exps.iter().map(|exp| f64::from(*exp)).sum();
    exps.map(|exp| (f64::from(*exp) / sum) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Five tokens with the probabilities 0.4, 0.3, 0.15, 0.1 and 0.05, not in this order.
    fn next() -> NextToken {
        let pieces = BytePairs::new(&["a", "b", "c", "d", "e"], &[], 0).expect("a vocabulary");
        let probabilities = [0.1, 0.4, 0.05, 0.3, 0.15_f32];
        NextToken::new(
            Arc::new(pieces),
            probabilities.map(|p| p.ln() + 7.0).to_vec(),
        )
    }

    #[track_caller]
    fn close(ours: &Array1<f32>, expected: &[f32]) {
        assert_eq!(ours.len(), expected.len(), "{ours}");
        let apart = ours.iter().zip(expected).map(|(a, b)| (a - b).abs());
        assert!(apart.fold(0.0, f32::max) < 1e-6, "{ours}");
    }

    #[test]
    fn tokens_come_by_probability() {
        let next = next();
        assert_eq!(next.tokens, [1, 3, 4, 0, 2]);
        close(&next.probabilities, &[0.4, 0.3, 0.15, 0.1, 0.05]);
        assert_eq!((next.best(), next.rank(0)), (1, 4));
        assert!((next.probability(2) - 0.05).abs() < 1e-6);
        assert!(next.bars(2).text().contains("b: 0.4"));
    }

    #[test]
    fn equals_come_in_the_order_of_their_numbers() {
        let next = next();
        let equal = NextToken::new(next.pieces, vec![1.0; 5]);
        assert_eq!(equal.tokens, [0, 1, 2, 3, 4]);
        assert!((equal.entropy() - 5_f32.ln()).abs() < 1e-6);
    }

    #[test]
    fn what_is_left_adds_up_to_1() {
        let next = next();
        close(&next.top_k(2).probabilities, &[4.0 / 7.0, 3.0 / 7.0]);
        close(&next.top_k(9).probabilities, &[0.4, 0.3, 0.15, 0.1, 0.05]);
        // 0.7 is not enough, so the third is kept too.
        close(
            &next.top_p(0.75).probabilities,
            &[0.4 / 0.85, 0.3 / 0.85, 0.15 / 0.85],
        );
        assert_eq!(next.top_p(0.2).tokens, [1]);
        assert_eq!(next.top_p(1.0).tokens.len(), 5);
        assert_eq!(next.top_k(1).probability(3), 0.0);
    }

    #[test]
    fn a_low_temperature_sharpens_and_0_is_greedy() {
        let next = next();
        let squares = [0.16, 0.09, 0.0225, 0.01, 0.0025].map(|p| p / 0.285);
        close(&next.temperature(0.5).probabilities, &squares);
        close(
            &next.temperature(1e-6).probabilities,
            &[1.0, 0.0, 0.0, 0.0, 0.0],
        );
        close(&next.temperature(0.0).probabilities, &[1.0]);
        close(
            &next.temperature(0.5).temperature(2.0).probabilities,
            &[0.4, 0.3, 0.15, 0.1, 0.05],
        );
    }

    #[test]
    fn what_is_drawn_is_left() {
        let (next, mut rng) = (next().top_k(2), Generator::manual_seed(1));
        let drawn: Vec<usize> = (0..100).map(|_| next.draw(&mut rng)).collect();
        assert!(drawn.iter().all(|token| [1, 3].contains(token)));
        assert!(drawn.contains(&1) && drawn.contains(&3));
    }

    #[test]
    fn impossible_choices_are_refused() {
        let refused = |call: fn(NextToken)| {
            let next = next();
            std::panic::catch_unwind(move || call(next)).is_err()
        };
        assert!(refused(|next| drop(next.temperature(-1.0))));
        assert!(refused(|next| drop(next.temperature(f64::NAN))));
        assert!(refused(|next| drop(next.top_k(0))));
        assert!(refused(|next| drop(next.top_p(0.0))));
        assert!(refused(|next| drop(next.top_p(1.5))));
        assert!(refused(|next| drop(next.bars(0))));
        assert!(refused(|next| _ = next.rank(5)));
        assert!(!refused(|next| _ = next.rank(4)));
    }
}
