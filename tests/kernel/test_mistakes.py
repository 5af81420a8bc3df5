"""The first thing a learner is told about a mistake."""


from client import ATTENTION, FAILS_LATER, WithWarmKernel


class Mistakes(WithWarmKernel):
    """Learners' mistakes, and the messages about them. All cells share one kernel, in this order."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.kernel.value(f':dep attention = {{ path = "{ATTENTION}" }}\nuse attention::prelude::*;\n1')
        cls.kernel.value(
            "let q = array![[1.0_f32, 2.0], [3.0, 4.0]]; let k = q.clone(); let y = 3.0_f32; let n = 4;"
            "let wide = array![[0.1, 0.2], [0.3, 0.4]]; let v = array![1.0_f32, 2.0]; 1"
        )

    def told(self, code, first, kind="CompileError"):
        """Runs a cell that fails, and compares the message up to its first empty line."""
        reply = self.fails(kind, code)
        self.assertEqual(reply["evalue"].split("\n\n")[0], first, reply["evalue"])
        text = "\n".join(reply["traceback"])
        for internal in ("evcxr", "ctx/src", "/tmp/", "num_complex", "notebook_cell"):
            self.assertNotIn(internal, text)
        return reply

    def test_a_value_that_an_earlier_cell_moved(self):
        self.kernel.run("let inputs = q.clone();")
        moving = self.kernel.run("let moved_to = inputs;")[0]["execution_count"]
        reply = self.told(
            "inputs.sum()",
            f"`inputs` was moved into `moved_to` in cell [{moving}]: borrow it there (`&inputs`) or copy it "
            "(`inputs.clone()`), and run the cell that defines `inputs` again",
        )
        # rustc's own message follows an empty line.
        self.assertIn("again\n\nerror[E0425]: cannot find value `inputs`", reply["evalue"])

    def test_a_missing_reference(self):
        reply = self.told(
            "let both = scores(q, k);",
            "`scores` borrows what it is given: write `&` before it:\n    let both = scores(&q, &k);",
        )
        self.assertEqual(reply["evalue"].count("&q"), 1, reply)
        # Types are shown under the names used in code.
        self.assertIn("found `Array2<f32>`", self.fails("CompileError", "let n: usize = q.clone();")["evalue"])
        self.assertEqual(self.kernel.value(":type q"), "q: Array2<f32>")
        self.told(
            "softmax(scores(&q, &k))",
            "`softmax` borrows what it is given: write `&` before it:\n    softmax(&scores(&q, &k))",
        )
        self.told("q.dot(v)", "`dot` borrows what it is given: write `&` before it:\n    q.dot(&v)")

    def test_f32_meets_f64(self):
        told = (
            "`q` is f32 and `wide` is f64, and Rust does not mix the two. Convert: `wide.mapv(|x| x as f32)`; or "
            "write the numbers as f32 from the start: `array![0.1_f32, 0.2]` (without `_f32`, `array![0.1, 0.2]` "
            "is f64)"
        )
        self.told("scores(&q, &wide)", told)
        self.told("let sum = &q + &wide;", told)
        self.kernel.value("scores(&q, &wide.mapv(|x| x as f32))")

    def test_a_view_that_should_be_kept(self):
        cannot = "`row` borrows from `q`, and only what owns its values can be kept for later cells: keep a copy with"
        reply = self.told(
            "let row = q.row(1);", f"{cannot} `.to_owned()`:\n    let row = q.row(1).to_owned();"
        )
        self.assertNotIn("wrapping", reply["evalue"])
        self.kernel.run("let row = q.slice(s![.., 1]).to_owned();")
        reply = self.fails("CompileError", "let part = q.slice(s![.., 1..2]);")
        self.assertIn("    let part = q.slice(s![.., 1..2]).to_owned();", reply["evalue"])
        reply = self.fails("CompileError", "let whole = &q;")
        self.assertIn("write `&q` where it is needed, or keep a copy (`q.clone()`)", reply["evalue"])

    def test_an_index_out_of_bounds(self):
        sizes = "of `q`, whose shape is [2, 2]: its rows are 0 to 1, its columns 0 to 1"
        self.told("q[[5, 0]]", f"index [5, 0] is out of bounds {sizes}", "Panic")
        self.told("let at = 1;\nq.row(7).sum() + at as f32", f"row 7 is out of bounds {sizes}", "Panic")
        known = "the shape of `q` is [2, 2]"
        self.told(
            "let mut sum = 0.0; for i in 0..9 { sum += q[[i, 0]]; }",
            f"an index is out of bounds; {known}: its rows are 0 to 1, its columns 0 to 1",
            "Panic",
        )
        self.told(
            "&q + &array![[1.0_f32, 2.0, 3.0]]", f"the shapes of two arrays do not fit together; {known}", "Panic"
        )
        self.assertEqual(self.kernel.value("q[[1, 1]]"), "4.")

    def test_an_integer_beside_a_float(self):
        what = "Rust does not mix integers with floats"
        for code, number, corrected in [("y + 1", 1, "y + 1.0"), ("2 * &q", 2, "2.0 * &q"), ("&q * 2", 2, "&q * 2.0")]:
            reply = self.told(
                code, f"`{number}` is an integer, but is combined with f32; {what}: write `{number}.0`:\n    {corrected}"
            )
            self.assertLess(reply["evalue"].count("\n"), 7, reply)
            self.assertEqual(self.kernel.run(corrected)[0]["status"], "ok")
        self.told(
            "y * n",
            f"`n` is an integer, but is combined with f32; {what}: convert it with `as f32`:\n    y * n as f32",
        )
        self.told(
            "let share: f32 = v.len();",
            "this is usize, but f32 is expected: convert it with `as f32`:\n    let share: f32 = v.len() as f32;",
        )

    def test_a_name_that_is_not_there_or_something_else(self):
        shadowing = self.kernel.run("let entropy = 5;")[0]["execution_count"]
        self.told(
            "entropy(&q)",
            f"`entropy` is a variable since cell [{shadowing}] (i32), and hides the function `entropy`: write "
            "`attention::prelude::entropy(...)` here, and give the variable another name",
        )
        self.kernel.value("attention::prelude::entropy(&q)")
        self.told("n = 5", "`n` has a value already: `let n = ...;` makes a new variable of that name")
        self.told("fresh = 3", "there is no variable `fresh` yet: `let fresh = ...;` makes one")
        self.told(
            "s + 1", "`s` is the macro `s![...]` here; there is no variable `s` yet: define it first (`let s = ...;`)"
        )
        failed = self.fails("CompileError", 'let broken: i32 = "a";')["execution_count"]
        self.told("broken + 1", f"`broken` is defined in cell [{failed}], which failed: correct that cell and run it again")
        self.told(
            "let early = late + 1;\nlet late = 3;",
            "`late` is defined further down, on line 2: its `let` must come before its first use",
        )
        block = self.kernel.run("{ let inside = 3; }")[0]["execution_count"]
        self.told(
            "inside + 1",
            f"`inside` is defined inside a block on line 1 of cell [{block}], and ends with the block: define it "
            "before the block (`let mut inside = ...;`) and assign to it inside",
        )
        self.told(
            "nowhere + 1",
            "no cell that has run so far defines `nowhere`: run the cell that does before this one, or check the "
            "spelling",
        )
        self.told("softmx(&q)", "there is no `softmx`, but there is `softmax`:\n    softmax(&q)")

    def test_a_name_of_a_cell_that_was_not_run(self):
        client = self.kernel.client
        requests = [client.execute(code) for code in (FAILS_LATER, "let unrun = 1;")]
        self.assertEqual([self.kernel.reply_to(request)["status"] for request in requests], ["error", "aborted"])
        self.told(
            "unrun + 1",
            "`unrun` is defined in a cell that was not run, because a cell before it had failed: run it",
        )

    def test_another_number_of_arguments_than_the_function_has(self):
        self.kernel.run("fn weigh(a: f32, b: f32) -> f32 { a * b }")
        for code, told, declared in [
            ("weigh(y)", "`weigh` takes 2 arguments, but is given 1:", "fn weigh(a: f32, b: f32) -> f32"),
            ("causal_mask(2, 3)", "`causal_mask` takes 1 argument, but is given 2:", "fn causal_mask("),
            ("q.row()", "`row` takes 1 argument, but is given 0:", "fn row(&self, index: Ix)"),
        ]:
            reply = self.fails("CompileError", code)
            self.assertEqual(reply["evalue"].split("\n    ")[0], told, reply["evalue"])
            self.assertEqual(reply["evalue"].split("\n    ")[1][: len(declared)], declared)
            self.assertIn("\n\nerror[E0061]: this ", reply["evalue"])

    def test_a_function_of_another_type_than_the_one_that_is_wanted(self):
        self.kernel.run("fn tried(f: fn(&Array2<f32>, usize) -> Array1<f32>) -> usize { f(&array![[1.0]], 1).len() }")
        wanted = "The expected type is\n    fn(&Array2<f32>, usize) -> Array1<f32>\nand `f` is\n    "
        for declared, told in [
            ("fn f(x: Array2<f32>, n: usize) -> Array1<f32>", "argument 1 is `Array2<f32>`, but should be `&Array2<f32>`"),
            ("fn f(x: &Array2<f64>, n: usize) -> Array1<f32>", "argument 1 is `&Array2<f64>`, but should be `&Array2<f32>`"),
            ("fn f(x: &Array2<f32>, n: i32) -> Array1<f32>", "argument 2 is `i32`, but should be `usize`"),
            ("fn f(x: &Array2<f32>) -> Array1<f32>", "it takes 1 argument, but should take 2"),
            ("fn f(x: &Array2<f32>, n: usize) -> Array2<f32>", "it returns `Array2<f32>`, but should return `Array1<f32>`"),
        ]:
            self.told(declared + " { todo!() }\ntried(f)", f"`f` does not fit: {told}. {wanted}{declared}")
        self.told(
            "tried(|x: &Array2<f32>, n: usize| x.row(n).to_owned() + y)",
            "a function is expected here, but a closure that uses the notebook's variables is not one: write "
            "`fn name(...)`, of the type\n    fn(&Array2<f32>, usize) -> Array1<f32>",
        )

    def test_a_text_without_quotes(self):
        self.kernel.run("fn say(text: impl std::fmt::Display) -> String { text.to_string() }")
        reply = self.fails("CompileError", "say(hello)")
        self.assertIn('; if it is text, put it in quotes: `"hello"`', reply["evalue"].split("\n")[0])
        several = "text of several words must be in quotes:\n    say("
        for text in ["they grow", "it stays the same", "cat and kitten", "about 4 times", "4 times", "the last"]:
            self.told(f"say({text})", f'{several}"{text}")')
        # Two arguments without a comma are not a string.
        reply = self.fails("CompileError", "scores(&q k)")
        self.assertNotIn("quotes", reply["evalue"])

    def test_a_closure_cannot_be_kept(self):
        cannot = "is a closure, which cannot be kept for later cells: write a function"
        self.told("let f = |x: f32| x + 1.0;", f"`f` {cannot}\n    fn f(x: f32) -> ... {{ x + 1.0 }}")
        self.told(
            "let g = |x| x + y;",
            f"`g` {cannot}, which gets `y` as a parameter\n    fn g(x: ..., y: f32) -> ... {{ x + y }}",
        )

    def test_an_integer_in_a_list_of_floats_is_named(self):
        one = "`1` is an integer among floats: write `1.0`:\n    "
        for code, line in [
            ("let inputs = array![\n    [0.43_f32, 0.15],\n    [1, 0.87],\n];", "[1.0, 0.87],"),
            ("let inputs = array![[0.43, 0.15], [0.55, 1]];", "let inputs = array![[0.43, 0.15], [0.55, 1.0]];"),
            ("let inputs: Array2<f32> = array![[1, 0.15]];", "let inputs: Array2<f32> = array![[1.0, 0.15]];"),
        ]:
            self.told(code, one + line)
        self.told(
            "softmax(&array![[1, 2], [3, 4]])",
            "these numbers are integers, but floats are expected: write the decimal points:\n"
            "    softmax(&array![[1.0, 2.0], [3.0, 4.0]])",
        )
        self.told(
            "let whole = array![1, 2]; softmax(&whole)",
            "an array of integers was passed where one of floats is expected: convert it with "
            "`.mapv(|x| x as f32)`",
        )

    def test_a_row_of_another_length_is_named(self):
        self.told(
            "let inputs = array![\n    [0.43_f32, 0.15],\n    [0.55],\n    [0.57, 0.85],\n];",
            "the rows differ in length: the one on line 3 has 1 number, where others have 2:\n    [0.55]",
        )

    def test_an_array_of_another_kind(self):
        three = "an array with 3 axes is expected here, but this one has 2"
        more = "has one more, of length 1"
        self.told("let cube: Array3<f32> = q;", f"{three}: `q.clone().insert_axis(Axis(0))` {more}")
        self.told("attend_batch(&q, &q, &q, None)", f"{three}: `x.clone().insert_axis(Axis(0))` {more}")
        self.told(
            "let cube = Array3::<f32>::zeros((2, 2, 2)); attend(&q, &q, &cube, None)",
            "an array with 2 axes is expected here, but this one has 3: `x.index_axis(Axis(0), 0)` is a part with one "
            "less, the first",
        )
        self.told(
            "q.row(0) + q",
            "an array with 1 and one with 2 axes: write the one with more axes first, and borrow both, as in "
            "`&matrix + &row`",
        )
        self.assertEqual(self.kernel.run("&q + &q.row(0)")[0]["status"], "ok")
        self.told(
            "attend(&q, &q, &q, Some(&q))",
            "a mask, an array of `true` and `false`, is expected here, but this one is of f32: "
            "`q.mapv(|value| value > 0.0)` makes one",
        )
        self.told(
            "softmax(&causal_mask(2))",
            "numbers are expected here, but this is a mask, of `true` and `false`: `mask.mapv(|yes| if yes { 1.0_f32 } "
            "else { 0.0 })` makes some",
        )
        self.told(
            "torch::Generator::manual_seed(-1)",
            "a whole number from 0 up is expected here, but this one is negative: leave the `-` out",
        )

    def test_what_is_written_otherwise_in_rust(self):
        for code, told in [
            ("q[0]", "`q` has 2 axes: a value is `q[[0, 1]]` (row 0, column 1), a row `q.row(0)`, a part"),
            ("q[[-1, 0]]", "an index cannot be negative: the last one is `x.len() - 1`, the last row of a matrix"),
            ("let words = vec![1]; let i: i32 = 0; words[i]", "an index is a `usize`, whatever it counts: convert it:"),
            ("for i in 3 {}", "a loop runs over a range or over the values of something:\n    for i in 0..3 {}"),
            ("for i in range(3) {}", "`range` is Python; in Rust it is `0..n`, as in `for i in 0..n { ... }`"),
            ("def f(x): return x", "`def` is Python; in Rust a function is written `fn f(x: f32) -> f32 { ... }`"),
            ("for i in range(3):\n    i", "in Rust a block is enclosed in `{` and `}`, without a `:` before it:\n    for i in 0..3 {"),
            ("# the sum\n1", "a comment begins with `//` in Rust:\n    // the sum"),
            ("let one = 1; # one", "a comment begins with `//` in Rust:\n    let one = 1; // one"),
            ("not true", "`not` is Python; in Rust the opposite of a condition is written `!condition`"),
            ("let f = lambda x: x", "`lambda` is Python; in Rust it is `|x| x + 1`"),
            ("q @ q", "`@` is Python; in Rust the product of matrices is `a.dot(&b)`"),
            ("q[0, 1]", "an index of several numbers is written in two pairs of brackets:\n    q[[0, 1]]"),
            ("q[:, 0]", "a part of an array is taken with `slice`, and `..` stands for Python's `:`:"),
            ("[x * 2 for x in 0..3]", "`[... for x in ...]` is Python; in Rust a list is built with"),
            ('f"{y}"', '`f"..."` is Python; in Rust it is `format!("...")`'),
            ("q.max()", "arrays have no `max` in Rust; write\n    q.iter().copied().fold(f32::NEG_INFINITY, f32::max)"),
            ("let nothing = None;", "`None` is a missing value, and Rust must know its type:"),
            ("True", "`True` is Python; in Rust it is `true`"),
            ("len(q)", "`len` is Python; in Rust it is the method `x.len()`"),
            ("np.exp(v)", "`np.exp` is Python; in Rust it is the method `v.exp()`"),
            ("np.array([1.0, 2.0])", "`np.array` is Python; in Rust it is `array![1.0, 2.0]`"),
            ("torch.zeros(2, 3)", "`torch.zeros` is Python; in Rust it is `Array2::<f32>::zeros((2, 3))`, with one"),
            ("math.pi", "`math.pi` is Python; in Rust it is `std::f32::consts::PI`"),
            ("sorted(v)", "`sorted` is Python; in Rust it is `let mut copy = x.to_vec(); copy.sort_by("),
            ("list(0..3)", "`list` is Python; in Rust it is the method `x.to_vec()`, for a range"),
            ("let whole: int = 3;", "`int` is Python; in Rust it is `i32`, for lengths and indices `usize`"),
            ('input("Name: ")', "`input` is Python; in Rust it is `let mut line = String::new(); std::io::stdin()"),
            ("let least = -inf;", "`inf` is Python; in Rust it is `f32::INFINITY`"),
            ("type(v)", "`type(x)` is Python; in Rust `std::any::type_name_of_val(&x)` names a type, and `:vars`"),
            ("let text = 'Your journey';", "in Rust, text is written in double quotes; single quotes are for one "
             'character:\n    let text = "Your journey";'),
            ("bars(&v, &['the cat', 'a'])", "in Rust, text is written in double quotes; single quotes are for one "
             'character:\n    bars(&v, &["the cat", "a"])'),
            ("q.reshape(-1, 1)", "`to_shape` gives an array another shape; write\n    q.to_shape((q.len(), 1))"),
            ('let mut words = vec!["a"]; words.append("x");', "in Rust `append` takes a whole list, `&mut other`; to add "
             'one value, use `push`:\n    let mut words = vec!["a"]; words.push("x");'),
            ("v.sort()", "arrays have no `sort` in Rust; write\n    let mut sorted = v.to_vec(); sorted.sort_by("),
            ("vec![2.0, 1.0].sort()", "f32 and f64 are sorted with `sort_by` and a comparison:\n"
             "    vec![2.0, 1.0].sort_by(f32::total_cmp)"),
            ("let half = n // 2;", "`//` begins a comment in Rust; integers are divided with `/`, which drops the "
             "remainder:\n    let half = n / 2;"),
            ("q^2", "a power is a method in Rust: `x.powi(2)`"),
            ('slider("t", 0..10, 1, move |t: i32| format!("{t}"))', "`..` leaves out the end of a range, and this one "
             'must include it: write `..=`:\n    slider("t", 0..=10, 1,'),
            ("fn overview() -> f32 { 1.0 }\noverview", "`overview` is a function, so it needs `()` after its name:\n"
             "    overview()"),
            ("q.shape", "`shape` is a method, so it needs `()` after its name:\n    q.shape()"),
            ("my_softmax(&q)", "no cell that has run so far defines `my_softmax`: run the cell that does before this"),
            ("m + 1.0", "no cell that has run so far defines `m`: run the cell that does before this"),
            ("y / q.ncols().sqrt()", "`sqrt` is a method of floats, and this is usize: convert it first:\n"
             "    y / (q.ncols() as f32).sqrt()"),
            ("2.sqrt()", "`sqrt` is a method of floats, and this is an integer: write the point and the "
             "type:\n    2.0_f32.sqrt()"),
            ("y ** 2", "a power is a method in Rust: `x.powi(2)`, for an array `x.mapv(|value| value.powi(2))`"),
            ("q.T", "the transpose is the method `.t()`"),
            ("q.T()", "the transpose is the method `.t()`"),
            ("q.sum_axis(1)", "an axis is not just a number: 0 goes down the rows, 1 along each row:\n    q.sum_axis(Axis(1))"),
            ("q.iter().sum()", "the sum of an iterator could have several types: say which:\n    q.iter().sum::<f32>()"),
            ("for i in q.len() {}", "a loop runs over a range or over the values of something:\n    for i in 0..q.len() {}"),
            ("let mut out = q.clone(); out.row(0) = q.row(1);", "a row is not assigned with `=`: its numbers are copied"),
            ('println!("{y:.2f}")', 'write the number of decimals without an `f`:\n    println!("{y:.2}")'),
            ("q.sum(1)", "`sum` covers all values; along one axis, use `sum_axis(Axis(1))`"),
            ('println!("{}", y', "the `(` on line 1 is not closed"),
            ('print("x")', "`print!` is a macro: it needs its `!`, and a string with placeholders for values"),
            ("let zeros = Array2::zeros((2, 3));", "Rust must know the type of the array's numbers, f32 or f64:\n"
             "    let zeros = Array2::<f32>::zeros((2, 3));"),
            ("softmax(&[1.0, 2.0])", "an ndarray array is expected here, and a Rust list is not one: make one "
             "with `array!`:\n    softmax(&array![1.0, 2.0])"),
            ('println!("{}", vec![1])', "this type is printed with `{:?}` instead of `{}`"),
            ("let m: f32 = 1;", "an integer is not a float in Rust: write the decimal point:\n    let m: f32 = 1.0;"),
        ]:
            reply = self.fails("CompileError", code)
            self.assertEqual(reply["evalue"][: len(told)], told, reply["evalue"])
            for internal in ("evcxr", "VariableStore"):
                self.assertNotIn(internal, reply["evalue"])

    def test_one_mistake_is_told_once(self):
        for code in ["def f(x): return x*2", "def f(x):\n    y = x * 2\n    return y", "let text = 'a', 'the dog', 'it';"]:
            reply = self.fails("CompileError", code)
            self.assertEqual(reply["evalue"].count("error"), 1, reply["evalue"])

    def test_a_variable_with_the_name_of_its_function_is_remarked_on(self):
        (kind, content, _), = self.kernel.run("let causal_mask = causal_mask(2);")[1]
        self.assertEqual(kind, "stream")
        self.assertIn("hides the function `causal_mask` in later cells: write `attention::prelude::causal_mask(...)`", content["text"])
        self.fails("CompileError", "causal_mask(3)")
        self.assertIn("(3, 3)", self.kernel.value("attention::prelude::causal_mask(3)"))
        self.kernel.run("drop(causal_mask);")

    def test_what_python_computes_otherwise_is_remarked_on(self):
        for code, value, remark in [
            ("2^3", "1", "[`^` combines the bits of integers in Rust; a power is `2_i32.pow(3)`, which is 8.]\n"),
            ("5 / 2", "2", "[Dividing integers drops the remainder in Rust; `5.0 / 2.0` is 2.5.]\n"),
            ("7 // 2", "7", "[`//` begins a comment in Rust, so this is 7. `7 / 2` is 3: dividing integers drops the remainder.]\n"),
        ]:
            reply, outputs = self.kernel.run(code)
            self.assertEqual(reply["status"], "ok", reply)
            shown = [content.get("text") or content["data"]["text/plain"] for _, content, _ in outputs]
            self.assertEqual(shown, [value, remark])
        self.assertEqual(len(self.kernel.run("6 / 2")[1]), 1)
