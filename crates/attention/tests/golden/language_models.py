"""language_models.json: the first gradients and 20 steps of training of the four language models."""

import torch

from models import Attention, Averaging, Position, Softmax, Text, train
from storage import array

SIZES = {1337: 4, 7: 128}


def make():
    text = Text()
    models = {"softmax": Softmax, "averaging": Averaging, "position": Position, "attention": Attention}
    return {f"{name}_lm_{seed}": run(model, text, seed) for name, model in models.items() for seed in SIZES}


def norm(values):
    return values.detach().double().norm().item()


def run(new_model, text, seed):
    torch.manual_seed(seed)
    model = new_model()
    loss = model.loss(*text.batch(SIZES[seed]))
    loss.backward()
    parameters = {}
    for name, parameter in model.named_parameters():
        if parameter.grad is not None:
            first = array(parameter.grad.flatten()[:64])["data"]
            parameters[name] = {"data": first, "gradient_norm": norm(parameter.grad)}
    losses = train(model, text, SIZES[seed], 20)
    for name, parameter in model.named_parameters():
        if name in parameters:
            parameters[name]["norm_after"] = norm(parameter)
    return {
        "batch": SIZES[seed],
        "seed": seed,
        "first_loss": loss.item(),
        "losses": {"data": losses},
        "parameters": parameters,
    }
