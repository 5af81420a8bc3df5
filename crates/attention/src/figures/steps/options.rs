//! Options for a figure of steps: the labels, the query and key that it explains, and the scale.

use super::Steps;
use super::numbers::Numbers;
use super::scaling::Scaling;
use crate::markup::labels;

impl Steps {
    /// Labels queries and keys with the tokens of a sentence that attends to itself.
    ///
    /// Matplotlib: `ax.set_xticklabels(tokens)` and `ax.set_yticklabels(tokens)`
    ///
    /// # Panics
    ///
    /// If there is not exactly one token for each query and each key.
    ///
    /// ```
    /// use attention::figures::attend_steps;
    /// use ndarray::array;
    ///
    /// let x = array![[1.0_f32]];
    /// assert!(attend_steps(&x, &x, &x, None).tokens(&["journey"]).text().contains("journey"));
    /// ```
    #[must_use]
    #[track_caller]
    #[inline(never)]
    pub fn tokens<S: AsRef<str>>(self, tokens: &[S]) -> Steps {
        self.labels(tokens, tokens)
    }

    /// Labels queries and keys separately, as cross-attention needs.
    ///
    /// Matplotlib: `ax.set_yticklabels(queries)` and `ax.set_xticklabels(keys)`
    ///
    /// # Panics
    ///
    /// If there is not exactly one label for each query and each key.
    ///
    /// ```
    /// use attention::figures::attend_steps;
    /// use ndarray::array;
    ///
    /// let (q, k) = (array![[1.0_f32]], array![[1.0], [0.0]]);
    /// let steps = attend_steps(&q, &k, &k, None).labels(&["win"], &["勝つ", "さ"]);
    /// assert!(steps.text().contains("勝つ"));
    /// ```
    #[must_use]
    #[track_caller]
    #[inline(never)]
    pub fn labels<Q: AsRef<str>, K: AsRef<str>>(mut self, queries: &[Q], keys: &[K]) -> Steps {
        assert!(
            self.numbers.scores.dim() == (queries.len(), keys.len()),
            "attend_steps: there are {} queries and {} keys, but {} and {} labels were given",
            self.numbers.scores.nrows(),
            self.numbers.scores.ncols(),
            queries.len(),
            keys.len(),
        );
        self.queries = labels::owned(queries);
        self.keys = labels::owned(keys);
        self
    }

    /// Shows the arithmetic of query `query`, counted from 0.
    ///
    /// Python: `weights[query]`
    ///
    /// # Panics
    ///
    /// If there is no such query.
    ///
    /// ```
    /// use attention::figures::attend_steps;
    /// use ndarray::array;
    ///
    /// let x = array![[1.0_f32], [2.0]];
    /// assert!(attend_steps(&x, &x, &x, None).query(0).text().contains("query 0"));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn query(mut self, query: usize) -> Steps {
        let queries = self.queries.len();
        assert!(
            query < queries,
            "attend_steps: there is no query {query}: the {queries} queries are 0 to {}",
            queries - 1,
        );
        self.query = query;
        self
    }

    /// Shows the products of the score for key `key`, counted from 0.
    ///
    /// Python: `q[query] * k[key]`
    ///
    /// # Panics
    ///
    /// If there is no such key.
    ///
    /// ```
    /// use attention::figures::attend_steps;
    /// use ndarray::array;
    ///
    /// let x = array![[1.0_f32], [2.0]];
    /// let steps = attend_steps(&x, &x, &x, None).query(1).key(0);
    /// assert!(steps.text().contains("2.0000 × 1.0000 = 2.0000"));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn key(mut self, key: usize) -> Steps {
        let keys = self.keys.len();
        assert!(
            key < keys,
            "attend_steps: there is no key {key}: the {keys} keys are 0 to {}",
            keys - 1,
        );
        self.key = Some(key);
        self
    }

    /// Uses the given factor for the scores instead of `1 / sqrt(D)`, as
    /// [`attend_with_scale`](crate::dot_product::attend_with_scale) does; with a scale of 1, the
    /// scaling step is omitted.
    ///
    /// PyTorch: `F.scaled_dot_product_attention(q, k, v, scale=scale)`
    ///
    /// ```
    /// use attention::figures::attend_steps;
    /// use ndarray::array;
    ///
    /// let x = array![[1.0_f32, 1.0], [2.0, 0.0]];
    /// let steps = attend_steps(&x, &x, &x, None);
    /// assert!(steps.clone().scale(0.5).text().contains("2.0000 × 0.5000 = 1.0000"));
    /// assert!(steps.scale(1.0).text().contains("= softmax(scores)"));
    /// ```
    #[must_use]
    pub fn scale(mut self, scale: f64) -> Steps {
        let inputs = [&self.q, &self.k, &self.v];
        let mask = self.mask.as_ref();
        self.numbers = match self.is_f32 {
            true => {
                let [q, k, v] = inputs.map(|matrix| matrix.mapv(|number| number as f32));
                Numbers::of([&q, &k, &v].map(|matrix| &**matrix), mask, scale as f32)
            }
            false => Numbers::of(inputs.map(|matrix| &**matrix), mask, scale),
        };
        self.scaling = Scaling::by(scale);
        self
    }
}
