"""Introduces plausible defects into a copy of the project, one at a time, and reports those that
no test catches.

Usage: python tests/defects/run.py [PATTERN ...]
Needs only Python 3.11 or newer. See README.md in this folder.
"""

import argparse
import contextlib
import fnmatch
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parent.parent

# Compiling a crate for each defect takes most of the time, so it is optimised only slightly, in
# many units, and incrementally. These are options rather than variables, because variables would
# also affect the cargo that tests start for cells.
FASTER = [
    "build.incremental=true",
    "profile.release.opt-level=1",
    "profile.release.codegen-units=16",
]

RED, GREEN, BAD = "red", "GREEN", "does not compile"


def read_lists():
    """Reads all defects, each with the name of its list and the commands that test it."""
    defects = []
    for file in sorted(HERE.glob("*.toml")):
        with open(file, "rb") as opened:
            content = tomllib.load(opened)
        of_list = content["tests"]
        for defect in content["defect"]:
            allowed = {"name", "file", "old", "new", "tests", "stays_green"}
            wrong = set(defect) - allowed or {"name", "file", "old", "new"} - set(defect)
            if wrong:
                sys.exit(f"{file.name}: {defect.get('name', 'a defect')}: look at {', '.join(sorted(wrong))}")
            first = [expanded(command, of_list) for command in defect.get("tests", [])]
            rest = [expanded(command, of_list) for command in of_list["commands"]]
            defect["narrow"] = first or rest[:1]
            defect["commands"] = list(dict.fromkeys(first + rest))
            defect["prepare"] = [expanded(command, of_list) for command in of_list.get("prepare", [])]
            defect["limit"] = of_list.get("limit", 300)
            defect["list"] = file.stem
            defects.append(defect)
    names = [(defect["list"], defect["name"]) for defect in defects]
    for name in names:
        if names.count(name) > 1:
            sys.exit(f"{name[0]}.toml: two defects are called \"{name[1]}\"")
    return defects


def expanded(command, of_list):
    """A command, with `{name}` replaced by the text of that name in the list's table."""
    return re.sub(r"\{(\w+)\}", lambda found: of_list[found[1]], command)


def chosen(defects, patterns):
    """The defects whose list, or list and name, matches one of the patterns."""
    if not patterns:
        return defects
    def is_chosen(defect):
        whole = f"{defect['list']}: {defect['name']}"
        return any(
            pattern == defect["list"] or pattern in whole or fnmatch.fnmatch(whole, pattern)
            for pattern in patterns
        )
    return [defect for defect in defects if is_chosen(defect)]


def check_texts(defects, root):
    """Lists the defects whose text does not occur exactly once in its file."""
    wrong = []
    for defect in defects:
        file = root / defect["file"]
        count = file.read_text().count(defect["old"]) if file.is_file() else None
        found = "there is no such file" if count is None else f"`old` occurs {count} times"
        if defect["old"] == defect["new"]:
            wrong.append(f"{defect['list']}: {defect['name']}: `old` and `new` are the same")
        elif count != 1:
            wrong.append(f"{defect['list']}: {defect['name']}: {found} in {defect['file']}")
    return wrong


