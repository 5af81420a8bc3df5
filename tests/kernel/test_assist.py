"""Completion and descriptions: what places.json records must be among the answers."""

import json
import os
import pathlib
import re
import signal
import tempfile
import time
import unittest

from client import (
    Client,
    is_alive,
    needs_rust_analyzer,
    of_process,
    RUST_ANALYZER_SECONDS,
    wait_for_rust_analyzer,
    wait_until,
    WithKernel,
)

PLACES = json.loads((pathlib.Path(__file__).parent / "places.json").read_text())
# The places whose answers depend on the kernel's own cells. The tests of the crate cell-evaluator
# ask about all recorded places, without a kernel.
ABOUT = [
    "methods of an array",
    "fields and methods of an own struct",
    "fields through an index",
    "variants of an own enum",
    "a tuple",
    "an own macro",
    "an own module",
    "std: a map",
    "inside println",
    "a function of the prelude",
    "an own method",
    "a variable",
]
# Array types in the recorded answers, for which the kernel now shows the names that learners write.
ARRAY = re.compile(r"ArrayBase<OwnedRepr<(\w+)>, Dim<\[usize; (\d)\]>(, \w+|, <OwnedRepr<\w+> as RawData>::Elem)?>")


def name(text):
    return re.match(r"\w*", text).group()


def words(text):
    return " ".join(text.split())


class Asking:
    """A test case that asks its kernel about code."""

    def complete(self, code):
        place = code.find("‸")
        code = code.replace("‸", "")
        began = time.time()
        reply = self.kernel.reply_to(self.kernel.client.complete(code, len(code) if place < 0 else place))
        self.assertLess(time.time() - began, 15, code)
        return reply["matches"]

    def describe(self, code):
        place = code.find("‸")
        code = code.replace("‸", "")
        reply = self.kernel.reply_to(self.kernel.client.inspect(code, len(code) if place < 0 else place))
        return reply["data"].get("text/plain", "")

    def rust_analyzers(self):
        """The processes of this kernel's rust-analyzer."""
        is_one = lambda process: of_process(process, "comm").startswith("rust-analyz")
        return [process for process in self.kernel.processes() if is_one(process)]


class Places(Asking, WithKernel):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for cell in PLACES["cells"]:
            reply = cls.kernel.run(cell)[0]
            assert reply["status"] == "ok", reply

    def missing(self, place):
        if place["ask"] == "complete":
            return {name(text) for text in place["texts"][:20]} - {name(text) for text in self.complete(place["code"])}
        found = words(self.describe(place["code"]))
        text = ARRAY.sub(r"Array\2<\1>", place["text"])
        paragraphs = [one for one in text.split("\n\n") if one.strip() and not one.startswith("ctx")]
        begun = [words(one)[:40].split("{ /* … */ }")[0] for one in paragraphs[:3]]
        return {one for one in begun if one not in found}

    @needs_rust_analyzer
    def test_what_earlier_cells_define_is_known(self):
        wait_for_rust_analyzer(self.kernel.client)
        places = {place["about"]: place for place in PLACES["places"]}
        failed = {}
        for about in ABOUT:
            end = time.time() + RUST_ANALYZER_SECONDS
            while (missing := self.missing(places[about])) and time.time() < end:
                pass
            if missing:
                failed[about] = missing
        self.assertEqual(failed, {})

    def test_what_the_index_knows_is_answered_in_any_case(self):
        for code, first in PLACES["index"]["complete"]:
            self.assertIn(name(first), [name(text) for text in self.complete(code)], code)
        for code, text in PLACES["index"]["inspect"]:
            self.assertIn(name(text), self.describe(code), code)

    def test_commands_are_completed_and_described(self):
        self.assertEqual(self.complete(":d"), [":dep"])
        self.assertEqual(self.complete("// all\n  :or‸\n"), [":originals"])
        self.assertEqual(self.complete(":n"), [":numpy"])
        self.assertEqual(self.complete(":nothing"), [])
        self.assertIn(":originals: ", self.describe(":originals"))
        self.assertIn("softmax(scores)", self.complete(":vars\nsoftm"))

    def test_texts_and_comments_are_not_completed(self):
        for code in ('"softm', '"softm‸"', "// softm", "1 /* softm‸ */"):
            self.assertEqual(self.complete(code), [], code)

    @needs_rust_analyzer
    def test_cursors_count_characters(self):
        client = self.kernel.client
        wait_for_rust_analyzer(client)
        code = '"😀あ".starts_w'

        def is_completed():
            client.complete(code, len(code))
            content = client.get_shell_msg(timeout=30)["content"]
            found = any(match.startswith("starts_with") for match in content["matches"])
            if found:
                self.assertEqual((content["cursor_start"], content["cursor_end"]), (5, len(code)))
            return found

        # On a busy machine, rust-analyzer may answer too late.
        wait_until(is_completed, RUST_ANALYZER_SECONDS)

    @needs_rust_analyzer
    def test_a_description_has_no_private_fields(self):
        wait_for_rust_analyzer(self.kernel.client)
        self.kernel.run("let picture = attention::figures::heatmap(&attention::ndarray::array![[1.0_f32]]);")
        for code, described in (
            ('picture.title("weights")', "pub fn title(self, title: &str) -> Heatmap"),
            ("attention::figures::Heatmap", "/* private fields */"),
        ):
            place = code.find("(") if "(" in code else len(code)
            reply = {"data": {}}

            def is_described():
                reply.update(self.kernel.reply_to(self.kernel.client.inspect(code, place)))
                return "text/plain" in reply["data"]

            wait_until(is_described, RUST_ANALYZER_SECONDS)  # the answer may be late
            self.assertIn(described, reply["data"]["text/plain"])
            self.assertNotIn("title: String", str(reply["data"]))

    @needs_rust_analyzer
    def test_completions_are_what_can_be_written(self):
        wait_for_rust_analyzer(self.kernel.client)

        def completions(code, expected=None):
            """Asks until `expected` is among them: on a busy machine, rust-analyzer may be late."""
            matches = []

            def has_expected():
                matches[:] = self.complete(code)
                return expected is None or expected in matches

            wait_until(has_expected, RUST_ANALYZER_SECONDS)
            return matches

        everything = completions("if", "if let")
        everything += [text for code in ("", "l", "e", "_", "wh") for text in completions(code)]
        for text in everything:
            self.assertNotIn("$1", text)
            self.assertFalse("evcxr_" in text or text.startswith("__"), text)
        self.kernel.run("struct Pair { first: u8, second: u8 }\nimpl Pair { fn sum(&self) -> u8 { 1 } }")
        members = completions("Pair { first: 1, second: 2 }.", "sum()")
        self.assertLess(members.index("sum()"), members.index("first"), members)
        self.kernel.run("let figure = attention::figures::heatmap(&attention::ndarray::array![[1.0_f32]]);")
        self.assertNotIn("matrix", completions("figure.", "svg()"))


