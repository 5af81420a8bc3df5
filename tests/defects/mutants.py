"""Runs a crate's tests on every mutant of `cargo mutants`, with all mutants compiled at once.

Usage: python tests/defects/mutants.py PACKAGE [REGEX]
Needs Python 3.11 or newer and cargo-mutants. See README.md in this folder.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

from run import PROJECT, copy_project

FOLDER = PROJECT / "target" / "mutants"
TREE, TARGET = FOLDER / "tree", FOLDER / "target"

PROFILE = "--profile=mutants"
# Lints that are errors would also refuse mutants that only overflow.
ENVIRONMENT = {
    **os.environ,
    "CARGO_TARGET_DIR": str(TARGET),
    "RUSTFLAGS": "--cap-lints=warn",
    # Without the trained models, their tests would pass whatever they read.
    "ATTENTION_NOTEBOOKS_MODEL": "required",
    "RUST_TEST_THREADS": "1",
    "RAYON_NUM_THREADS": "1",
    "RUST_MIN_STACK": str(1 << 29),  # the variables of all mutants of a function take space on its stack
}

CAUGHT, ENDLESS, MISSED, BAD, CONSTANT = "caught", "no end", "MISSED", "does not compile", "constant"

# What a crate gets, so that a variable of the environment chooses the mutant. 0 is the original code. While a test
# is traced, the code also notes which of the parts with mutants the test reaches.
SWITCH = """
#[doc(hidden)]
#[allow(missing_docs, clippy::all)]
pub mod mutants {
    use std::io::Write;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

    const UNKNOWN: usize = usize::MAX;
    const TRACED: usize = usize::MAX - 1;
    static CHOSEN: AtomicUsize = AtomicUsize::new(UNKNOWN);
    static REACHED: [AtomicBool; PARTS] = [const { AtomicBool::new(false) }; PARTS];

    #[inline(always)]
    pub fn chosen(part: usize) -> usize {
        let chosen = CHOSEN.load(Relaxed);
        if chosen >= TRACED { first(part) } else { chosen }
    }

