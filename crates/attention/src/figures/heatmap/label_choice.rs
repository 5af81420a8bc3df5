//! Which of an axis' labels are written.

use crate::figures::text::cut;

/// The least distance of two labels, so that they do not touch, and of two bare numbers.
pub(crate) const LABEL: i32 = 14;
const NUMBER: i32 = 40;

/// The labels of an axis that fit, with their rows or columns. Where some are left out,
/// each begins with its number; an axis without labels has numbers if `numbered`.
/// Of a `side` of so many pixels there is one for each `block` of them.
pub(super) fn chosen_labels(
    labels: &[String],
    numbered: Option<usize>,
    (side, block): (i32, usize),
) -> Vec<(usize, String)> {
    let enough = |distance: i32| {
        let powers = (0..9).map(|power| 10_usize.pow(power));
        let mut steps = powers.flat_map(|power| [1, 2, 5].map(|step| step * power));
        steps
            .find(|step| (step / block) as i32 * side >= distance)
            .unwrap_or(1_000_000_000)
    };
    let labelled = labels.iter().enumerate();
    match (enough(LABEL), numbered) {
        (_, Some(count)) if labels.is_empty() => (0..count)
            .step_by(enough(NUMBER))
            .map(|index| (index, index.to_string()))
            .collect(),
        (1, _) => labelled.map(|(index, label)| (index, cut(label))).collect(),
        (step, _) => labelled
            .step_by(step)
            .map(|(index, label)| match index.to_string() {
                number if number == *label => (index, number),
                number => (index, format!("{number} {}", cut(label))),
            })
            .collect(),
    }
}
