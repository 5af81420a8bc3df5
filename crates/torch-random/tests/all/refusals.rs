//! Invalid requests: each is refused with the function's name, the numbers, and what to do.

use ndarray::{Array1, Array2, array};
use std::panic::{UnwindSafe, catch_unwind};
use torch_random::{numpy, torch};

/// The message of the panic that `call` ends with.
#[track_caller]
fn panic_message(call: impl FnOnce() + UnwindSafe) -> String {
    let payload = catch_unwind(call).expect_err("the call must panic");
    let literal = payload.downcast_ref::<&str>();
    let literal = literal.map(|text| (*text).to_owned());
    literal
        .or_else(|| payload.downcast_ref().cloned())
        .expect("a message")
}

/// The message of the panic that `draw` ends with.
#[track_caller]
fn torch_says<T>(draw: impl FnOnce(&mut torch::Generator) -> T + UnwindSafe) -> String {
    panic_message(|| drop(draw(&mut torch::Generator::manual_seed(0))))
}

#[track_caller]
fn says<T>(make: impl FnOnce() -> T + UnwindSafe) -> String {
    panic_message(|| {
        make();
    })
}

#[track_caller]
fn legacy_says<T>(draw: impl FnOnce(&mut numpy::RandomState) -> T + UnwindSafe) -> String {
    panic_message(|| drop(draw(&mut numpy::RandomState::new(0))))
}

#[track_caller]
fn numpy_says<T>(draw: impl FnOnce(&mut numpy::Generator) -> T + UnwindSafe) -> String {
    panic_message(|| drop(draw(&mut numpy::default_rng(0))))
}

#[test]
fn ranges_that_are_none() {
    let wide = "uniform: high - low, 3e38 - -3e38, is infinite: choose a narrower range";
    assert_eq!(torch_says(|rng| rng.uniform(1, -3e38, 3e38)), wide);
    let message = torch_says(|rng| rng.uniform_f64(1, -1e308, 1e308));
    assert!(message.starts_with("uniform_f64: high - low, 1e308 - -1e308, is infinite"));
    assert_eq!(
        torch_says(|rng| rng.uniform(1, f32::NAN, 1.0)),
        "uniform: low is NaN and high is 1: both must be finite"
    );
    assert_eq!(
        torch_says(|rng| rng.uniform_f64(1, 0.0, f64::INFINITY)),
        "uniform_f64: low is 0 and high is inf: both must be finite"
    );
    assert_eq!(
        torch_says(|rng| rng.uniform(1, 1.0, 0.0)),
        "uniform: low 1 is above high 0"
    );
    let message = says(|| torch::Uniform::new(-3e38, 3e38));
    assert!(message.starts_with("Uniform: high - low"), "{message}");
    let message = says(|| numpy::Uniform::new(-1e308, 1e308));
    assert!(message.starts_with("Uniform: high - low"), "{message}");
    let message = legacy_says(|rng| rng.uniform(-1e308, 1e308, 1));
    assert!(message.starts_with("uniform: high - low"), "{message}");
    assert_eq!(
        legacy_says(|rng| rng.uniform(f64::NAN, 1.0, 1)),
        "uniform: low is NaN and high is 1: both must be finite"
    );
    let message = numpy_says(|rng| rng.uniform(-1e308, 1e308, 1));
    assert!(message.starts_with("uniform: high - low"), "{message}");
    assert_eq!(
        numpy_says(|rng| rng.uniform(2.0, 1.0, 1)),
        "uniform: low 2 is above high 1"
    );
}

#[test]
fn ranges_of_one_number_and_the_widest_are_drawn_from() {
    let rng = &mut torch::Generator::manual_seed(0);
    assert_eq!(rng.uniform(2, 1.5, 1.5), array![1.5, 1.5]);
    assert!(
        rng.uniform(9, f32::MIN / 2.0, f32::MAX / 2.0)
            .iter()
            .all(|number| number.is_finite())
    );
    assert_eq!(rng.randint(i64::MIN, i64::MAX, 2).len(), 2);
    // As in PyTorch, an infinite rate gives waiting times of 0.
    assert_eq!(rng.exponential(2, f64::INFINITY), array![0.0, 0.0]);
    // As in NumPy, the legacy generator accepts reversed bounds.
    let drawn = numpy::RandomState::new(0).uniform(2.0, 1.0, 9);
    assert!(drawn.iter().all(|number| (1.0..=2.0).contains(number)));
}