    #[cold]
    #[inline(never)]
    fn first(part: usize) -> usize {
        let Ok(trace) = std::env::var("MUTANT_TRACE") else {
            let chosen = std::env::var("MUTANT").map_or(0, |number| number.parse().unwrap());
            CHOSEN.store(chosen, Relaxed);
            return chosen;
        };
        CHOSEN.store(TRACED, Relaxed);
        if !REACHED[part].swap(true, Relaxed) {
            let file = std::fs::OpenOptions::new().create(true).append(true).open(trace);
            writeln!(file.unwrap(), "{part}").unwrap();
        }
        0
    }
}
"""


@dataclasses.dataclass
class Mutant:
    number: int
    name: str
    begin: int
    end: int
    replacement: str
    part: int = None


@dataclasses.dataclass
class Part:
    """The body of a function or closure that contains mutants."""
    file: str
    begin: int
    end: int
    mutants: list


@dataclasses.dataclass
class Test:
    program: str
    name: str
    reached: set = None
    seconds: float = 0
    is_green: bool = False


def cargo(*arguments):
    return subprocess.run(["cargo", *arguments], cwd=TREE, env=ENVIRONMENT, capture_output=True, text=True)


def end_of(text, at, ends):
    """The place of the first of the characters `ends` outside of brackets."""
    depth = 0
    while depth or text[at] not in ends:
        depth += (text[at] in "([{") - (text[at] in ")]}")
        at += 1
    return at


def body_of_function(text, name, begin, end):
    """The body, with its braces; None if the function is evaluated at compile time, or each body has its own type."""
    head = re.compile(r"\bfn\s+" + re.escape(name.split("::")[-1]) + r"\b").search(text, begin, end)
    brace = end_of(text, head.end(), "{")
    is_fixed = re.search(r"\bconst\s+(unsafe\s+)?$", text[begin:head.start()])
    return None if is_fixed or "-> impl " in text[head.end():brace] else (brace, end)


def body_of_closure(text, begin, end):
    """The body of the innermost closure around a mutant of a constant; None if there is none."""
    heads = list(re.finditer(r"[(=, ]\|[^|\n]*\| ?", text[:begin]))
    if not heads:
        return None
    body = heads[-1].end(), end_of(text, heads[-1].end(), ",;)]}")
    return body if body[1] >= end else None


def find_parts(package, pattern):
    """The texts of the files with mutants, the parts with those that match, and the names of those outside of parts."""
    listed = cargo("mutants", "--list", "--json", "--package", package)
    if listed.returncode:
        sys.exit(listed.stderr)
    chosen = [(n, mutant) for n, mutant in enumerate(json.loads(listed.stdout), 1) if pattern.search(mutant["name"])]
    # Always inlined, each call of a function would get all its mutants.
    inlined = "#[inline(always)]"
    read = lambda file: (TREE / file).read_text().replace(inlined, "#[inline]".ljust(len(inlined)))
    texts = {mutant["file"]: read(mutant["file"]) for _, mutant in chosen}
    found, constants = {}, []
    for number, described in chosen:
        file, function = described["file"], described["function"]
        text = texts[file]
        lines = [0] + [line.end() for line in re.finditer("\n", text)]
        place = lambda span: [lines[span[k]["line"] - 1] + span[k]["column"] - 1 for k in ("start", "end")]
        mutant = Mutant(number, described["name"], *place(described["span"]), described["replacement"])
        if function:
            body = body_of_function(text, function["function_name"], *place(function["span"]))
        else:
            body = body_of_closure(text, mutant.begin, mutant.end)
        if body:
            found.setdefault((file, *body), []).append(mutant)
        else:
            constants.append(mutant.name)
    # What is inside another part belongs to it.
    parts = []
    for (file, begin, end), mutants in sorted(found.items(), key=lambda item: (*item[0][:2], -item[0][2])):
        if parts and parts[-1].file == file and begin < parts[-1].end:
            parts[-1].mutants += mutants
        else:
            parts.append(Part(file, begin, end, mutants))
    for number, part in enumerate(parts):
        for mutant in part.mutants:
            mutant.part = number
    return texts, parts, constants


def write(texts, parts, without):
    """Writes the sources with all mutants but those; returns the mutant of each line that has one."""
    of_line = {}
    for file, text in texts.items():
        written, last = "", 0
        for number, part in enumerate(parts):
            if part.file != file:
                continue
            written += text[last:part.begin] + f"{{ match crate::mutants::chosen({number}) {{\n"
            for mutant in part.mutants:
                if mutant.number not in without:
                    first = written.count("\n") + 1
                    before, after = text[part.begin:mutant.begin], text[mutant.end:part.end]
                    written += f"{mutant.number} => {{ {before} {mutant.replacement} {after} }}\n"
                    of_line |= {(file, line): mutant for line in range(first, written.count("\n") + 1)}
            written += f"_ => {{ {text[part.begin:part.end]} }}\n}} }}"
            last = part.end
        (TREE / file).write_text(written + text[last:])
    return of_line


def places(message):
    """Where the compiler sees an error: first the line itself, then what it mentions."""
    for span in sorted(message["spans"], key=lambda span: not span["is_primary"]):
        while span:
            yield span["file_name"], span["line_start"]
            span = span["expansion"] and span["expansion"]["span"]
    for child in message["children"]:
        yield from places(child)


def write_those_that_compile(package, texts, parts):
    """Writes the sources; returns the mutants that had to be left out."""
    without = {}
    while True:
        of_line = write(texts, parts, without)
        checked = cargo("check", PROFILE, "--package", package, "--lib", "--message-format=json")
        if checked.returncode == 0:
            return list(without.values())
        errors = [line["message"] for line in map(json.loads, checked.stdout.splitlines()) if "message" in line]
        errors = [error for error in errors if error["level"] == "error" and error["spans"]]
        wrong = [next((of_line[place] for place in places(error) if place in of_line), None) for error in errors]
        if not any(wrong):
            sys.exit("\n".join(error["rendered"] for error in errors) or checked.stderr)
        without |= {mutant.number: mutant for mutant in wrong if mutant}
        print(f"{len(without)} do not compile", flush=True)


def compile_tests(package):
    """Compiles the crate's tests and returns those of unit and integration tests."""
    built = cargo("test", PROFILE, "--package", package, "--no-run", "--lib", "--tests", "--message-format=json")
    if built.returncode:
        sys.exit(built.stderr)
    artifacts = map(json.loads, built.stdout.splitlines())
    programs = [artifact["executable"] for artifact in artifacts if artifact.get("executable")]
    for program in programs:
        listed = subprocess.run([program, "--list"], capture_output=True, text=True, cwd=TREE).stdout
        for name in re.findall(r"^(.*): test$", listed, re.MULTILINE):
            yield Test(program, name)


