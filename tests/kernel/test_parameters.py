"""The messages about mistakes in a function with parameters."""


from client import ATTENTION, WithWarmKernel


class Parameters(WithWarmKernel):
    """Learners' mistakes in the functions of exercises, whose parameters are references: the advice must compile."""

    HEADS = {
        "dot": "fn my_dot(a: &Array1<f32>, b: &Array1<f32>) -> f32",
        "context": "fn my_context(weights: &Array1<f32>, words: &Array2<f32>) -> Array1<f32>",
        "softmax": "fn my_softmax(scores: &Array1<f32>) -> Array1<f32>",
        "weights": "fn my_weights(q: &Array2<f32>, k: &Array2<f32>) -> Array2<f32>",
        "masked": "fn my_masked(scores: &Array2<f32>, mask: &Array2<bool>) -> Array2<f32>",
        "pair": "fn my_pair(x: &Array2<f32>) -> (Array2<f32>, Array2<f32>)",
    }

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.kernel.value(f':dep attention = {{ path = "{ATTENTION}" }}\nuse attention::prelude::*;\n1')

    def function(self, head, body):
        lines = "".join(f"    {line}\n" for line in body.split("\n"))
        return f"{self.HEADS[head]} {{\n{lines}}}" if head else body

    def advised(self, sentence, *cases):
        """Each case: the function and its body, a part of the body, and the advised replacement."""
        for head, body, part, advice in cases:
            code = self.function(head, body)
            corrected = code.replace(part, advice, 1)
            changed = [line.strip() for line in corrected.split("\n") if line not in code.split("\n")]
            first = self.fails("CompileError", code)["evalue"].split("\n\n")[0]
            self.assertEqual(first, sentence + ":\n    " + "\n    ".join(changed), code)
            self.assertEqual(self.kernel.run(corrected)[0]["status"], "ok", corrected)

    def told(self, head, body, sentence, kind="CompileError"):
        code = self.function(head, body)
        self.assertEqual(self.fails(kind, code)["evalue"].split("\n\n")[0], sentence, code)

    def test_a_view_is_borrowed_by_operators(self):
        mixed = "let mut out = Array1::zeros(words.ncols());\nfor i in 0..3 {\n    out += %s;\n}\nout"
        view = "an operator takes a view, a part of another array, by reference: write `&` before `words.row(i)`"
        both = f"{view}, and before the right side of `+=`"
        right = "`+=` borrows the array on its right: write `&` before it"
        for sentence, given, advice in [
            (both, "weights[i] * words.row(i)", "&(weights[i] * &words.row(i))"),
            (both, "words.row(i) * weights[i]", "&(&words.row(i) * weights[i])"),
            (view, "&(weights[i] * words.row(i))", "&(weights[i] * &words.row(i))"),
            (right, "weights[i] * &words.row(i)", "&(weights[i] * &words.row(i))"),
            (right, "words.row(i)", "&words.row(i)"),
        ]:
            self.advised(sentence, ("context", mixed % given, given, advice))

    def test_a_reference_is_not_borrowed_again(self):
        self.advised(
            "`b` is already a reference: write it without `&`",
            ("dot", "a.dot(&b)", "&b", "b"),
            ("dot", "(a + &b).sum()", "&b", "b"),
        )
        self.advised(
            "`a` and `b` are already references: write them without `&`",
            ("dot", "(&a * &b).sum()", "&a * &b", "a * b"),
        )
        self.advised(
            "`q` is already a reference: write it without `&`", ("weights", "&q * 2.0", "&q", "q")
        )

    def test_a_sum_starts_with_a_point(self):
        loop = "let mut s = 0;\nfor i in 0..a.len() {\n    %s;\n}\ns"
        self.advised(
            "`s` starts as the integer `0`, but is combined with f32: start with `0.0`",
            ("dot", loop % "s += a[i] * b[i]", "s = 0;", "s = 0.0;"),
            ("dot", loop % "s = s + a[i] * b[i]", "s = 0;", "s = 0.0;"),
        )

    def test_the_largest_value_of_an_array(self):
        for name, start in (("max", "NEG_INFINITY"), ("min", "INFINITY")):
            fold = f"scores.iter().copied().fold(f32::{start}, f32::{name})"
            self.told("softmax", f"scores - scores.{name}()", f"arrays have no `{name}` in Rust; write\n    {fold}")
            self.assertEqual(self.kernel.run(self.function("softmax", f"scores - {fold}"))[0]["status"], "ok")
        self.told(
            "softmax",
            "scores - *scores.iter().max().unwrap()",
            "`max()` is for integers, because f32 can be NaN; write\n"
            "    x.iter().copied().fold(f32::NEG_INFINITY, f32::max)",
        )

    def test_a_loop_gives_references(self):
        loop = "let mut m = scores[0];\nfor s in scores {\n    %s\n}\nscores - m"
        self.advised(
            "a loop over an array gives references to its values: write `&s` in its head, and `s` is the value",
            ("softmax", loop % "if s > m { m = s; }", "for s", "for &s"),
            ("softmax", loop % "m = m.max(s);", "for s", "for &s"),
        )
        self.advised(
            "`s` is a reference to a number: `*s` is the number",
            ("softmax", loop % "if s > m { m = *s; }", "if s", "if *s"),
        )

    def test_another_result_than_the_function_has(self):
        self.advised(
            "one number is expected here, f32, but this is an array: `.sum()` adds up its values",
            ("dot", "a * b", "a * b", "(a * b).sum()"),
        )
        owned = "an array that owns its values is expected here, but this is a view of another one: `.to_owned()` copies it"
        self.advised(
            owned,
            ("weights", "q.t()", "q.t()", "q.t().to_owned()"),
            ("context", "words.row(0)", "words.row(0)", "words.row(0).to_owned()"),
        )
        reference = "an array is expected here, but this is a reference to one"
        self.advised(f"{reference}: `.clone()` makes a copy", ("weights", "q", "    q\n", "    q.clone()\n"))
        self.advised(f"{reference}: leave the `&` out", ("weights", "let e = q + k;\n&e", "&e", "e"))
        self.advised(
            "an array is expected here, but this is a tuple, several values in parentheses: make an array of them",
            ("softmax", "(scores[0], 2.0)", "(scores[0], 2.0)", "array![scores[0], 2.0]"),
        )
        self.told(
            "weights",
            "(q.clone(), k.clone())",
            "an array is expected here, but this is a tuple, several values in parentheses: return the one that is "
            "asked for",
        )
        self.advised(
            "a tuple, several values in parentheses, is expected here, but this is a list",
            ("pair", "[x.clone(), x.clone()]", "[x.clone(), x.clone()]", "(x.clone(), x.clone())"),
        )
        self.told("pair", "x.clone()", "2 values in parentheses, `(a, b)`, are expected here, but this is one")
        self.told(
            "softmax",
            "scores[0]",
            "an array is expected here, but this is one number: `array![a, b]` is an array of numbers, and "
            "`(0..n).map(|i| ...).collect()` computes one for each `i`",
        )
        self.advised(
            "an array is expected here, but this is an iterator: `.collect()` makes an array of its values",
            ("softmax", "scores.iter().map(|s| s.exp())", "s.exp())", "s.exp()).collect()"),
        )
        self.told(
            "weights",
            "q + k;",
            "the `;` at the end of the last line throws its value away, so nothing is returned: leave that `;` out",
        )

    def test_a_list_of_rust_as_the_result(self):
        is_list = "an ndarray array is expected here, and a Rust list is not one: make one with"
        self.advised(
            f"{is_list} `array!`",
            ("softmax", "[scores[0], 2.0]", "[scores[0]", "array![scores[0]"),
            ("softmax", "vec![scores[0], 2.0]", "vec!", "array!"),
            ("weights", "vec![vec![1.0, 2.0], vec![3.0, 4.0]]", "vec![vec![1.0, 2.0], vec![", "array![[1.0, 2.0], ["),
        )
        vector = "let out = vec![1.0_f32];\n"
        self.told("softmax", f"{vector}out", f"{is_list} `Array1::from_iter(out)`")
        self.assertEqual(self.kernel.run(self.function("softmax", f"{vector}Array1::from_iter(out)"))[0]["status"], "ok")
        rows = "let rows = vec![vec![1.0_f32]];\n"
        advice = "Array2::from_shape_fn((rows.len(), rows[0].len()), |(i, j)| rows[i][j])"
        self.told("weights", f"{rows}rows", f"{is_list} `{advice}`")
        self.assertEqual(self.kernel.run(self.function("weights", rows + advice))[0]["status"], "ok")

    def test_a_mask_that_is_multiplied(self):
        number = "mask.mapv(|yes| if yes { 1.0_f32 } else { 0.0 })"
        self.advised(
            "`mask` is a mask, of `true` and `false`, but only numbers can be multiplied: turn it into 1s and 0s",
            ("masked", "softmax(scores) * mask", "* mask", f"* {number}"),
            ("masked", "scores * mask", "* mask", f"* {number}"),
        )

    def test_a_borrowed_array_that_is_changed(self):
        for change in ("s[[0, 1]] = f32::NEG_INFINITY", "s.row_mut(0).fill(0.0)", "s += 1.0"):
            self.advised(
                "`s` is the same borrowed array as `scores`, and cannot be changed: start with a copy",
                ("masked", f"let mut s = scores;\n{change};\nsoftmax(&s)", "= scores;", "= scores.clone();"),
            )
        self.told(
            "masked",
            "scores[[0, 1]] = 0.0;\nsoftmax(scores)",
            "`scores` is borrowed, and cannot be changed: change a copy, `let mut copy = scores.clone();`",
        )
        self.advised(
            "`s` is changed here, which its `let` must allow: write `let mut`",
            ("masked", "let s = scores.clone();\ns.fill(0.0);\ns", "let s", "let mut s"),
        )
        self.advised(
            "`/` consumes `e`, which is used again afterwards: borrow it with `&e`",
            ("softmax", "let e = scores.mapv(f32::exp);\ne / e.sum()", "e / e", "&e / e"),
        )

    def test_what_is_written_between_brackets(self):
        self.advised(
            "these numbers are integers, and floats are expected: write the decimal points",
            ("weights", "array![[1, 2], [3, 4]]", "[1, 2], [3, 4]", "[1.0, 2.0], [3.0, 4.0]"),
        )
        rows = "let inputs = array![\n    [0.43_f32, 0.15]\n    [0.55, 0.87],\n];"
        self.advised("a comma is missing after the row on line 2", (None, rows, "0.15]", "0.15],"))
        self.advised("a comma is missing before `0.15`", (None, "array![0.43 0.15]", "0.43 ", "0.43, "))
        text = "only a name can be inside the `{}` of a string: put other values after the string"
        self.advised(
            text,
            ("weights", 'println!("{q.shape()}");\nq + k', '"{q.shape()}"', '"{:?}", q.shape()'),
            ("weights", 'println!("sum {q.sum():.2}");\nq + k', '{q.sum():.2}"', '{:.2}", q.sum()'),
        )

    def test_an_index_that_does_not_fit(self):
        self.told(
            "context",
            "words[9]",
            "`words` has 2 axes: a value is `words[[0, 1]]` (row 0, column 1), a row `words.row(9)`, a part "
            "`words.slice(s![0..2, ..])`",
        )
        sizes = "the length is 2, and the indices are 0 to 1"
        self.told(None, 'let words = ["a", "b"]; words[9]', f"index 9 is out of bounds: {sizes}")
        outside = "index 9 is out of bounds of `x`, whose shape is [2]: its indices are 0 to 1"
        self.told(None, "let x = array![1.0, 2.0]; x[9]", outside, "Panic")
        for code in (
            "array![1.0, 2.0] + array![1.0, 2.0, 3.0]",
            "let a = array![1.0, 2.0];\nlet b = array![1.0, 2.0, 3.0];\n&a + &b",
            "array![1.0, 2.0].dot(&array![1.0, 2.0, 3.0])",
        ):
            self.told(None, code, "the shapes of two arrays do not fit together: [2] and [3]", "Panic")
        self.told(
            None,
            'let sentence = "Your journey"; sentence[0]',
            "a string cannot be indexed by a number: its first letter is `text.chars().next()`, its first word "
            "`text.split(' ').next()`, and `nth(1)` in place of `next()` is the second",
        )

    def test_a_variable_that_is_not_defined_is_no_function(self):
        for name, code in [
            ("entropy", "entropy.sum()"),
            ("entropy", 'println!("{entropy}")'),
            ("scores", "let t = 2.0_f32; &scores / t"),
            ("scores", "scores.sum()"),
            ("scores", "softmax(&scores)"),
            ("scores", "attend(&scores, &scores, &scores, None)"),
            ("scores", "scores[[0, 1]]"),
            ("scores", "for row in scores.rows() { row.sum(); }"),
            ("scores", "scores"),
            ("scores", "let copy = scores.clone();"),
        ]:
            self.told(
                None,
                code,
                f"`{name}` is the function `{name}(...)` here; there is no variable `{name}` yet: run the cell that "
                f"defines it (`let {name} = ...;`) first",
            )
        failed = self.fails("CompileError", 'let context: f32 = "a";')["execution_count"]
        self.told(
            None,
            "context.sum()",
            f"`context` is the function `context(...)` here, no variable: `context` is defined in cell [{failed}], "
            "which failed: correct that cell and run it again",
        )
        self.told(
            "softmax",
            "entropy / 2.0",
            "`entropy` is the function `entropy(...)` here; this function has no variable `entropy`: define it "
            "(`let entropy = ...;`), or make it a parameter",
        )
        self.kernel.run("let variance = array![1.0_f32, 2.0];")
        self.told(
            "softmax",
            "&variance / 2.0",
            "a function does not see the variables of the notebook, so `variance` is the function `variance(...)` "
            "here: make the variable a parameter",
        )
        self.kernel.run("fn weigh(a: f32) -> f32 { a }")
        self.told(None, "weigh + 1.0", "`weigh` is a function: call it, `weigh(...)`")
