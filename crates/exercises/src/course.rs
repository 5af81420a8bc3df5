//! The course: all exercises and predictions, in teaching order, each listed once.

use crate::attention_that_learns;
use crate::coding_attention;
use crate::entry::Entry;
use crate::flash_attention;
use crate::from_scratch;
use crate::language_model;
use crate::model_that_writes;
use crate::prediction::{JudgedPrediction, Prediction};
use crate::scaled_dot_product;
use crate::trained_model;
use crate::translation;
use crate::what_the_heads_do;
use crate::who_attends_to_whom;
use attention::prelude::*;

/// All exercises, in teaching order.
pub fn exercises() -> &'static [&'static dyn Entry] {
    COURSE.exercises
}

/// All predictions, in teaching order.
pub fn predictions() -> &'static [&'static Prediction] {
    COURSE.predictions
}

/// Judges a guess for the prediction with this name; returns `None` if there is no such prediction.
///
/// ```
/// let judged = exercises::predicted("attended_most", "journey").expect("a prediction");
/// assert!(judged.is_right());
/// assert!(exercises::predicted("the_weather", "rain").is_none());
/// ```
pub fn predicted(name: &str, guess: &str) -> Option<JudgedPrediction> {
    let mut all = predictions().iter();
    let prediction = all.find(|prediction| prediction.name == name)?;
    Some(COURSE.predict(prediction, &guess))
}

