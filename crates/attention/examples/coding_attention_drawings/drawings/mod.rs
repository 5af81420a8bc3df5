//! The drawings of the lessons, most of them for the lessons on coding attention. The test
//! `tests/all/coding_attention_drawings.rs` uses this module, too.

mod all_words;
mod before_attention;
mod block;
mod dropout;
mod future;
mod heads;
mod journey_alone;
mod learned_steps;
mod look;
mod looking_back;
mod meaning;
mod memory;
mod numbers;
mod overview;
mod queries_keys_values;
mod raised;
mod sheet;
mod whole_block;

use numbers::Numbers;

/// Where the drawings are stored.
pub const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/coding_attention");

/// All drawings: their file names and contents.
pub fn all() -> Vec<(&'static str, String)> {
    let numbers = &Numbers::new();
    let sheets = [
        ("01_where_attention_sits.svg", overview::stages(numbers)),
        ("02_four_variants.svg", overview::four_variants(numbers)),
        ("03_word_for_word.svg", before_attention::word_for_word()),
        ("04_one_vector_for_all.svg", before_attention::one_vector()),
        ("05_looking_back.svg", looking_back::between_sentences()),
        (
            "06_self_attention.svg",
            looking_back::within_a_sentence(numbers),
        ),
        ("07_the_goal.svg", looking_back::goal(numbers)),
        ("08_scores.svg", journey_alone::scores(numbers)),
        ("09_weights.svg", journey_alone::weights(numbers)),
        ("10_weighted_sum.svg", journey_alone::weighted_sum(numbers)),
        ("11_all_weights.svg", all_words::weights(numbers)),
        ("12_all_contexts.svg", all_words::contexts(numbers)),
        (
            "13_where_learning_enters.svg",
            queries_keys_values::where_learning_enters(),
        ),
        (
            "14_query_key_value.svg",
            queries_keys_values::projections(numbers),
        ),
        ("15_query_meets_keys.svg", learned_steps::scores(numbers)),
        ("16_scaled_softmax.svg", learned_steps::weights(numbers)),
        ("17_values_mixed.svg", learned_steps::context(numbers)),
        (
            "18_the_whole_way.svg",
            queries_keys_values::whole_way(numbers),
        ),
        ("19_hidden_future.svg", future::hidden(numbers)),
        ("20_mask_after_softmax.svg", future::mask_after(numbers)),
        ("21_mask_before_softmax.svg", future::mask_before(numbers)),
        ("22_dropout.svg", dropout::dropout(numbers)),
        ("23_split_into_heads.svg", heads::split()),
        ("24_it_finds_its_noun.svg", meaning::it_finds_its_noun()),
        ("25_tiles_in_fast_memory.svg", memory::tiles()),
        ("26_a_whole_block.svg", whole_block::residual_stream()),
        ("27_norms_on_the_line.svg", whole_block::norms_on_the_line()),
    ];
    let drawn = sheets.map(|(name, sheet)| (name, sheet.svg()));
    drawn.into()
}
