"""Programs other than JupyterLab that run notebooks and cells: papermill and the console."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest


def run(*arguments, **more):
    done = subprocess.run([sys.executable, "-W", "ignore", "-m", *arguments], capture_output=True, text=True, timeout=300, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


class FrontEnds(unittest.TestCase):
    def test_papermill_runs_a_notebook_that_knows_the_crate_without_a_line(self):
        code = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
        sources = ['println!("{}", softmax(&array![0.0, 0.0]));', "heatmap(&array![[0.5, 1.0]])"]
        notebook = {
            "cells": [{**code, "id": f"cell-{place}", "source": source} for place, source in enumerate(sources)],
            "metadata": {"kernelspec": {"name": "attention", "display_name": "Rust (attention)", "language": "rust"}},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
        with tempfile.TemporaryDirectory() as folder:
            blank, executed = pathlib.Path(folder, "blank.ipynb"), pathlib.Path(folder, "executed.ipynb")
            blank.write_text(json.dumps(notebook))
            run("papermill", str(blank), str(executed))
            first, second = (cell["outputs"] for cell in json.loads(executed.read_text())["cells"])
        self.assertEqual([output["text"] for output in first], [["[0.5, 0.5]\n"]])
        self.assertIn("image/svg+xml", second[0]["data"])

    def test_the_console_shows_values_and_asks_for_input(self):
        ask = "let mut line = String::new(); std::io::stdin().read_line(&mut line)?; line.len()"
        shown = run("jupyter_console", "--kernel=attention", "--simple-prompt", input=f"20 + 1\n{ask}\nhello\n")
        for number, value in ((1, 21), (2, 6)):
            self.assertIn(f"Out[{number}]: {value}\n", shown)