def copy_project(tree):
    """Makes `tree` a copy of the project, without files that git ignores. Unchanged files keep
    their times, so that cargo recompiles only what has changed."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=PROJECT, check=True, capture_output=True, text=True,
    ).stdout
    wanted = {name for name in listed.split("\0") if name and (PROJECT / name).is_file()}
    kept = {"target", ".jupyter", "__pycache__"}  # created there by the tests
    for folder, folders, files in os.walk(tree):
        folders[:] = [name for name in folders if name not in kept]
        for name in files:
            path = pathlib.Path(folder) / name
            if str(path.relative_to(tree)) not in wanted:
                path.unlink()
    for name in wanted:
        source, copy = PROJECT / name, tree / name
        if not copy.is_file() or copy.read_bytes() != source.read_bytes():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy)
            shutil.copymode(source, copy)


class Workshop:
    """The copy of the project, and the folder where cargo compiles it."""

    def __init__(self, folder, target):
        self.tree, self.target = folder / "tree", target or folder / "target"
        self.tree.mkdir(parents=True, exist_ok=True)
        options = [*FASTER, f'build.target-dir="{self.target}"']
        self.cargo = [part for option in options for part in ("--config", option)]
        self.environment = {
            **os.environ,
            "CARGO_TERM_COLOR": "never",
            # The kernel's list installs front ends here.
            "PYTHONPATH": str(self.target / "tmp" / "front_ends"),
            # The tests of the program create what they need here.
            "ATTENTION_NOTEBOOKS_GENERATED": str(self.tree / ".jupyter"),
        }

    def run(self, command, limit):
        """Runs a command, and returns its exit code and output; the code is None if it had to be killed."""
        arguments = shlex.split(command)
        if arguments[0] == "cargo":
            arguments[2:2] = self.cargo
        if arguments[0] == "python":  # the one with Jupyter
            arguments[0] = str(self.tree / ".jupyter/python/bin/python")
        # A file, not a pipe: kernels left behind would hold a pipe open.
        with tempfile.TemporaryFile("w+", errors="replace") as output:
            process = subprocess.Popen(
                arguments, cwd=self.tree, env=self.environment, start_new_session=True,
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            )
            try:
                code = process.wait(timeout=limit)
            except subprocess.TimeoutExpired:
                code = None
            finally:  # kills what the command has left running, even if this program is stopped
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            output.seek(0)
            return code, output.read()

    def run_all(self, commands, limit):
        """Runs the commands until one is red; returns the outcome, and which test caught the defect."""
        for command in commands:
            code, output = self.run(command, limit)
            if code == 0:
                continue
            if code is None:
                return RED, f"no end after {limit} s: {command}"
            if not_compiled := re.search(r"^error: could not compile .*", output, re.MULTILINE):
                first = re.search(r"^error.*(?:\n.*){0,6}", output, re.MULTILINE)
                return BAD, first[0] if first else not_compiled[0]
            return RED, first_failure(command, output)
        return GREEN, ""

    def apply(self, defect):
        file = self.tree / defect["file"]
        original = file.read_text()
        file.write_text(original.replace(defect["old"], defect["new"]))
        return file, original


def first_failure(command, output):
    """The first test that failed, according to cargo or Python's unittest."""
    patterns = [
        r"^test (.+?) \.\.\. FAILED$",
        r"^(?:FAIL|ERROR): (\w+)",
        r"^    (\S+)$(?=(?:\n    \S+$)*\n\ntest result: FAILED)",
        r"^(Couldn't compile the test\.)",
    ]
    for pattern in patterns:
        if found := re.search(pattern, output, re.MULTILINE):
            return found[1]
    last = [line for line in output.splitlines() if line.strip()][-1:]
    return f"{command}: {' '.join(last)[:120]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("pattern", nargs="*", help="a list (flash), or a part of `list: name`; * stands for anything")
    parser.add_argument("--list", action="store_true", help="print the defects and end")
    parser.add_argument("--check-only", action="store_true", help="check that each `old` occurs exactly once, and end")
    parser.add_argument("--narrow", action="store_true", help="only the tests that a defect names, or the first command of its list")
    parser.add_argument("--again", action="store_true", help="also the defects that the results have as red")
    parser.add_argument("--skip-baseline", action="store_true", help="do not run the tests on the unchanged copy first")
    parser.add_argument("--folder", type=pathlib.Path, default=PROJECT / "target" / "defects",
                        help="where the copy is made [default: target/defects]")
    parser.add_argument("--target", type=pathlib.Path, help="cargo's folder [default: target in that folder]")
    parser.add_argument("--results", type=pathlib.Path, help="[default: results.tsv in that folder]")
    options = parser.parse_args()

    defects = chosen(read_lists(), options.pattern)
    if not defects:
        sys.exit("no defect is like that; --list prints them all")
    if options.list:
        for defect in defects:
            print(f"{defect['list']}: {defect['name']}")
        print(f"{len(defects)} defects")
        return
    if wrong := check_texts(defects, PROJECT):
        sys.exit("\n".join(wrong))
    if options.check_only:
        print(f"{len(defects)} defects, and each text occurs once")
        return

    options.folder.mkdir(parents=True, exist_ok=True)
    results = options.results or options.folder / "results.tsv"
    known = read_results(results)
    is_red = lambda defect: known.get((defect["list"], defect["name"]), ("",))[0] == RED
    todo = [defect for defect in defects if options.again or not is_red(defect)]
    workshop = Workshop(options.folder.resolve(), options.target and options.target.resolve())
    copy_project(workshop.tree)
    which = "narrow" if options.narrow else "commands"
    if todo and not options.skip_baseline:
        check_baseline(workshop, todo, which)
    for number, defect in enumerate(todo, 1):
        began = time.monotonic()
        file, original = workshop.apply(defect)
        try:
            outcome, by = workshop.run_all(defect[which], defect["limit"])
        finally:
            file.write_text(original)
        seconds = time.monotonic() - began
        known[defect["list"], defect["name"]] = (outcome, by)
        # Written line by line, so that an interrupted run can continue where it stopped.
        line = [defect["list"], defect["name"], outcome, f"{seconds:.0f} s", " ".join(by.split())]
        with open(results, "a") as table:
            table.write("\t".join(line) + "\n")
        print(f"{number}/{len(todo)}  " + "  ".join(line), flush=True)
        if outcome == BAD:
            print(by, flush=True)
    sys.exit(summary(defects, known))