class Processes(Asking, unittest.TestCase):
    def setUp(self):
        self.kernel = Client()
        self.addCleanup(self.kernel.end)

    def first_question(self):
        """Asks about code, and returns the process of rust-analyzer, which is still loading the crates."""
        self.complete("1.0_f32.is_sign_n")
        wait_until(self.rust_analyzers)
        [process] = self.rust_analyzers()
        return process

    @needs_rust_analyzer
    def test_rust_analyzer_starts_with_the_first_question_and_ends_with_the_kernel(self):
        self.assertEqual(self.kernel.value("6 * 7"), "42")
        time.sleep(3)
        self.assertEqual(self.rust_analyzers(), [])
        process = self.first_question()
        self.kernel.client.shutdown()
        wait_until(lambda: not is_alive(process))

    @needs_rust_analyzer
    def test_rust_analyzer_ends_with_a_kernel_that_is_killed(self):
        self.assertEqual(self.kernel.value("6 * 7"), "42")
        process = self.first_question()
        os.kill(self.kernel.manager.provisioner.pid, signal.SIGKILL)
        wait_until(lambda: not is_alive(process))

    @needs_rust_analyzer
    def test_a_rust_analyzer_that_is_killed_or_hangs_is_not_missed(self):
        self.assertEqual(self.kernel.run("let number = 42;")[0]["status"], "ok")
        wait_for_rust_analyzer(self.kernel.client)
        os.kill(self.rust_analyzers()[0], signal.SIGSTOP)
        self.assertIn("number", self.complete("numb"))
        os.kill(self.rust_analyzers()[0], signal.SIGKILL)
        self.assertIn("number", self.complete("numb"))
        wait_for_rust_analyzer(self.kernel.client)

    @needs_rust_analyzer
    def test_a_crate_that_a_cell_loads_is_known_from_then_on(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "src").mkdir()
        (folder / "Cargo.toml").write_text('[package]\nname = "own"\nedition = "2024"\n')
        (folder / "src/lib.rs").write_text("/// Twice as much.\npub fn doubled(x: f32) -> f32 { x * 2.0 }\n")
        reply = self.kernel.run(f':dep own = {{ path = "{folder}" }}\nlet a = own::doubled(1.0);')[0]
        self.assertEqual(reply["status"], "ok", reply)
        wait_until(lambda: "doubled(x)" in self.complete("own::dou"), RUST_ANALYZER_SECONDS)
        wait_for_rust_analyzer(self.kernel.client)
        wait_until(lambda: "doubled(x)" in self.complete("own::dou"), RUST_ANALYZER_SECONDS)
        wait_until(lambda: "Twice as much." in self.describe("own::doubled"), RUST_ANALYZER_SECONDS)

    def test_questions_do_not_wait_for_a_cell_or_its_compilation(self):
        self.kernel.run("let number = 42;")
        request = self.kernel.begin('println!("on"); while !attention::notebook::interrupted() {}')
        for _ in range(3):
            self.assertIn("number", self.complete("numb"))
            self.assertIn("number", self.describe("number"))
        self.assertFalse(self.kernel.client.shell_channel.msg_ready())
        self.kernel.manager.interrupt_kernel()
        self.assertEqual(self.kernel.reply_to(request)["ename"], "Interrupted")
