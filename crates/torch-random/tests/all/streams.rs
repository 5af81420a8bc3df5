//! The random streams, bit for bit: see `golden/README.md`.

use ndarray::{Array, Array1, Array2, Dimension};
use ndarray_rand::RandomExt;
use ndarray_rand::rand::RngCore;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use torch_random::{numpy, torch};

fn vectors() -> Value {
    serde_json::from_str(include_str!("../golden/rng_vectors.json")).expect("JSON")
}

/// Checks every call in the golden groups. Each group's generator is seeded once and shared by
/// its calls.
#[track_caller]
fn check_calls<G>(
    groups: &str,
    seeded: impl Fn(u64) -> G,
    call: impl Fn(&mut G, &str, &Value) -> Value,
    expected_calls: usize,
) {
    let mut calls = 0;
    let mut different = Vec::new();
    for group in vectors()[groups].as_array().expect("groups") {
        let seed = group["seed"].as_u64().expect("a seed");
        let mut generator = seeded(seed);
        for (number, golden) in group["calls"].as_array().expect("calls").iter().enumerate() {
            let op = golden["op"].as_str().expect("a name");
            let args = &golden["args"];
            let drawn = call(&mut generator, op, args);
            if drawn != golden["out"] {
                different.push(format!("seed {seed}, call {number}: {op}{args}"));
            }
            calls += 1;
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
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

/// The SHA-256 of numbers' little-endian bytes.
fn sha256<A: Copy, const N: usize>(numbers: &[A], bytes: impl Fn(A) -> [u8; N]) -> String {
    let bytes: Vec<u8> = numbers.iter().flat_map(|&number| bytes(number)).collect();
    let hash = Sha256::digest(&bytes);
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The arguments of a call.
struct Args<'a>(&'a Value);

impl Args<'_> {
    fn count(&self, index: usize) -> usize {
        self.0[index].as_u64().expect("a count") as usize
    }

    fn number(&self, index: usize) -> f64 {
        self.0[index].as_f64().expect("a number")
    }

    fn int(&self, index: usize) -> i64 {
        self.0[index].as_i64().expect("an integer")
    }

    fn flag(&self, index: usize) -> bool {
        self.0[index].as_bool().expect("true or false")
    }

    fn shape(&self, index: usize) -> (usize, usize) {
        let shape = Args(&self.0[index]);
        (shape.count(0), shape.count(1))
    }

    fn list(&self, index: usize) -> Array1<f64> {
        numbers_of(&self.0[index])
    }

    fn rows(&self, index: usize) -> Array2<f32> {
        let rows = self.0[index].as_array().expect("rows");
        let numbers = rows.iter().flat_map(numbers_of).map(|p| p as f32);
        let shape = (rows.len(), numbers_of(&rows[0]).len());
        Array2::from_shape_vec(shape, numbers.collect()).expect("rows of one length")
    }
}

fn numbers_of(list: &Value) -> Array1<f64> {
    let numbers = list.as_array().expect("a list").iter();
    numbers
        .map(|number| number.as_f64().expect("a number"))
        .collect()
}

fn call_pytorch(rng: &mut torch::Generator, op: &str, args: &Value) -> Value {
    let a = Args(args);
    let list = |index| a.list(index).mapv(|p| p as f32);
    match op {
        "rand" => bits(rng.rand(a.count(0))),
        "randn" => bits(rng.randn(a.count(0))),
        "uniform" => bits(rng.uniform(a.count(0), a.number(1) as f32, a.number(2) as f32)),
        "normal" => bits(rng.normal(a.count(0), a.number(1), a.number(2))),
        "rand_f64" => bits_of_f64(rng.rand_f64(a.count(0))),
        "randn_f64" => bits_of_f64(rng.randn_f64(a.count(0))),
        "uniform_f64" => bits_of_f64(rng.uniform_f64(a.count(0), a.number(1), a.number(2))),
        "normal_f64" => bits_of_f64(rng.normal_f64(a.count(0), a.number(1), a.number(2))),
        "randn_f64 sha256" => {
            json!(sha256(
                &rng.randn_f64(a.count(0)).to_vec(),
                f64::to_le_bytes
            ))
        }
        "pairs_f64 sha256" => {
            let pairs: Vec<f64> = (0..a.count(0)).flat_map(|_| rng.randn_f64(2)).collect();
            json!(sha256(&pairs, f64::to_le_bytes))
        }
        "randint" => whole(rng.randint(a.int(0), a.int(1), a.count(2))),
        "randperm" => whole(rng.randperm(a.count(0))),
        "bernoulli" => rng
            .bernoulli(a.count(0), a.number(1))
            .iter()
            .map(|&coin| coin as i64)
            .collect(),
        "dropout_ones" => bits(rng.dropout(&Array1::ones(a.count(0)), a.number(1))),
        "exponential" => bits(rng.exponential(a.count(0), a.number(1))),
        "exponential sha256" => {
            let drawn = rng.exponential(a.count(0), a.number(1)).to_vec();
            json!(sha256(&drawn, f32::to_le_bytes))
        }
        "Linear" => {
            let (weight, bias) = rng.linear(a.count(0), a.count(1), true);
            let bias = bits(bias.expect("a bias"));
            // For large weights, the golden file contains only the beginning.
            match bits(weight) {
                Value::Array(weight) if weight.len() > 16 => {
                    json!({ "weight_first8": &weight[..8], "bias": bias })
                }
                weight => json!({ "weight": weight, "bias": bias }),
            }
        }
        "Embedding" => bits(rng.embedding(a.count(0), a.count(1))),
        "LayerNorm" => json!("draws nothing"),
        "xavier_uniform" => bits(rng.xavier_uniform(a.shape(0), a.number(1))),
        "xavier_normal" => bits(rng.xavier_normal(a.shape(0), a.number(1))),
        "kaiming_uniform" => bits(rng.kaiming_uniform(a.shape(0), a.number(1))),
        "kaiming_normal" => bits(rng.kaiming_normal(a.shape(0), a.number(1))),
        "trunc_normal" => {
            let (mean, std) = (a.number(1), a.number(2));
            bits(rng.trunc_normal(a.shape(0), mean, std, a.number(3), a.number(4)))
        }
        "multinomial" => json!(rng.multinomial(&list(0), a.count(1)).to_vec()),
        "multinomial_with_replacement" => json!(
            rng.multinomial_with_replacement(&list(0), a.count(1))
                .to_vec()
        ),
        "multinomial_rows" => {
            let drawn = rng.multinomial_rows(&a.rows(0), a.count(1), a.flag(2));
            drawn.iter().copied().collect()
        }
        "multinomial1" => {
            let logits: Array1<f32> = (0..65).map(|i| 0.11 * i as f32).collect();
            let exponentials = logits.mapv(|logit| (logit - 0.11 * 64.0_f32).exp());
            let probabilities = &exponentials / exponentials.sum();
            let draws = args["n"].as_u64().expect("a count");
            (0..draws)
                .map(|_| rng.multinomial(&probabilities, 1)[0])
                .collect()
        }
        _ => panic!("an unknown call: {op}"),
    }
}

#[test]
fn every_call_of_pytorch() {
    check_calls(
        "torch_groups",
        torch::Generator::manual_seed,
        call_pytorch,
        180,
    );
    check_calls(
        "torch_more_groups",
        torch::Generator::manual_seed,
        call_pytorch,
        138,
    );
}

fn call_legacy(rng: &mut numpy::RandomState, op: &str, args: &Value) -> Value {
    let a = Args(args);
    match op {
        "rand" => bits_of_f64(rng.rand(a.count(0))),
        "randn" => bits_of_f64(rng.randn(a.count(0))),
        "normal" => bits_of_f64(rng.normal(a.number(1), a.number(2), a.count(0))),
        "uniform" => bits_of_f64(rng.uniform(a.number(1), a.number(2), a.count(0))),
        "exponential" => bits_of_f64(rng.exponential(a.number(1), a.count(0))),
        "randn sha256" => json!(sha256(&rng.randn(a.count(0)).to_vec(), f64::to_le_bytes)),
        "exponential sha256" => {
            let drawn = rng.exponential(a.number(1), a.count(0)).to_vec();
            json!(sha256(&drawn, f64::to_le_bytes))
        }
        "randint" => whole(rng.randint(a.int(0), a.int(1), a.count(2))),
        "permutation" => whole(rng.permutation(a.count(0))),
        "shuffle" => {
            let mut items: Vec<i64> = (0..a.int(0)).collect();
            rng.shuffle(&mut items);
            items.into()
        }
        "choice" => whole(rng.choice(a.count(0), a.count(1), a.flag(2))),
        "choice_weighted" => whole(rng.choice_weighted(&a.list(0), a.count(1), a.flag(2))),
        _ => panic!("an unknown call: {op}"),
    }
}

#[test]
fn every_call_of_numpy() {
    let seeded = |seed: u64| numpy::RandomState::new(seed as u32);
    check_calls("numpy_groups", seeded, call_legacy, 60);
    check_calls("numpy_more_groups", seeded, call_legacy, 36);
}

#[test]
fn every_call_of_numpys_newer_generator() {
    let call = |rng: &mut numpy::Generator, op: &str, args: &Value| {
        let a = Args(args);
        match op {
            "random" => bits_of_f64(rng.random(a.count(0))),
            "standard_normal" => bits_of_f64(rng.standard_normal(a.count(0))),
            "normal" => bits_of_f64(rng.normal(a.number(1), a.number(2), a.count(0))),
            "uniform" => bits_of_f64(rng.uniform(a.number(1), a.number(2), a.count(0))),
            "integers" => whole(rng.integers(a.int(0), a.int(1), a.count(2))),
            "integers_inclusive" => whole(rng.integers_inclusive(a.int(0), a.int(1), a.count(2))),
            "permutation" => whole(rng.permutation(a.count(0))),
            "shuffle" => {
                let mut items: Vec<i64> = (0..a.int(0)).collect();
                rng.shuffle(&mut items);
                items.into()
            }
            "choice" => whole(rng.choice(a.count(0), a.count(1), a.flag(2))),
            "choice sha256" => {
                let drawn = rng.choice(a.count(0), a.count(1), a.flag(2)).to_vec();
                json!(sha256(&drawn, i64::to_le_bytes))
            }
            "choice_weighted" => whole(rng.choice_weighted(&a.list(0), a.count(1), a.flag(2))),
            "standard_normal sha256" => {
                let drawn = rng.standard_normal(a.count(0)).to_vec();
                json!(sha256(&drawn, f64::to_le_bytes))
            }
            _ => panic!("an unknown call: {op}"),
        }
    };
    check_calls("numpy_generator_groups", numpy::default_rng, call, 152);
}

#[test]
fn three_million_normals_of_lesson_04() {
    // >>> torch.manual_seed(74); x = torch.randn(32, 256, 384)
    // >>> hashlib.sha256(x.numpy().tobytes()).hexdigest()
    let x = torch::Generator::manual_seed(74).randn((32, 256, 384));
    assert_eq!(
        sha256(x.as_slice().expect("in row order"), f32::to_le_bytes),
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
    rng.randn(16); // a block neither uses nor leaves a spare
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

/// PyTorch draws two words for an integer if `range >= 1ULL << 28` (`DistributionTemplates.h`).
#[test]
fn integers_of_a_wide_range_take_two_words_each() {
    for (range, words) in [((1 << 28) - 1, 1), (1 << 28, 2), ((1 << 28) + 1, 2)] {
        let mut rng = torch::Generator::manual_seed(1);
        let mut other = rng.clone();
        rng.randint(0, range, 3);
        for _ in 0..3 * words {
            other.next_u32();
        }
        assert_eq!(rng, other, "{range}");
    }
}

/// PyTorch divides by `1 - p` in f64, rounded to f32; with `p` rounded first, this would be 9.999998.
#[test]
fn dropout_scales_by_the_rounded_chance_to_stay() {
    let dropped = torch::Generator::manual_seed(1).dropout(&Array1::ones(100), 0.9);
    assert!(
        dropped.iter().all(|x| [0.0_f32, 10.0].contains(x)),
        "{dropped}"
    );
    assert!(dropped.sum() > 0.0);
}

/// A coin is 1 if its uniform number is below its probability, but not if the two are equal.
#[test]
fn a_coin_of_the_probability_that_is_drawn_is_0() {
    let rng = torch::Generator::manual_seed(1);
    let p = rng.clone().rand_f64(1)[0];
    assert_eq!(rng.clone().bernoulli(1, p)[0], 0.0);
    assert_eq!(rng.clone().bernoulli(1, p.next_up())[0], 1.0);
    let p = rng.clone().rand(1);
    assert_eq!(rng.clone().bernoulli_each(&p)[0], 0.0);
    assert_eq!(rng.clone().bernoulli_each(&p.mapv(f32::next_up))[0], 1.0);
}

/// NumPy shuffles all numbers if there are more than 10,000 and more than a fiftieth of them are
/// chosen.
#[test]
fn a_choice_shuffles_all_numbers_if_it_takes_many_of_many() {
    // >>> a = np.random.default_rng(42).choice(count, samples, replace=False); a[0], a[-1]
    for (count, samples, expected) in [
        (10_000, 300, [4987, 6917]),
        (10_050, 201, [3405, 4989]),
        (10_050, 202, [8948, 896]),
        (1 << 45, 3, [30209228688859, 27231157592793]),
    ] {
        let chosen = numpy::default_rng(42).choice(count, samples, false);
        assert_eq!(
            [chosen[0], chosen[samples - 1]],
            expected,
            "{samples} of {count}"
        );
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