def check_baseline(workshop, defects, which):
    """Exits if a test fails without any defect: its failure would prove nothing about one."""
    both = [command for kind in ("prepare", which) for defect in defects for command in defect[kind]]
    commands = list(dict.fromkeys(both))
    limit = 4 * max(defect["limit"] for defect in defects)  # the first run also compiles everything and sets up
    for command in commands:
        print(f"without a defect: {command}", flush=True)
        outcome, by = workshop.run_all([command], limit)
        if outcome != GREEN:
            sys.exit(f"red without any defect: {by}\nin {workshop.tree}, with {command}")


def read_results(file):
    """The latest outcome of each defect."""
    if not file.is_file():
        return {}
    rows = [line.split("\t") for line in file.read_text().splitlines()]
    return {(row[0], row[1]): (row[2], row[4]) for row in rows if len(row) == 5}


def summary(defects, known):
    """Prints which defects stay green; returns 0 if at most 5 % do, each with a reason, and the rest are red."""
    outcomes = [(defect, known.get((defect["list"], defect["name"]), ("not run", ""))) for defect in defects]
    green = [defect for defect, outcome in outcomes if outcome[0] == GREEN]
    count = {kind: sum(outcome[0] == kind for _, outcome in outcomes) for kind in (RED, GREEN, BAD, "not run")}
    print("\n" + ", ".join(f"{number} {kind}" for kind, number in count.items() if number))
    for defect in green:
        print(f"GREEN  {defect['list']}: {defect['name']}: {defect.get('stays_green', 'NO REASON')}")
    for defect, outcome in outcomes:
        if outcome[0] == RED and "stays_green" in defect:
            print(f"red now, but its list says that it stays green: {defect['list']}: {defect['name']}")
        if outcome[0] == BAD:
            print(f"BADLY WRITTEN, does not compile  {defect['list']}: {defect['name']}")
    unexplained = any("stays_green" not in defect for defect in green)
    return int(unexplained or count[BAD] > 0 or 20 * len(green) > len(defects))


if __name__ == "__main__":
    main()
