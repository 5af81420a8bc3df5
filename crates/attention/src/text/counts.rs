//! Losses of predictions made by counting alone: baselines that a model has to beat.

use free_memory::assert_fits;

/// The mean loss if each of `tokens` is predicted from how often it occurs in `train`.
///
/// Python: `-numpy.log(numpy.bincount(train)[tokens] / len(train)).mean()`
///
/// Source: Shannon 1951, "Prediction and Entropy of Printed English", where it is called `F₁`;
/// here in nats.
///
/// # Panics
///
/// If `tokens` or `train` is empty, or if the counts up to the largest token do not
/// fit into memory.
///
/// ```
/// use attention::text::unigram_loss;
///
/// let train = [0, 1, 0, 1];
/// assert!((unigram_loss(&train, &[1, 1]) - 2.0_f32.ln()).abs() < 1e-6);
/// assert_eq!(unigram_loss(&train, &[2]), f32::INFINITY); // never seen
/// ```
#[track_caller]
pub fn unigram_loss(train: &[usize], tokens: &[usize]) -> f32 {
    assert!(
        !tokens.is_empty(),
        "unigram_loss: there is no token to predict"
    );
    assert!(
        !train.is_empty(),
        "unigram_loss: train is empty: there is nothing to count"
    );
    let size = vocabulary_size(train, tokens);
    assert_fits("unigram_loss", &[size], size_of::<f64>());
    let counts = count(train, size);
    mean_surprise(
        tokens
            .iter()
            .map(|&token| counts[token] / train.len() as f64),
    )
}

/// The mean loss if each of `tokens` except the first is predicted from how often it follows the
/// token before it in `train`. `added` is added to the count of every pair, which makes a pair that
/// never occurred in `train` unlikely but not impossible; if `added` is 0, such a pair makes the
/// loss infinite.
///
/// Source: Shannon 1951, "Prediction and Entropy of Printed English", where it is called `F₂`;
/// here in nats.
///
/// # Panics
///
/// If there are fewer than two `tokens`, if `added` is negative, NaN or infinite, or if the
/// counts of all pairs up to the largest token do not fit into memory.
///
/// ```
/// use attention::text::bigram_loss;
///
/// let train = [0, 1, 0, 1, 0];
/// assert_eq!(bigram_loss(&train, &[0, 1], 0.0), 0.0); // 1 always follows 0
/// // 1 follows 0 in 2 of 2 cases; with 1 added to each pair, in 3 of 4.
/// assert!((bigram_loss(&train, &[0, 1], 1.0) - (4.0_f32 / 3.0).ln()).abs() < 1e-6);
/// ```
#[track_caller]
pub fn bigram_loss(train: &[usize], tokens: &[usize], added: f64) -> f32 {
    assert!(
        tokens.len() >= 2,
        "bigram_loss: {} token(s) make no pair: at least two are needed",
        tokens.len()
    );
    assert!(
        added >= 0.0 && added.is_finite(),
        "bigram_loss: added is {added}, but it must be 0 or a positive number"
    );
    let size = vocabulary_size(train, tokens);
    assert_fits("bigram_loss", &[size, size], size_of::<f64>());
    let pair_index = |pair: &[usize]| pair[0] * size + pair[1];
    let pairs: Vec<usize> = train.windows(2).map(pair_index).collect();
    let counts = count(&pairs, size * size);
    let totals: Vec<f64> = counts.chunks(size).map(|row| row.iter().sum()).collect();
    let probability = |window: &[usize]| {
        let count = counts[pair_index(window)] + added;
        if count == 0.0 {
            return 0.0;
        }
        count / (totals[window[0]] + added * size as f64)
    };
    mean_surprise(tokens.windows(2).map(probability))
}

/// V: one more than the largest token.
fn vocabulary_size(train: &[usize], tokens: &[usize]) -> usize {
    train
        .iter()
        .chain(tokens)
        .max()
        .map_or(0, |largest| largest.saturating_add(1))
}

fn count(numbers: &[usize], size: usize) -> Vec<f64> {
    let mut counts = vec![0.0; size];
    for &number in numbers {
        counts[number] += 1.0;
    }
    counts
}

fn mean_surprise(probabilities: impl ExactSizeIterator<Item = f64>) -> f32 {
    let count = probabilities.len() as f64;
    // 0 rather than -0 if everything was certain.
    (probabilities.map(|p| 0.0 - p.ln()).sum::<f64>() / count) as f32
}
