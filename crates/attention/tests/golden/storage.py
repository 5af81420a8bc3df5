"""Writes the golden files, with every number as the shortest decimal that gives the same bits."""

import json
import math

import numpy as np
import torch


def number(value):
    """A number that JSON can represent: NaN and the infinities become strings."""
    if isinstance(value, np.float32):
        value = float(str(value))
    if isinstance(value, float) and not math.isfinite(value):
        return {"nan": "NaN"}.get(str(value), str(value))
    return value


def array(values):
    """Shape and data of a tensor or an array; the data is in row-major order, true is 1."""
    if isinstance(values, torch.Tensor):
        values = values.detach().numpy()
    values = np.asarray(values)
    if values.dtype == bool:
        values = values.astype(int)
    flat = values.ravel() if values.dtype == np.float32 else values.ravel().tolist()
    return {"shape": list(values.shape), "data": [number(value) for value in flat]}


def text(values, depth=0):
    """JSON with one line per name; an array, or a list of numbers or strings, stays on one line."""
    if isinstance(values, dict) and not set(values) <= {"shape", "data"}:
        brackets = "{}"
        lines = [f"{one_line(name)}: {text(child, depth + 1)}" for name, child in values.items()]
    elif isinstance(values, list) and any(isinstance(child, (dict, list)) for child in values):
        brackets = "[]"
        lines = [text(child, depth + 1) for child in values]
    else:
        return one_line(values)
    indent = "\n" + " " * depth
    return brackets[0] + indent + " " + f",{indent} ".join(lines) + indent + brackets[1]


def one_line(values):
    return json.dumps(values, ensure_ascii=False, allow_nan=False)


def differences(stored, made, path=""):
    """The places where two files differ, even in a single bit."""
    if isinstance(stored, dict) and isinstance(made, dict):
        places = []
        for name in [*stored, *(name for name in made if name not in stored)]:
            place = f"{path}/{name}"
            if name not in stored or name not in made:
                places.append(f"{place}: only in {'the stored file' if name in stored else 'what was made'}")
            else:
                places += differences(stored[name], made[name], place)
        return places
    if isinstance(stored, list) and isinstance(made, list) and len(stored) == len(made):
        return [place for i, pair in enumerate(zip(stored, made)) for place in differences(*pair, f"{path}/{i}")]
    # As JSON text, -0.0 differs from 0.0, and 1 from 1.0.
    return [] if json.dumps(stored) == json.dumps(made) else [f"{path}: {stored} is stored, {made} was made"]


def source():
    """The versions that produced a file."""
    return {"torch": torch.__version__.split("+")[0], "numpy": np.__version__}
