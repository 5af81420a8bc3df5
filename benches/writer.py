"""The model of lesson 09 in this crate, in PyTorch with f32 weights, and in llama.cpp with the same file.

    python3 -m venv /tmp/torch && /tmp/torch/bin/pip install torch numpy gguf
    npm install --prefix /tmp/llama node-llama-cpp@3.22
    LLAMA=/tmp/llama /tmp/torch/bin/python benches/writer.py

Run lesson 09 first, which downloads the model. Each is measured three times with each number of threads, alternating;
without LLAMA, llama.cpp is left out. PyTorch keeps keys and values in a cache, too. A ratio above 1 means that this
crate is faster. Every new token reads all weights once: 97 MB here and in llama.cpp, 538 MB in PyTorch. The memory's
speed is measured by adding up 537 MB of numbers.
"""

import os
import pathlib
import statistics
import sys
import time

from side_by_side import RUNS, THREADS, bench, medians, numbers, repeat

SECONDS = 1.0
HEADS, GROUPS, WIDTH, LAYERS = 9, 3, 64, 30
PROMPT, TOKENS = 32, 64
MEGABYTES = {"this crate": 97, "PyTorch": 538, "llama.cpp": 97}

LLAMA = """
import {getLlama} from "node-llama-cpp";
const [model_path, threads, prompt, tokens] = process.argv.slice(2);
const llama = await getLlama({gpu: false, build: "never", logLevel: "error", maxThreads: Number(threads)});
const model = await llama.loadModel({modelPath: model_path});
const context = await model.createContext({contextSize: 256, threads: Number(threads), batchSize: 128});
const sequence = context.getSequence();
const ids = Array.from({length: Number(prompt)}, (_, i) => 1000 + 37 * i);
const median = times => times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
const prompts = [];
for (let i = 0; i < 6; i++) {
    await sequence.clearHistory();
    const start = performance.now();
    await sequence.evaluateWithoutGeneratingNewTokens(ids);
    prompts.push(performance.now() - start);
}
console.log(`prompt of 32 tokens\\t${median(prompts.slice(1)).toFixed(4)}`);
await sequence.clearHistory();
const times = [];
let last = performance.now();
for await (const token of sequence.evaluate(ids, {temperature: 0, yieldEogToken: true})) {
    const now = performance.now();
    times.push(now - last);
    last = now;
    if (times.length > Number(tokens)) break;
}
console.log(`each of 64 new tokens\\t${median(times.slice(1)).toFixed(4)}`);
process.exit(0);
"""


def model_path():
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    return str(next(cache.glob("attention-notebooks/*/SmolLM2-135M-Instruct.Q4_1.gguf")))


def measure_torch(threads):
    import torch
    import torch.nn.functional as F
    from gguf import GGUFReader, dequantize

    torch.set_num_threads(threads)
    tensors = {t.name: torch.tensor(dequantize(t.data, t.tensor_type)) for t in GGUFReader(model_path()).tensors}
    frequencies = 100_000.0 ** (-torch.arange(0, WIDTH, 2) / WIDTH)

    def turned(x, angles):
        pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
        return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)[:, None]).flatten(2)

    def norm(x, name):
        return F.rms_norm(x, x.shape[-1:], tensors[f"{name}.weight"], 1e-5)

    @torch.inference_mode()
    def step(tokens, cache):
        before = cache[0][0].shape[0] if cache[0] else 0
        angles = torch.outer(torch.arange(before, before + len(tokens)).float(), frequencies)
        x = tensors["token_embd.weight"][tokens]
        for layer in range(LAYERS):
            linear = lambda x, name: F.linear(x, tensors[f"blk.{layer}.{name}.weight"])
            h = norm(x, f"blk.{layer}.attn_norm")
            q, k, v = (linear(h, f"attn_{part}").view(len(tokens), -1, WIDTH) for part in "qkv")
            q, k = turned(q, angles), turned(k, angles)
            if cache[layer]:
                k, v = torch.cat([cache[layer][0], k]), torch.cat([cache[layer][1], v])
            cache[layer] = (k, v)
            q, k, v = (part.transpose(0, 1)[None] for part in (q, k, v))
            z = F.scaled_dot_product_attention(q, k, v, is_causal=len(tokens) > 1, enable_gqa=True)
            x = x + linear(z[0].transpose(0, 1).flatten(1), "attn_output")
            h = norm(x, f"blk.{layer}.ffn_norm")
            x = x + linear(F.silu(linear(h, "ffn_gate")) * linear(h, "ffn_up"), "ffn_down")
        return F.linear(norm(x[-1:], "output_norm"), tensors["token_embd.weight"])[0]

    prompt = torch.tensor([1000 + 37 * i for i in range(PROMPT)])
    milliseconds = statistics.median(repeat(lambda: step(prompt, [None] * LAYERS), SECONDS)) * 1e3
    print(f"prompt of 32 tokens\t{milliseconds:.4f}", flush=True)
    cache, times = [None] * LAYERS, []
    token = step(prompt, cache).argmax()
    for _ in range(TOKENS):
        start = time.perf_counter()
        token = step(token[None], cache).argmax()
        times.append(time.perf_counter() - start)
    print(f"each of 64 new tokens\t{statistics.median(times) * 1e3:.4f}", flush=True)


def measure_llama(folder, threads):
    script = pathlib.Path(folder, "measure.mjs")
    script.write_text(LLAMA)
    return numbers(["node", str(script), model_path(), str(threads), str(PROMPT), str(TOKENS)])


def tables():
    """The milliseconds of all three, as lines of Markdown."""
    llama = os.environ.get("LLAMA")
    lines = ["| what | threads | this crate | PyTorch | ratio | llama.cpp | ratio |", "|---|---|---|---|---|---|---|"]
    rates = [
        "| one new token | threads | tokens/s | weights read, GB/s | of what memory allows |",
        "|---|---|---|---|---|",
    ]
    for threads in THREADS:
        environment = {**os.environ, "RAYON_NUM_THREADS": str(threads)}
        command, ours, torch, theirs = bench("writer"), [], [], []
        for _ in range(RUNS):
            ours.append(numbers(command, environment))
            torch.append(numbers([sys.executable, __file__, "torch", str(threads)]))
            theirs.append(measure_llama(llama, threads) if llama else {})
        ours, torch, theirs = medians(ours), medians(torch), medians(theirs)
        limit = ours.pop("reading memory, GB/s")
        for name, number in ours.items():
            unit = "MB" if name.endswith("MB") else "ms"
            beside = [
                f"{other[name]:.1f} ms | {other[name] / number:.2f}" if name in other else "| " for other in (torch, theirs)
            ]
            lines.append(f"| {name.removesuffix(', MB')} | {threads} | {number:.1f} {unit} | {' | '.join(beside)} |")
        for name, times in [("this crate", ours), ("PyTorch", torch), ("llama.cpp", theirs)]:
            if milliseconds := times.get("each of 64 new tokens"):
                rate = MEGABYTES[name] / milliseconds
                rates.append(f"| {name} | {threads} | {1e3 / milliseconds:.0f} | {rate:.1f} | {100 * rate / limit:.0f} % |")
        rates.append(f"| adding up 537 MB of numbers | {threads} | | {limit:.1f} | 100 % |")
    return [*lines, "", *rates]


if __name__ == "__main__":
    if sys.argv[1:2] == ["torch"]:
        measure_torch(int(sys.argv[2]))
    else:
        print("\n".join(tables()))
