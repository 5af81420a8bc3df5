//! Normal numbers from layers of equal area: nearly always, a table look-up and one product
//! suffice.
//!
//! Sources: Marsaglia and Tsang 2000, "The Ziggurat Method for Generating Random
//! Variables"; NumPy, `numpy/random/src/distributions/distributions.c`.

use super::exponential::exp;
use super::logarithm::ln_1p;
use super::ziggurat_table::LAYERS;
use ndarray_rand::rand::RngCore;

/// Where the tail begins, which belongs to the lowest layer.
const TAIL: f64 = 3.654_152_885_361_009;

/// A uniform number from the high 53 bits of a word.
pub(super) fn uniform<R: RngCore + ?Sized>(words: &mut R) -> f64 {
    (words.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// A standard normal number.
pub(super) fn normal<R: RngCore + ?Sized>(words: &mut R) -> f64 {
    loop {
        // 8 bits of a word select the layer, one the sign, and 52 the position in the layer.
        let word = words.next_u64();
        let layer = (word & 0xff) as usize;
        let place = word >> 9 & ((1 << 52) - 1);
        let (inner, width, height) = LAYERS[layer];
        let size = place as f64 * f64::from_bits(width);
        let x = if word >> 8 & 1 == 1 { -size } else { size };
        if place < inner {
            return x;
        }
        if layer == 0 {
            let beyond = tail(words);
            let negative = place >> 8 & 1 == 1;
            return if negative { -beyond } else { beyond };
        }
        let (low, high) = (f64::from_bits(height), f64::from_bits(LAYERS[layer - 1].2));
        if (high - low) * uniform(words) + low < exp(-0.5 * x * x) {
            return x;
        }
    }
}

/// A number from the tail.
fn tail<R: RngCore + ?Sized>(words: &mut R) -> f64 {
    const ONE_OVER_TAIL: f64 = 0.273_661_237_329_758_3;
    loop {
        let x = -ONE_OVER_TAIL * ln_1p(-uniform(words));
        let y = -ln_1p(-uniform(words));
        if y + y > x * x {
            return TAIL + x;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layers_have_one_area_and_reach_the_curve() {
        let end = |layer: usize| f64::from_bits(LAYERS[layer].1) * 2.0_f64.powi(52);
        let height = |layer: usize| f64::from_bits(LAYERS[layer].2);
        let curve = |x: f64| exp(-0.5 * x * x);
        assert_eq!(end(255), TAIL);
        let area = end(0) * curve(TAIL); // of the lowest layer, including the tail
        assert!((area - 0.004_928_673_233_974_65).abs() < 1e-16, "{area}");
        for (layer, &(inner, _, _)) in LAYERS.iter().enumerate().skip(1) {
            let off = (height(layer) - curve(end(layer))).abs();
            assert!(off < 1e-14, "layer {layer}: height off by {off:e}");
            let off = (end(layer) * (height(layer - 1) - height(layer)) - area).abs();
            assert!(off < 1e-14, "layer {layer}: area off by {off:e}");
            let above = if layer == 1 { 0.0 } else { end(layer - 1) };
            let expected = above / end(layer) * 2.0_f64.powi(52);
            let off = (inner as f64 - expected).abs();
            assert!(off < 16.0, "layer {layer}: inner part off by {off}");
        }
        assert!((LAYERS[0].0 as f64 / 2.0_f64.powi(52) * end(0) - TAIL).abs() < 1e-14);
    }
}