#[test]
fn means_and_deviations_that_are_none() {
    let std = |std: f64| torch_says(move |rng| rng.normal(1, 0.0, std));
    assert_eq!(
        std(-1.0),
        "normal: std is -1: it must be 0 or more, and finite"
    );
    assert_eq!(
        std(f64::NAN),
        "normal: std is NaN: it must be 0 or more, and finite"
    );
    assert_eq!(
        std(1e39),
        "normal: std is inf: it must be 0 or more, and finite"
    );
    assert_eq!(
        torch_says(|rng| rng.normal(20, f64::NAN, 1.0)),
        "normal: mean is NaN: it must be finite"
    );
    assert_eq!(
        torch_says(|rng| rng.normal_f64(1, f64::INFINITY, 1.0)),
        "normal_f64: mean is inf: it must be finite"
    );
    assert_eq!(
        says(|| torch::Normal::new(f64::NAN, 1.0, 3)),
        "Normal: mean is NaN: it must be finite"
    );
    assert_eq!(
        says(|| torch::Normal::new(0.0, 1.0, 0)),
        "Normal: count is 0: give the size of the array"
    );
    for scale in [-1.0, f64::NAN, f64::INFINITY] {
        let expected = format!("normal: scale is {scale}: it must be 0 or more, and finite");
        assert_eq!(legacy_says(move |rng| rng.normal(0.0, scale, 1)), expected);
        assert_eq!(numpy_says(move |rng| rng.normal(0.0, scale, 1)), expected);
        let message = legacy_says(move |rng| rng.exponential(scale, 1));
        assert!(message.starts_with("exponential: scale is"), "{message}");
    }
    assert_eq!(
        legacy_says(|rng| rng.normal(f64::NAN, 1.0, 1)),
        "normal: loc is NaN: it must be finite"
    );
    assert_eq!(
        says(|| numpy::Normal::new(f64::INFINITY, 1.0)),
        "Normal: loc is inf: it must be finite"
    );
    for rate in [0.0, -1.0, f64::NAN] {
        let expected = format!("exponential: rate is {rate}: it must be above 0");
        assert_eq!(torch_says(move |rng| rng.exponential(1, rate)), expected);
    }
}

#[test]
fn empty_ranges_of_whole_numbers() {
    let expected = |function: &str| format!("{function}: low 5 is not below high 5");
    assert_eq!(torch_says(|rng| rng.randint(5, 5, 1)), expected("randint"));
    assert_eq!(legacy_says(|rng| rng.randint(5, 5, 1)), expected("randint"));
    assert_eq!(
        numpy_says(|rng| rng.integers(5, 5, 1)),
        expected("integers")
    );
    assert_eq!(
        numpy_says(|rng| rng.integers_inclusive(5, 4, 1)),
        "integers_inclusive: low 5 is above high 4"
    );
}

#[test]
fn probabilities_that_are_none() {
    for p in [1.5, -0.5, f64::NAN] {
        let expected = |function: &str| {
            format!("{function}: p is {p}, but a probability must be between 0 and 1")
        };
        let dropped = torch_says(move |rng| rng.dropout(&Array1::<f32>::ones(2), p));
        assert_eq!(dropped, expected("dropout"));
        assert_eq!(
            torch_says(move |rng| rng.bernoulli(2, p)),
            expected("bernoulli")
        );
        let each = Array1::from_elem(2, p as f32);
        let message = torch_says(move |rng| rng.bernoulli_each(&each));
        assert_eq!(message, expected("bernoulli_each"));
    }
}

