"""Executes a notebook the way Jupyter does, and writes it with its outputs to another file.

Errors of cells are stored as outputs.

Usage: python execute.py NOTEBOOK EXECUTED KERNEL
"""

import pathlib
import sys

import nbclient
import nbformat

path = pathlib.Path(sys.argv[1])
notebook = nbformat.read(path, as_version=4)
client = nbclient.NotebookClient(
    notebook,
    timeout=900,  # evcxr compiles the crates in the first cell
    kernel_name=sys.argv[3],
    allow_errors=True,
    resources={"metadata": {"path": str(path.parent)}},
)
client.execute()
nbformat.write(notebook, sys.argv[2])
