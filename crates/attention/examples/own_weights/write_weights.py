"""Writes the attention weights of any model from the package `transformers` for the example `own_weights`.

Usage: python write_weights.py MODEL "A sentence." weights.safetensors
Needs `pip install torch transformers safetensors`.
"""

import sys

import torch
from safetensors.torch import save_file
from transformers import AutoModel, AutoTokenizer

name, sentence, path = sys.argv[1:]
tokenizer = AutoTokenizer.from_pretrained(name)
model = AutoModel.from_pretrained(name, attn_implementation="eager").eval()
inputs = tokenizer(sentence, return_tensors="pt")
with torch.no_grad():
    layers = model(**inputs, output_attentions=True).attentions
weights = torch.stack([layer[0] for layer in layers]).contiguous()
tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"][0])
save_file({"weights": weights}, path, {"tokens": "\n".join(tokens)})
print(f"{tuple(weights.shape)}: layers, heads, tokens, tokens")