#[test]
fn categories_that_cannot_be_drawn() {
    let of = |p: [f32; 2], samples: usize| {
        torch_says(move |rng| rng.multinomial(&Array1::from(p.to_vec()), samples))
    };
    let with = |p: [f32; 2], samples: usize| {
        let message = torch_says(move |rng| {
            rng.multinomial_with_replacement(&Array1::from(p.to_vec()), samples)
        });
        message.replace("multinomial_with_replacement", "multinomial")
    };
    for says in [&of as &dyn Fn([f32; 2], usize) -> String, &with] {
        for p in [-1.0, f32::NAN, f32::INFINITY] {
            assert_eq!(
                says([p, 2.0], 1),
                format!("multinomial: a probability is {p}: it must be 0 or more, and finite")
            );
        }
        assert_eq!(
            says([1.0, 1.0], 0),
            "multinomial: samples is 0: ask for 1 or more"
        );
    }
    assert_eq!(
        of([0.0, 0.0], 1),
        "multinomial: 1 samples from 0 probabilities above 0"
    );
    assert_eq!(
        of([1.0, 0.0], 2),
        "multinomial: 2 samples from 1 probabilities above 0"
    );
    assert_eq!(
        with([0.0, 0.0], 1),
        "multinomial: none of 2 probabilities is above 0"
    );
    let message = with([3e38, 3e38], 2);
    assert!(
        message.contains("the sum of the probabilities is infinite"),
        "{message}"
    );
    let rows = array![[1.0_f32, 1.0], [0.0, 0.0]];
    let message = torch_says(move |rng| rng.multinomial_rows(&rows, 1, true));
    assert_eq!(
        message,
        "multinomial_rows: none of 2 probabilities is above 0"
    );
    let message = torch_says(|rng| rng.multinomial(&Array1::<f32>::ones((1 << 24) + 1), 1));
    assert!(
        message.starts_with("multinomial: there are 16777217 categories"),
        "{message}"
    );
}

#[test]
fn choices_that_there_are_not() {
    let more = "choice: cannot choose 4 different numbers from 3: ask for fewer, or choose with replacement";
    assert_eq!(legacy_says(|rng| rng.choice(3, 4, false)), more);
    assert_eq!(numpy_says(|rng| rng.choice(3, (2, 2), false)), more);
    let none = "choice: there are 0 numbers to choose from";
    assert_eq!(legacy_says(|rng| rng.choice(0, 1, true)), none);
    assert_eq!(numpy_says(|rng| rng.choice(0, 1, true)), none);
    assert_eq!(numpy::default_rng(0).choice(0, 0, true).len(), 0);
    let weighted = |p: Vec<f64>, samples: usize| {
        let of = Array1::from(p);
        let same = of.clone();
        let legacy = legacy_says(move |rng| rng.choice_weighted(&of, samples, false));
        let message = numpy_says(move |rng| rng.choice_weighted(&same, samples, false));
        assert_eq!(legacy, message);
        message
    };
    assert_eq!(
        weighted(vec![0.5, 0.75], 1),
        "choice_weighted: the probabilities add up to 1.25, not to 1: divide them by their sum"
    );
    assert_eq!(
        weighted(vec![-0.5, 1.5], 1),
        "choice_weighted: a probability is -0.5: it must be 0 or more"
    );
    assert_eq!(
        weighted(vec![f64::NAN, 1.0], 1),
        "choice_weighted: a probability is NaN: it must be 0 or more"
    );
    assert_eq!(
        weighted(vec![0.0, 1.0], 2),
        "choice_weighted: cannot choose 2 different numbers, only 1: all other probabilities are 0"
    );
    let message = numpy_says(|rng| rng.choice(usize::MAX, 3, true));
    assert!(message.ends_with("are more than i64 can hold"), "{message}");
    assert_eq!(
        says(|| numpy::RandomState::from_key(&[])),
        "RandomState: the key has 0 numbers: give 1 to 624"
    );
}

#[test]
fn layers_that_are_none() {
    assert_eq!(
        torch_says(|rng| rng.linear(0, 3, true)),
        "linear: a layer of 0 inputs has no weights: give it 1 or more"
    );
    assert_eq!(
        torch_says(|rng| rng.xavier_normal((0, 3), 1.0)),
        "xavier_normal: a weight of 0 outputs and 3 inputs has no numbers"
    );
    assert_eq!(
        torch_says(|rng| rng.xavier_uniform((3, 3), f64::NAN)),
        "xavier_uniform: gain is NaN: it must be 0 or more, and finite"
    );
    assert_eq!(
        torch_says(|rng| rng.kaiming_uniform((3, 3), f64::INFINITY)),
        "kaiming_uniform: a is inf: it must be finite"
    );
    assert_eq!(
        torch_says(|rng| rng.trunc_normal((2, 2), 0.0, 0.0, -1.0, 1.0)),
        "trunc_normal: std is 0: it must be above 0"
    );
    assert_eq!(
        torch_says(|rng| rng.trunc_normal((2, 2), 0.0, 1.0, 2.0, 1.0)),
        "trunc_normal: low 2 is above high 1"
    );
    // PyTorch would draw for hours.
    let message = torch_says(|rng| rng.trunc_normal((2, 2), 0.0, 1.0, 10.0, 1e6));
    assert!(
        message.contains("less than a thousandth would be kept"),
        "{message}"
    );
}