crate::course! {
    exercises {
        dot_product: fn(&Array1<f32>, &Array1<f32>) -> f32 = coding_attention::dot_product::EXERCISE;
        scores: fn(&Array1<f32>, &Array2<f32>) -> Array1<f32> = coding_attention::scores::EXERCISE;
        cosine: fn(&Array1<f32>, &Array1<f32>) -> f32 = coding_attention::cosine::EXERCISE;
        softmax: fn(&Array1<f32>) -> Array1<f32> = coding_attention::softmax::EXERCISE;
        context: fn(&Array1<f32>, &Array2<f32>) -> Array1<f32> = coding_attention::context::EXERCISE;
        weights: fn(&Array2<f32>) -> Array2<f32> = coding_attention::weights::EXERCISE;
        projections: fn(&Array2<f32>, [&Array2<f32>; 3]) -> (Array2<f32>, Array2<f32>, Array2<f32>) =
            attention_that_learns::projections::EXERCISE;
        scaled_weights: fn(&Array2<f32>, &Array2<f32>) -> Array2<f32> =
            attention_that_learns::scaled_weights::EXERCISE;
        causal_mask: fn(usize) -> Array2<bool> = attention_that_learns::causal_mask::EXERCISE;
        masked_weights: fn(&Array2<f32>, &Array2<bool>) -> Array2<f32> =
            attention_that_learns::masked_weights::EXERCISE;
        bug_causal_weights: fn(&Array2<f32>, &Array2<f32>) -> Array2<f32> =
            attention_that_learns::bug_causal_weights::EXERCISE;
        dropout: fn(&Array2<f32>, &Array2<bool>, f32) -> Array2<f32> =
            attention_that_learns::dropout::EXERCISE;
        split_heads: fn(&Array2<f32>, usize) -> Array3<f32> = attention_that_learns::split_heads::EXERCISE;
        join_heads: fn(&Array3<f32>) -> Array2<f32> = attention_that_learns::join_heads::EXERCISE;
        multi_head: fn(&Array2<f32>, &Array2<f32>, &Array2<f32>, usize) -> Array2<f32> =
            attention_that_learns::multi_head::EXERCISE;
        favourite: fn(&Array2<f64>, usize) -> usize = who_attends_to_whom::favourite::EXERCISE;
        popularity: fn(&Array2<f64>) -> Array1<f64> = who_attends_to_whom::popularity::EXERCISE;
        renormalised: fn(&Array2<f64>, &Array2<bool>) -> Array2<f64> =
            who_attends_to_whom::renormalised::EXERCISE;
        cross_attention: fn(&Array2<f64>, &Array2<f64>, [&Array2<f64>; 3]) -> Array2<f64> =
            who_attends_to_whom::cross_attention::EXERCISE;
        divisor: fn(usize, f64, f64) -> f64 = scaled_dot_product::divisor::EXERCISE;
        additive_mask: fn(&Array2<bool>) -> Array2<f64> = scaled_dot_product::additive_mask::EXERCISE;
        attention: fn(&Array2<f64>, &Array2<f64>, &Array2<f64>, &Array2<f64>) -> Array2<f64> =
            scaled_dot_product::attention::EXERCISE;
        bug_scaled: fn(&Array2<f64>, &Array2<f64>, &Array2<f64>) -> Array2<f64> =
            scaled_dot_product::bug_scaled::EXERCISE;
        softmax_backward: fn(&Array2<f64>, &Array2<f64>) -> Array2<f64> =
            scaled_dot_product::softmax_backward::EXERCISE;
        score_gradients: fn(&Array2<f64>, &Array2<f64>, &Array2<f64>) -> (Array2<f64>, Array2<f64>) =
            scaled_dot_product::score_gradients::EXERCISE;
        average_by_loop: fn(&Array2<f32>) -> Array2<f32> = from_scratch::average_by_loop::EXERCISE;
        averaging_weights: fn(usize) -> Array2<f32> = from_scratch::averaging_weights::EXERCISE;
        fading_scores: fn(usize) -> Array2<f32> = from_scratch::fading_scores::EXERCISE;
        reach: fn(usize, usize, usize) -> usize = from_scratch::reach::EXERCISE;
        bug_running_sum: fn(&Array2<f32>) -> Array2<f32> = from_scratch::bug_running_sum::EXERCISE;
        cross_entropy: fn(&Array2<f32>, &[usize]) -> f32 = language_model::cross_entropy::EXERCISE;
        inputs_and_targets: fn(&[usize], usize, usize) -> (Vec<usize>, Vec<usize>) =
            language_model::inputs_and_targets::EXERCISE;
        sample: fn(&Array1<f32>, f32) -> usize = language_model::sample::EXERCISE;
        adamw_step: fn(f32, f32, (f32, f32), i32) -> (f32, f32, f32) =
            language_model::adamw_step::EXERCISE;
        bigram_counts: fn(&[usize], usize) -> Array2<f32> = language_model::bigram_counts::EXERCISE;
        => beat_the_bigram(model: &LanguageModel, text: &Text) in language_model;
        embedded: fn(&[usize], &Array2<f32>, &Array2<f32>) -> Array2<f32> =
            language_model::embedded::EXERCISE;
        layer_norm: fn(&Array2<f32>, &Array1<f32>, &Array1<f32>) -> Array2<f32> =
            language_model::layer_norm::EXERCISE;
        feed_forward: fn(&Array2<f32>, [&Array2<f32>; 2], [&Array1<f32>; 2]) -> Array2<f32> =
            language_model::feed_forward::EXERCISE;
        block: fn(&LanguageModel, usize, &Array2<f32>) -> Array2<f32> = language_model::block::EXERCISE;
        transformer: fn(&LanguageModel, &[usize]) -> Array2<f32> =
            language_model::transformer::EXERCISE;
        write: fn(&LanguageModel, &[usize], usize) -> Vec<usize> = language_model::write::EXERCISE;
        correction: fn((f32, f32), f32) -> (f32, f32) = flash_attention::correction::EXERCISE;
        running_context: fn(&Array1<f32>, &Array2<f32>) -> Array1<f32> =
            flash_attention::running_context::EXERCISE;
        flash_tile: fn(
            &Array2<f32>,
            &Array2<f32>,
            (&Array2<f32>, &Array2<f32>, &Array2<f32>),
        ) -> (Array2<f32>, Array2<f32>, Array2<f32>) = flash_attention::flash_tile::EXERCISE;
        visited_tiles: fn(usize, usize) -> usize = flash_attention::visited_tiles::EXERCISE;
        recomputed_weights: fn(&Array2<f32>, &Array1<f32>) -> Array2<f32> =
            flash_attention::recomputed_weights::EXERCISE;
        looks_ahead: fn(&Array2<f32>) -> f32 = trained_model::looks_ahead::EXERCISE;
        strongest_head: fn(&Array4<f32>) -> (usize, usize) = trained_model::strongest_head::EXERCISE;
        resting: fn(&Array2<f32>) -> f32 = trained_model::resting::EXERCISE;
        without_head: fn(&Array3<f32>, usize) -> Array2<f32> = trained_model::without_head::EXERCISE;
        sentence_vector: fn(&Array2<f32>) -> Array1<f32> = trained_model::sentence_vector::EXERCISE;
        cross_weights: fn(&Array2<f32>, &Array2<f32>) -> Array2<f32> = translation::cross_weights::EXERCISE;
        memory_step: fn(&Array1<f32>, &Array1<f32>, &Array1<f32>) -> (Array1<f32>, Array1<f32>) = translation::memory_step::EXERCISE;
        greedy: fn(&Array1<f32>, &Array3<f32>) -> Vec<usize> = translation::greedy::EXERCISE;
        places_alike: fn(usize, usize, usize) -> f64 = translation::places_alike::EXERCISE;
        top_k: fn(&Array1<f32>, usize, f32) -> Array1<f32> = model_that_writes::top_k::EXERCISE;
        cache_step: fn(&Array2<f32>, &Array2<f32>, &Array2<f32>, &Array2<f32>, &Array2<f32>) -> Array2<f32> =
            model_that_writes::cache_step::EXERCISE;
        rotated: fn(&Array1<f32>, usize) -> Array1<f32> = model_that_writes::rotated::EXERCISE;
        copying: fn(&Array2<f32>, usize) -> f32 = what_the_heads_do::copying::EXERCISE;
    }
    predictions {
        attended_most = coding_attention::predictions::ATTENDED_MOST;
        overflowing_score = coding_attention::predictions::OVERFLOWING_SCORE;
        shifted_scores = coding_attention::predictions::SHIFTED_SCORES;
        weights_symmetric = coding_attention::predictions::WEIGHTS_SYMMETRIC;
        words_reversed = coding_attention::predictions::WORDS_REVERSED;
        query_of_a_repeated_word = attention_that_learns::predictions::QUERY_OF_A_REPEATED_WORD;
        loss_without_a_mask = attention_that_learns::predictions::LOSS_WITHOUT_A_MASK;
        first_word_alone = attention_that_learns::predictions::FIRST_WORD_ALONE;
        kept_weight = attention_that_learns::predictions::KEPT_WEIGHT;
        work_of_two_heads = attention_that_learns::predictions::WORK_OF_TWO_HEADS;
        arriving_in_all = who_attends_to_whom::predictions::ARRIVING_IN_ALL;
        unchanged_by_the_mask = who_attends_to_whom::predictions::UNCHANGED_BY_THE_MASK;
        mask_for_reading = who_attends_to_whom::predictions::MASK_FOR_READING;
        one_more_to_read = who_attends_to_whom::predictions::ONE_MORE_TO_READ;
        variance_of_scores = scaled_dot_product::predictions::VARIANCE_OF_SCORES;
        variance_when_scaled = scaled_dot_product::predictions::VARIANCE_WHEN_SCALED;
        lead_of_one = scaled_dot_product::predictions::LEAD_OF_ONE;
        row_without_keys = scaled_dot_product::predictions::ROW_WITHOUT_KEYS;
        ones_and_zeros = scaled_dot_product::predictions::ONES_AND_ZEROS;
        weights_without_the_mask = scaled_dot_product::predictions::WEIGHTS_WITHOUT_THE_MASK;
        average_of_noise = from_scratch::predictions::AVERAGE_OF_NOISE;
        most_used_token = from_scratch::predictions::MOST_USED_TOKEN;
        other_order = from_scratch::predictions::OTHER_ORDER;
        texts_joined = from_scratch::predictions::TEXTS_JOINED;
        leaks_to_the_past = from_scratch::predictions::LEAKS_TO_THE_PAST;
        work_of_the_table = from_scratch::predictions::WORK_OF_THE_TABLE;
        sure_and_wrong = language_model::predictions::SURE_AND_WRONG;
        cost_of_guessing = language_model::predictions::COST_OF_GUESSING;
        untrained_loss = language_model::predictions::UNTRAINED_LOSS;
        bigram_by_position = language_model::predictions::BIGRAM_BY_POSITION;
        does_averaging_write = language_model::predictions::DOES_AVERAGING_WRITE;
        symmetric_favourite = language_model::predictions::SYMMETRIC_FAVOURITE;
        most_of_the_parameters = language_model::predictions::MOST_OF_THE_PARAMETERS;
        lengths_that_cross = flash_attention::predictions::LENGTHS_THAT_CROSS;
        traffic = flash_attention::predictions::TRAFFIC;
        factor_at_the_start = flash_attention::predictions::FACTOR_AT_THE_START;
        factor_at_four = flash_attention::predictions::FACTOR_AT_FOUR;
        tiles_with_a_mask = flash_attention::predictions::TILES_WITH_A_MASK;
        is_it_exact = flash_attention::predictions::IS_IT_EXACT;
        kept_for_training = flash_attention::predictions::KEPT_FOR_TRAINING;
        flash_when_doubled = flash_attention::predictions::FLASH_WHEN_DOUBLED;
        same_word_twice = trained_model::predictions::SAME_WORD_TWICE;
        most_even_layer = trained_model::predictions::MOST_EVEN_LAYER;
        habit_elsewhere = trained_model::predictions::HABIT_ELSEWHERE;
        where_it_rests = trained_model::predictions::WHERE_IT_RESTS;
        when_it_is_wide = trained_model::predictions::WHEN_IT_IS_WIDE;
        heads_that_matter = trained_model::predictions::HEADS_THAT_MATTER;
        closest_sentences = trained_model::predictions::CLOSEST_SENTENCES;
        looks_for_azul = translation::predictions::LOOKS_FOR_AZUL;
        only_car = translation::predictions::ONLY_CAR;
        without_the_dictionary = translation::predictions::WITHOUT_THE_DICTIONARY;
        cow_begun = translation::predictions::COW_BEGUN;
        always_the_best = model_that_writes::predictions::ALWAYS_THE_BEST;
        long_tail = model_that_writes::predictions::LONG_TAIL;
        shuffled_past = what_the_heads_do::predictions::SHUFFLED_PAST;
        hidden_token = what_the_heads_do::predictions::HIDDEN_TOKEN;
        five_heads_off = what_the_heads_do::predictions::FIVE_HEADS_OFF;
        it_cannot_know = what_the_heads_do::predictions::IT_CANNOT_KNOW;
        wrong_examples = what_the_heads_do::predictions::WRONG_EXAMPLES;
    }
}
