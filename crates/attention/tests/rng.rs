//! The random streams, bit for bit: see `golden/README.md`.

mod common;

use attention::ndarray::{Array, Array1, Array2, Dimension};
use attention::ndarray_rand::RandomExt;
use attention::ndarray_rand::rand::RngCore;
use attention::rng::{numpy, torch};
use attention::softmax;
use common::panic_message;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

fn vectors() -> Value {
    serde_json::from_str(include_str!("golden/rng_vectors.json")).expect("JSON")
}

/// Every call of the golden groups: the groups' generators are seeded once, and
/// the calls share them.
#[track_caller]
fn check_calls<G>(
    groups: &str,
    seeded: impl Fn(u64) -> G,
    call: impl Fn(&mut G, &str, &Value) -> Value,
    expected_calls: usize,
) {
    let mut calls = 0;
    for group in vectors()[groups].as_array().expect("groups") {
        let seed = group["seed"].as_u64().expect("a seed");
        let mut generator = seeded(seed);
        for (number, golden) in group["calls"].as_array().expect("calls").iter().enumerate() {
            let op = golden["op"].as_str().expect("a name");
            let args = &golden["args"];
            let drawn = call(&mut generator, op, args);
            assert!(
                drawn == golden["out"],
                "seed {seed}, call {number}: {op}{args} differs"
            );
            calls += 1;
        }
    }
    assert_eq!(calls, expected_calls);
}

fn bits<D: Dimension>(numbers: Array<f32, D>) -> Value {
    numbers
        .iter()
        .map(|number| format!("{:08x}", number.to_bits()))
        .collect()
}

fn bits_of_f64(numbers: Array1<f64>) -> Value {
    numbers
        .iter()
        .map(|number| format!("{:016x}", number.to_bits()))
        .collect()
}

fn whole(numbers: Array1<i64>) -> Value {
    numbers.to_vec().into()
}

#[test]
fn every_call_of_pytorch() {
    let call = |rng: &mut torch::Generator, op: &str, args: &Value| {
        let count = |index: usize| args[index].as_u64().expect("a count") as usize;
        let number = |index: usize| args[index].as_f64().expect("a number");
        let int = |index: usize| args[index].as_i64().expect("an integer");
        match op {
            "rand" => bits(rng.rand(count(0))),
            "randn" => bits(rng.randn(count(0))),
            "uniform" => bits(rng.uniform(count(0), number(1) as f32, number(2) as f32)),
            "normal" => bits(rng.normal(count(0), number(1), number(2))),
            "randint" => whole(rng.randint(int(0), int(1), count(2))),
            "randperm" => whole(rng.randperm(count(0))),
            "bernoulli" => rng
                .bernoulli(count(0), number(1))
                .iter()
                .map(|&coin| coin as i64)
                .collect(),
            "dropout_ones" => bits(rng.dropout(&Array1::ones(count(0)), number(1))),
            "exponential" => bits(rng.exponential(count(0), number(1))),
            "Linear" => {
                let (weight, bias) = rng.linear(count(0), count(1), true);
                let bias = bits(bias.expect("a bias"));
                // Of large weights the golden file has the beginning.
                match bits(weight) {
                    Value::Array(weight) if weight.len() > 16 => {
                        json!({ "weight_first8": &weight[..8], "bias": bias })
                    }
                    weight => json!({ "weight": weight, "bias": bias }),
                }
            }
            "Embedding" => bits(rng.embedding(count(0), count(1))),
            "LayerNorm" => json!("draws nothing"),
            "multinomial1" => {
                let logits: Array1<f32> = (0..65).map(|i| 0.11 * i as f32).collect();
                let probabilities = softmax(&logits);
                let draws = args["n"].as_u64().expect("a count");
                (0..draws)
                    .map(|_| rng.multinomial(&probabilities, 1)[0])
                    .collect()
            }
            _ => panic!("an unknown call: {op}"),
        }
    };
    check_calls("torch_groups", torch::Generator::manual_seed, call, 180);
}

