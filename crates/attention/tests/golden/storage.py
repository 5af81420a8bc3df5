"""How the golden files are written: every number as the shortest decimal with the same bits."""

import json
import math

import numpy as np
import torch


def number(value):
    """A number as JSON can hold it: NaN and the infinities become texts."""
    if isinstance(value, np.float32):
        value = float(str(value))
    if isinstance(value, float) and not math.isfinite(value):
        return {"nan": "NaN"}.get(str(value), str(value))
    return value


def array(values):
    """Shape and data of a tensor or an array; the data lies row after row, true is 1."""
    if isinstance(values, torch.Tensor):
        values = values.detach().numpy()
    values = np.asarray(values)
    if values.dtype == bool:
        values = values.astype(int)
    flat = values.ravel() if values.dtype == np.float32 else values.ravel().tolist()
    return {"shape": list(values.shape), "data": [number(value) for value in flat]}


def text(values, depth=0):
    """JSON with one line for each name; a list of numbers or texts stays on one line."""
    inline = json.dumps(values, ensure_ascii=False, allow_nan=False)
    nested = [dict, list] if isinstance(values, list) else [dict]
    children = values.values() if isinstance(values, dict) else values if isinstance(values, list) else []
    is_array = isinstance(values, dict) and set(values) <= {"shape", "data"}
    if is_array or not any(type(child) in nested for child in children):
        return inline
    indent = "\n" + " " * (depth + 1)
    if isinstance(values, dict):
        lines = [f"{json.dumps(name, ensure_ascii=False)}: {text(child, depth + 1)}" for name, child in values.items()]
        open_, close = "{}"
    else:
        lines = [text(child, depth + 1) for child in values]
        open_, close = "[]"
    return f"{open_}{indent}{(',' + indent).join(lines)}\n{' ' * depth}{close}"


def differences(stored, made, path=""):
    """The places in which two files differ, in a value or its bits."""
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
    # The texts tell -0.0 from 0.0, and 1 from 1.0.
    return [] if json.dumps(stored) == json.dumps(made) else [f"{path}: {stored} is stored, {made} was made"]
