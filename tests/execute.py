"""Executes a notebook as Jupyter does, and writes it with its outputs to another file.

Usage: python execute.py NOTEBOOK EXECUTED
"""

import pathlib
import sys

import nbclient
import nbformat

path = pathlib.Path(sys.argv[1])
notebook = nbformat.read(path, as_version=4)
client = nbclient.NotebookClient(
    notebook, timeout=300, kernel_name="attention", resources={"metadata": {"path": str(path.parent)}}
)
client.execute()
nbformat.write(notebook, sys.argv[2])