#[test]
fn a_choice_of_many_needs_memory_for_all_of_them() {
    let message = numpy_says(|rng| rng.choice(1 << 45, 1 << 44, false));
    assert!(
        message.starts_with("choice: 35184372088832 values"),
        "{message}"
    );
}

#[test]
fn what_does_not_fit_into_memory() {
    const HUGE: usize = usize::MAX;
    let large = (1_usize << 40, 1_usize << 20);
    let p = || array![0.5_f32, 0.5];
    let messages = [
        torch_says(|rng| rng.rand(HUGE)),
        torch_says(|rng| rng.randn((1 << 40, 3))),
        torch_says(|rng| rng.uniform((HUGE, HUGE), 0.0, 1.0)),
        torch_says(|rng| rng.normal(1 << 45, 0.0, 1.0)),
        torch_says(|rng| rng.rand_f64(HUGE)),
        torch_says(|rng| rng.randn_f64(HUGE)),
        torch_says(|rng| rng.uniform_f64(HUGE, 0.0, 1.0)),
        torch_says(|rng| rng.normal_f64(HUGE, 0.0, 1.0)),
        torch_says(|rng| rng.randint(0, 9, (HUGE, 0))),
        torch_says(|rng| rng.randperm(HUGE)),
        torch_says(|rng| rng.bernoulli(HUGE, 0.5)),
        torch_says(|rng| rng.exponential(HUGE, 1.0)),
        torch_says(move |rng| rng.multinomial_with_replacement(&p(), HUGE)),
        torch_says(|rng| rng.multinomial_rows(&Array2::ones((2, 2)), HUGE, true)),
        torch_says(|rng| rng.linear(1 << 40, 1 << 20, false)),
        torch_says(|rng| rng.embedding(1 << 40, 1 << 20)),
        torch_says(move |rng| rng.xavier_uniform(large, 1.0)),
        torch_says(move |rng| rng.kaiming_normal(large, 0.0)),
        torch_says(move |rng| rng.trunc_normal(large, 0.0, 1.0, -2.0, 2.0)),
        says(|| torch::Normal::new(0.0, 1.0, HUGE)),
        legacy_says(|rng| rng.rand(HUGE)),
        legacy_says(|rng| rng.random_sample(HUGE)),
        legacy_says(|rng| rng.randn(HUGE)),
        legacy_says(|rng| rng.uniform(0.0, 1.0, HUGE)),
        legacy_says(|rng| rng.normal(0.0, 1.0, HUGE)),
        legacy_says(|rng| rng.exponential(1.0, HUGE)),
        legacy_says(|rng| rng.randint(0, 9, HUGE)),
        legacy_says(|rng| rng.permutation(HUGE)),
        legacy_says(|rng| rng.choice(5, HUGE, true)),
        legacy_says(|rng| rng.choice(1 << 45, 2, false)),
        numpy_says(|rng| rng.random(HUGE)),
        numpy_says(|rng| rng.uniform(0.0, 1.0, HUGE)),
        numpy_says(|rng| rng.standard_normal(HUGE)),
        numpy_says(|rng| rng.normal(0.0, 1.0, HUGE)),
        numpy_says(|rng| rng.integers(0, 9, HUGE)),
        numpy_says(|rng| rng.integers_inclusive(0, 9, HUGE)),
        numpy_says(|rng| rng.permutation(HUGE)),
        numpy_says(|rng| rng.choice(5, HUGE, true)),
        numpy_says(|rng| rng.choice_weighted(&array![0.5, 0.5], HUGE, true)),
        numpy_says(|rng| rng.choice(1 << 45, 1 << 44, false)),
    ];
    for message in messages {
        assert!(
            message.contains(" values take ") && message.ends_with(" are free: ask for fewer"),
            "{message}"
        );
    }
}