#[test]
fn every_call_of_numpy() {
    let call = |rng: &mut numpy::RandomState, op: &str, args: &Value| {
        let count = |index: usize| args[index].as_u64().expect("a count") as usize;
        let number = |index: usize| args[index].as_f64().expect("a number");
        let int = |index: usize| args[index].as_i64().expect("an integer");
        match op {
            "rand" => bits_of_f64(rng.rand(count(0))),
            "randn" => bits_of_f64(rng.randn(count(0))),
            "normal" => bits_of_f64(rng.normal(number(1), number(2), count(0))),
            "uniform" => bits_of_f64(rng.uniform(number(1), number(2), count(0))),
            "randint" => whole(rng.randint(int(0), int(1), count(2))),
            "permutation" => whole(rng.permutation(count(0))),
            "shuffle" => {
                let mut items: Vec<i64> = (0..int(0)).collect();
                rng.shuffle(&mut items);
                items.into()
            }
            _ => panic!("an unknown call: {op}"),
        }
    };
    let seeded = |seed: u64| numpy::RandomState::new(seed as u32);
    check_calls("numpy_groups", seeded, call, 60);
}

#[test]
fn three_million_normals_of_lesson_000() {
    // >>> torch.manual_seed(74); x = torch.randn(32, 256, 384)
    // >>> hashlib.sha256(x.numpy().tobytes()).hexdigest()
    let x = torch::Generator::manual_seed(74).randn((32, 256, 384));
    let bytes: Vec<u8> = x.iter().flat_map(|number| number.to_le_bytes()).collect();
    let hash: String = Sha256::digest(&bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!(
        hash,
        "d3280d1f6ba055b12e5e9a97077a36a040d37511fa8cefc6a92ebe9d1c553a6e"
    );
}

#[test]
fn only_the_low_half_of_a_seed_counts_in_pytorch() {
    let first = |seed: u64| torch::Generator::manual_seed(seed).rand(4);
    assert_eq!(first(5), first((1 << 32) + 5));
    assert_ne!(first(5), first(6));
}

#[test]
fn the_spare_normal_survives_other_calls() {
    let mut rng = torch::Generator::manual_seed(42);
    let pair = rng.clone().randn(2);
    let first = rng.randn(1);
    rng.rand(3);
    rng.randn(16); // a block neither uses nor leaves a spare one
    assert_eq!([first[0], rng.randn(1)[0]], [pair[0], pair[1]]);

    let mut rng = numpy::RandomState::new(42);
    let pair = rng.clone().randn(2);
    assert_eq!([rng.randn(1)[0], rng.randn(1)[0]], [pair[0], pair[1]]);
}

#[test]
fn a_key_of_numbers_seeds_numpy_too() {
    // >>> np.random.RandomState([1, 2, 3]).randint(0, 1000, 5)
    let drawn = numpy::RandomState::from_key(&[1, 2, 3]).randint(0, 1000, 5);
    assert_eq!(drawn.to_vec(), [606, 153, 963, 93, 69]);
    // >>> np.random.RandomState(7).exponential(2.0, 2)
    let drawn = numpy::RandomState::new(7).exponential(2.0, 2);
    assert_eq!(drawn.to_vec(), [0.15875381904288902, 3.0275173491175735]);
}

#[test]
fn arrays_of_the_crate_rand_get_the_same_numbers() {
    let shape = (5, 7); // 35 numbers: two blocks and an overlapping one
    let seeded = || torch::Generator::manual_seed(123);
    let uniform = torch::Uniform::new(-0.3, 0.7);
    let drawn = Array2::random_using(shape, uniform, &mut seeded());
    assert_eq!(drawn, seeded().uniform(shape, -0.3, 0.7));
    let drawn = Array2::random_using(shape, torch::Normal::new(1.5, 0.02, 35), &mut seeded());
    assert_eq!(drawn, seeded().normal(shape, 1.5, 0.02));
    let drawn = Array2::random_using((2, 3), torch::Normal::new(0.0, 1.0, 6), &mut seeded());
    assert_eq!(drawn, seeded().randn((2, 3)));

    let seeded = || numpy::RandomState::new(42);
    let drawn = Array2::random_using(shape, numpy::Uniform::new(-2.0, 3.0), &mut seeded());
    assert_eq!(drawn, seeded().uniform(-2.0, 3.0, shape));
    let drawn = Array2::random_using(shape, numpy::Normal::new(1.5, 0.3), &mut seeded());
    assert_eq!(drawn, seeded().normal(1.5, 0.3, shape));
}

#[test]
fn both_are_generators_of_raw_words() {
    let mut torch = torch::Generator::manual_seed(5489);
    let mut numpy = numpy::RandomState::new(5489);
    // The first word of MT19937 with its default seed.
    assert_eq!([torch.next_u32(), numpy.next_u32()], [3_499_211_612; 2]);
    assert_eq!(torch.next_u64(), numpy.next_u64());
    let mut bytes = [0; 7];
    torch.fill_bytes(&mut bytes);
    assert_eq!(bytes[..4], numpy.next_u32().to_le_bytes());
}

#[test]
fn several_samples_are_different_categories() {
    let probabilities = Array1::from(vec![0.5_f32, 0.0, 0.25, 0.25]);
    for seed in 0..20 {
        let mut drawn = torch::Generator::manual_seed(seed)
            .multinomial(&probabilities, 3)
            .to_vec();
        drawn.sort_unstable();
        assert_eq!(drawn, [0, 2, 3], "seed {seed}");
    }
}

#[test]
fn dropout_without_chance_draws_nothing() {
    let mut rng = torch::Generator::manual_seed(1);
    let before = rng.clone();
    let x = Array1::from(vec![1.0_f32, 2.0]);
    assert_eq!(rng.dropout(&x, 0.0), x);
    assert_eq!(rng.dropout(&x, 1.0).to_vec(), [0.0, 0.0]);
    assert_eq!(rng, before);
}

/// The message of the panic that `draw` ends with.
#[track_caller]
fn refusal<T>(draw: impl FnOnce(&mut torch::Generator) -> T + std::panic::UnwindSafe) -> String {
    panic_message(|| drop(draw(&mut torch::Generator::manual_seed(0))))
}

#[test]
fn what_cannot_be_drawn_is_refused_with_its_numbers() {
    let ones = Array1::<f32>::ones(2);
    assert_eq!(
        refusal(|rng| rng.dropout(&Array1::<f32>::ones(2), 1.5)),
        "dropout: p is 1.5, but a probability is from 0 to 1"
    );
    assert_eq!(
        refusal(|rng| rng.bernoulli(2, f64::NAN)),
        "bernoulli: p is NaN, but a probability is from 0 to 1"
    );
    assert_eq!(
        refusal(|rng| rng.bernoulli_each(&(Array1::<f32>::ones(2) * 2.0))),
        "bernoulli_each: p is 2, but a probability is from 0 to 1"
    );
    assert_eq!(
        refusal(|rng| rng.randint(5, 5, 1)),
        "randint: low 5 is not below high 5"
    );
    assert!(refusal(|rng| rng.uniform(1, 1.0, 0.0)).starts_with("uniform: low 1 is above high 0"));
    assert_eq!(
        refusal(|rng| rng.normal(1, 0.0, -1.0)),
        "normal: std is -1: it must be 0 or more"
    );
    assert_eq!(
        refusal(|rng| rng.exponential(1, 0.0)),
        "exponential: rate is 0: it must be above 0"
    );
    assert_eq!(
        refusal(move |rng| rng.multinomial(&ones, 3)),
        "multinomial: 3 samples from 2 probabilities above 0"
    );
    assert_eq!(
        refusal(|rng| rng.multinomial(&Array1::from(vec![-1.0, 2.0]), 1)),
        "multinomial: a probability is -1: it must be 0 or more"
    );
    assert_eq!(
        refusal(|_| numpy::RandomState::from_key(&[])),
        "RandomState: the key has 0 numbers: give 1 to 624"
    );
    assert_eq!(
        refusal(|_| numpy::RandomState::new(0).randint(1, 0, 1)),
        "randint: low 1 is not below high 0"
    );
    assert_eq!(
        refusal(|_| numpy::RandomState::new(0).normal(0.0, -1.0, 1)),
        "normal: scale is -1: it must be 0 or more"
    );
}
