//! The project: a model that beats counting.

use exercises::AnswerState;
use exercises::prelude::*;

fn model(mixing: Mixing) -> LanguageModel {
    let config = Config {
        vocabulary: 65,
        context: 8,
        width: 32,
        mixing,
    };
    LanguageModel::new(config, &mut torch::Generator::manual_seed(1))
}

fn trained(mixing: Mixing, steps: usize, text: &Text) -> LanguageModel {
    let mut rng = torch::Generator::manual_seed(2);
    let mut training = Training::new(model(mixing), 64, 3e-3);
    training
        .run(&text.train, steps, &mut rng)
        .expect("it learns");
    training.model
}

#[test]
fn a_model_is_judged_by_what_it_has_not_seen() {
    let text = Text::load("../../assets/tinyshakespeare.txt").expect("the text");
    let untrained = check::beat_the_bigram(&model(Mixing::None), &text);
    assert_eq!(untrained.state(), AnswerState::NotAttempted, "{untrained}");

    let counting = check::beat_the_bigram(&trained(Mixing::None, 300, &text), &text);
    assert!(
        counting
            .to_string()
            .contains("counting pairs is still better"),
        "{counting}"
    );

    let cheating = check::beat_the_bigram(&trained(Mixing::Average, 300, &text), &text);
    assert!(
        cheating
            .to_string()
            .contains("sees the character it is supposed to predict"),
        "{cheating}"
    );

    let attention = Mixing::Attention {
        blocks: 1,
        heads: 2,
    };
    let better = check::beat_the_bigram(&trained(attention, 1500, &text), &text);
    assert!(better.is_right(), "{better}");
}
