//! Tests of the public API, one file per topic. `memory.rs`, beside this folder, is a program of
//! its own because it measures the whole process.

mod coding_attention_drawings;
mod common;
mod errors;
mod figures;
mod flash;
mod flash_large_scores;
mod gradients;
mod heatmap;
mod language_models;
mod layers;
mod lesson_01;
mod lesson_02;
mod lesson_03;
mod lesson_04;
mod lesson_05;
mod limits;
mod minilm;
mod minilm_fields;
mod model_views;
mod not_finite;
mod png;
mod properties;
mod steps;
mod tables;
mod training;
mod translator;
mod translator_experiments;
mod word_piece;
mod writer;
mod wrong_input;