class Runner:
    """Runs tests of a crate, each process with an empty folder for files, so that two can run at once."""

    def __init__(self, folder):
        self.folder = folder
        (TARGET / "tmp").mkdir(exist_ok=True)
        self.alone = ["unshare", "--map-root-user", "--mount", "sh", "-c", 'mount -t tmpfs none "$0" && exec "$@"']
        self.alone.append(str(TARGET / "tmp"))
        self.can_be_two = shutil.which("unshare") and subprocess.run([*self.alone, "true"]).returncode == 0
        if not self.can_be_two:
            self.alone = []

    def run(self, tests, variable, limit):
        """Whether the tests are green, or None if they have not ended in time."""
        command = [*self.alone, tests[0].program, "--exact", "--include-ignored", *(test.name for test in tests)]
        process = subprocess.Popen(
            command, cwd=self.folder, env=ENVIRONMENT | variable, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace",
        )
        is_late = threading.Event()
        def stop():
            is_late.set()
            os.killpg(process.pid, signal.SIGKILL)
        timer = threading.Timer(limit, stop)
        timer.start()
        try:
            for line in process.stdout:
                if line.startswith("test ") and line.endswith("FAILED\n"):
                    return False
            is_green = process.wait() == 0
            return None if is_late.is_set() else is_green
        finally:
            timer.cancel()
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def trace(self, test):
        """Notes which parts the test reaches and how long it takes, without any mutant."""
        trace = FOLDER / f"trace-{threading.get_ident()}"
        began = time.monotonic()
        test.is_green = self.run([test], {"MUTANT_TRACE": str(trace)}, 900)
        test.seconds = time.monotonic() - began
        test.reached = set(map(int, trace.read_text().split())) if trace.exists() else set()
        trace.unlink(missing_ok=True)

    def examples_notice(self, package, mutant):
        """Whether an example in the documentation fails. This takes a long time, because all of them
        are compiled each time."""
        variable = ENVIRONMENT | {"MUTANT": str(mutant.number)}
        command = ["cargo", "test", PROFILE, "--package", package, "--doc"]
        return subprocess.run(command, cwd=TREE, env=variable, capture_output=True).returncode != 0

    def judge(self, mutant, tests):
        """Runs the tests that reach the mutant's part, the fastest first; returns the outcome and the test."""
        batches = []
        for test in (test for test in tests if mutant.part in test.reached):
            batch = batches[-1] if batches else [test]
            is_short = sum(test.seconds for test in batch) + test.seconds < 0.5
            if batches and is_short and batch[0].program == test.program:
                batch.append(test)
            else:
                batches.append([test])
        for batch in batches:
            limit = 8 + 6 * sum(test.seconds for test in batch)
            is_green = self.run(batch, {"MUTANT": str(mutant.number)}, limit)
            if not is_green:
                outcome = ENDLESS if is_green is None else CAUGHT
                return outcome, batch[0].name if len(batch) == 1 else f"{batch[0].name} or {len(batch) - 1} more"
        return MISSED, "" if batches else "no test reaches it"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("package")
    parser.add_argument("regex", nargs="?", default="", help="only mutants whose name matches, such as src/layers/")
    parser.add_argument("--doc", action="store_true", help="also run the documentation's examples on what survives")
    parser.add_argument("--skip", action="append", default=[], metavar="PART", help="no tests with this in their names")
    options = parser.parse_args()

    TREE.mkdir(parents=True, exist_ok=True)
    copy_project(TREE)
    texts, parts, constants = find_parts(options.package, re.compile(options.regex))
    if not parts:
        sys.exit(f"no mutant of {options.package} is like that: `cargo mutants --list` prints them all")
    folder = TREE / parts[0].file.split("/src/")[0]
    library = str((folder / "src" / "lib.rs").relative_to(TREE))
    texts.setdefault(library, (TREE / library).read_text())
    texts[library] += SWITCH.replace("PARTS", str(len(parts)))

    bad = write_those_that_compile(options.package, texts, parts)
    tests = [test for test in compile_tests(options.package) if not any(part in test.name for part in options.skip)]
    mutants = [mutant for part in parts for mutant in part.mutants if mutant not in bad]
    print(f"{len(mutants)} mutants and {len(tests)} tests", flush=True)
    runner = Runner(folder)
    results = [(CONSTANT, name, "") for name in constants] + [(BAD, mutant.name, "") for mutant in bad]
    with concurrent.futures.ThreadPoolExecutor(2 if runner.can_be_two else 1) as pool:
        list(pool.map(runner.trace, tests))
        for test in tests:
            if not test.is_green:
                print(f"red without a mutant, so it is not used: {test.name}", flush=True)
        tests = sorted((test for test in tests if test.is_green), key=lambda test: test.seconds)
        judged = pool.map(lambda mutant: (mutant, *runner.judge(mutant, tests)), mutants)
        for count, (mutant, outcome, by) in enumerate(judged, 1):
            if options.doc and outcome == MISSED and runner.examples_notice(options.package, mutant):
                outcome, by = CAUGHT, "an example"
            results.append((outcome, mutant.name, by))
            print(f"{count}/{len(mutants)}  {outcome}  {mutant.name}  {by}", flush=True)
    with open(FOLDER / f"{options.package}.tsv", "w") as table:
        table.writelines("\t".join(result) + "\n" for result in results)
    outcomes = [outcome for outcome, _, _ in results]
    kinds = (CAUGHT, ENDLESS, BAD, CONSTANT, MISSED)
    print("\n" + ", ".join(f"{outcomes.count(kind)} {kind}" for kind in kinds))
    for outcome, name, by in results:
        if outcome in (MISSED, CONSTANT):
            print(f"{outcome}  {name}  {by}")


if __name__ == "__main__":
    main()
