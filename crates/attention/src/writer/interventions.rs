//! Changes to the model for experiments.

use std::fmt;
use std::sync::Arc;

/// Whether a query may look at a key, both given as places in the text, counted from 0.
type MayLook = Arc<dyn Fn(usize, usize) -> bool + Send + Sync>;
/// Maps the place of a token to the position by which its query and key are rotated.
type PositionOf = Arc<dyn Fn(usize) -> usize + Send + Sync>;

/// The changes made to a model.
#[derive(Clone, Default)]
pub(super) struct Interventions {
    /// Heads that contribute zeros, each as (layer, head).
    pub off: Vec<(usize, usize)>,
    pub may_look: Option<MayLook>,
    pub position_of: Option<PositionOf>,
}

impl Interventions {
    pub fn is_off(&self, layer: usize, head: usize) -> bool {
        self.off.contains(&(layer, head))
    }

    /// Sets to -inf the scores of the keys that the query at this place may not look at. A query
    /// may always look at itself, so that its weights can sum to 1.
    pub fn hide_keys(&self, query: usize, scores: &mut [f32]) {
        if let Some(may_look) = &self.may_look {
            for (key, score) in scores.iter_mut().enumerate() {
                if key != query && !may_look(query, key) {
                    *score = f32::NEG_INFINITY;
                }
            }
        }
    }

    pub fn position(&self, place: usize) -> usize {
        let position_of = self.position_of.as_ref();
        position_of.map_or(place, |position_of| position_of(place))
    }
}

impl fmt::Debug for Interventions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (looks, positions) = (self.may_look.is_some(), self.position_of.is_some());
        f.debug_struct("Interventions")
            .field("off", &self.off)
            .field("hides keys", &looks)
            .field("changes positions", &positions)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_keys_get_no_score_except_the_querys_own() {
        let mut interventions = Interventions::default();
        let mut scores = [1.0, 2.0, 3.0];
        interventions.hide_keys(2, &mut scores);
        assert_eq!(scores, [1.0, 2.0, 3.0]);
        interventions.may_look = Some(Arc::new(|_, key| key == 0));
        interventions.hide_keys(2, &mut scores);
        assert_eq!(scores, [1.0, f32::NEG_INFINITY, 3.0]);
    }
}
