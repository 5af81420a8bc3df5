//! One step of the decoder's memory cell.

use crate::exercise::*;
use crate::translation::LESSON;

type MemoryStep = fn(&Array1<f32>, &Array1<f32>, &Array1<f32>) -> (Array1<f32>, Array1<f32>);

fn probe(f: MemoryStep, width: usize) -> Output {
    let [cell, input, forget] = [206, 207, 208].map(|seed| vector(seed, width));
    f(&(cell * 2.0), &(input * 3.0), &forget).output()
}

fn sigmoid(x: &Array1<f32>) -> Array1<f32> {
    x.mapv(|x| 1.0 / (1.0 + (-x).exp()))
}

fn relu(x: &Array1<f32>) -> Array1<f32> {
    x.mapv(|x| x.max(0.0))
}

fn mixed(f: &Array1<f32>, cell: &Array1<f32>, input: &Array1<f32>) -> Array1<f32> {
    f * cell + (1.0 - f) * input
}

pub(crate) static EXERCISE: Exercise<MemoryStep> = Exercise {
    name: "memory_step",
    title: "One step of the memory",
    lesson: LESSON,
    after: "How does it know to write cansado?, before the memory is misled",
    task: "`cell` is what the memory held before, `input` what is new, and `forget` a score for \
           each number of the cell: the larger, the more of the old number stays. The gate `f` = \
           1 / (1 + e^-`forget`) is the share of the old number that stays, and 1 - `f` the share \
           of the new one that comes in. Return the new cell, which is kept for \
           the next step, and what the layer passes on: the new cell with 0 in place of negative \
           numbers.",
    effort: Effort {
        difficulty: 2,
        minutes: 8,
    },
    without: &[],
    source: include_str!("memory_step.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "cell [4], input [2], forget [0]: half of each, 3 and 3",
            run: |f| f(&array![4.0], &array![2.0], &array![0.0]).output(),
        },
        Probe {
            what: "cell [-4], input [2], forget [0]: the cell is -1, and 0 is passed on",
            run: |f| f(&array![-4.0], &array![2.0], &array![0.0]).output(),
        },
        Probe {
            what: "forget [2, -2]: the first number mostly stays, the second mostly goes",
            run: |f| f(&array![1.0, 1.0], &array![-1.0, -1.0], &array![2.0, -2.0]).output(),
        },
        Probe {
            what: "the first step: the cell is all zeros",
            run: |f| f(&Array1::zeros(4), &vector(209, 4), &vector(210, 4)).output(),
        },
        Probe {
            what: "7 numbers",
            run: |f| probe(f, 7),
        },
    ],
    mutants: &[
        Mutant {
            code: |cell, input, forget| {
                let next = mixed(&sigmoid(forget), input, cell);
                let out = relu(&next);
                (next, out)
            },
            says: "The gates are exchanged: where `f` is near 1, the old number should stay. (A \
                   wrong sign in the gate does the same.)",
        },
        Mutant {
            code: |cell, input, forget| {
                let next = mixed(&sigmoid(forget), cell, input);
                (next.clone(), next)
            },
            says: "Negative numbers are passed on, too.",
        },
        Mutant {
            code: |cell, input, forget| {
                let out = relu(&mixed(&sigmoid(forget), cell, input));
                (out.clone(), out)
            },
            says: "The cell lost its negative numbers: the zeros are only for what is passed on. \
                   (In the model, that is hard to notice: 37 of 40 translations stay the same.)",
        },
        Mutant {
            code: |cell, input, forget| {
                let next = mixed(forget, cell, input);
                let out = relu(&next);
                (next, out)
            },
            says: "`forget` itself was the gate. It is a score; how does it become a share from 0 \
                   to 1?",
        },
        Mutant {
            code: |cell, input, forget| {
                let next = sigmoid(forget) * cell + input;
                let out = relu(&next);
                (next, out)
            },
            says: "All of `input` came in: only 1 - `f` of it should.",
        },
        Mutant {
            code: |cell, input, forget| {
                let f = sigmoid(forget);
                let next = &f * cell + &f * input;
                let out = relu(&next);
                (next, out)
            },
            says: "Both got the same gate: where much of the old number stays, little of the new one \
                   comes in.",
        },
        Mutant {
            code: |cell, input, forget| {
                let next = mixed(&sigmoid(forget), cell, input);
                let out = next.mapv(|number| number.min(0.0));
                (next, out)
            },
            says: "The negative numbers were passed on, and the others became 0: it is the other \
                   way round.",
        },
        Mutant {
            code: |cell, input, forget| {
                let next = cell + (1.0 - sigmoid(forget)) * input;
                let out = relu(&next);
                (next, out)
            },
            says: "All of the old cell stayed: only `f` of it should.",
        },
        Mutant {
            code: |cell, input, forget| {
                let next = mixed(&sigmoid(forget), cell, input);
                let out = relu(&next);
                (out, next)
            },
            says: "The two results are in the wrong order: the cell comes first.",
        },
        Mutant {
            code: |cell, input, forget| {
                let next = mixed(&sigmoid(forget), cell, &relu(input));
                let out = relu(&next);
                (next, out)
            },
            says: "`input` lost its negative numbers before it came in. The zeros are only for \
                   what is passed on.",
        },
        Mutant {
            code: |cell, input, forget| {
                let out = relu(&mixed(&sigmoid(forget), cell, input));
                (cell.clone(), out)
            },
            says: "The old cell was returned: the next step would know nothing of this one.",
        },
        Mutant {
            code: |cell, input, forget| {
                let next = mixed(&softmax(forget), cell, input);
                let out = relu(&next);
                (next, out)
            },
            says: "A softmax was used for the gate: it shares 1 out among all numbers. Here each \
                   number has a gate of its own.",
        },
        Mutant {
            code: |cell, input, forget| {
                let next = mixed(&forget.mapv(f32::tanh), cell, input);
                let out = relu(&next);
                (next, out)
            },
            says: "The gate is a tanh, which goes from -1 to 1. A share goes from 0 to 1.",
        },
    ],
    hints: &[
        "Everything happens number by number: no number of the cell sees another.",
        "First the gate, with `mapv`, then the new cell, which mixes `cell` and `input`, then a \
         copy of it without negative numbers.",
        "`forget.mapv(|x| ...)` makes the gate; `&f * cell` is what stays, and `1.0 - &f` is an \
         array, too. `next.mapv(|c| c.max(0.0))` is what is passed on.",
    ],
    explanation: "The model has two of these, with 256 numbers each: apart from the newest word, \
                  all that it knows of its own text, however long, is in them.",
    pytorch: "PyTorch: `f = torch.sigmoid(forget)`, `cell = f * cell + (1 - f) * input`, \
              `torch.relu(cell)`.",
};

fn solution(
    cell: &Array1<f32>,
    input: &Array1<f32>,
    forget: &Array1<f32>,
) -> (Array1<f32>, Array1<f32>) {
    let f = forget.mapv(|score| 1.0 / (1.0 + (-score).exp()));
    let next = &f * cell + (1.0 - &f) * input;
    let passed_on = next.mapv(|number| number.max(0.0));
    (next, passed_on)
}

fn another(
    cell: &Array1<f32>,
    input: &Array1<f32>,
    forget: &Array1<f32>,
) -> (Array1<f32>, Array1<f32>) {
    let mut next = Array1::zeros(cell.len());
    for i in 0..cell.len() {
        let stays = 1.0 / (1.0 + (-forget[i]).exp());
        next[i] = stays * cell[i] + (1.0 - stays) * input[i];
    }
    let passed_on = next.mapv(|number: f32| if number > 0.0 { number } else { 0.0 });
    (next, passed_on)
}
