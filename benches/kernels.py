"""This project's kernel and evcxr's own, side by side, on this machine.

Usage, after `cargo run --release -- setup`:  .jupyter/python/bin/python benches/kernels.py
Prints two tables. Takes about fifteen minutes on an idle machine, once evcxr's own kernel has
been compiled.
"""

import os
import pathlib
import queue
import statistics
import subprocess
import tempfile
import time

from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

NOTEBOOKS = pathlib.Path(__file__).resolve().parent.parent / "notebooks"
LOAD = ':dep attention = { path = "../crates/attention" }\nuse attention::prelude::*;'
RUNS = 10


class Kernel:
    def __init__(self, name):
        self.began = time.time()
        self.manager = KernelManager(kernel_name=name)
        # An empty cache of compiled cells, so that every run compiles.
        self.cache = tempfile.TemporaryDirectory()
        environment = {**os.environ, "XDG_CACHE_HOME": self.cache.name}
        self.manager.start_kernel(cwd=NOTEBOOKS, stderr=subprocess.DEVNULL, env=environment)
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.kernel_info()
        self.client.get_shell_msg(timeout=120)
        self.info = time.time() - self.began

    def send(self, code):
        return self.client.execute(code)

    def reply(self, request, timeout=120):
        """The content of the reply; its status is `none` if no reply arrives in time."""
        end = time.time() + timeout
        while (left := end - time.time()) > 0:
            try:
                message = self.client.get_shell_msg(timeout=left)
            except queue.Empty:
                break
            if message["parent_header"].get("msg_id") == request:
                return message["content"]
        return {"status": "none"}

    def run(self, code, timeout=120):
        return self.reply(self.send(code), timeout)

    def outputs(self, request, seconds):
        """What a request publishes until it is done or this many seconds have passed, each with its time of arrival."""
        found, end = [], time.time() + seconds
        while (left := end - time.time()) > 0:
            try:
                message = self.client.get_iopub_msg(timeout=left)
            except queue.Empty:
                break
            if message["parent_header"].get("msg_id") == request:
                found.append((message["msg_type"], message["content"], time.time()))
                if message["content"].get("execution_state") == "idle":
                    break
        return found

    def fresh(self):
        """Restarts the kernel, loads the crate and warms up."""
        self.manager.restart_kernel(now=True)
        time.sleep(0.5)
        self.run(LOAD)
        self.run("let kept = 1;")

    def memory(self):
        """The memory of the kernel and the processes it has started, in MB. As in `classroom/class.py`, memory that
        they share, such as the pages of their program, counts only once."""
        total, processes = 0, [self.manager.provisioner.pid]
        for entry in pathlib.Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
                except OSError:
                    continue
                if parent in processes:
                    processes.append(int(entry.name))
        for process in processes:
            rollup = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text()
            total += int(rollup.split("\nPss:")[1].split()[0])
        return total / 1024


def starts(name):
    """Median times from process start and from Restart, and the memory when idle."""
    infos, lets, heatmaps, restarts, cells, errors, memories = ([] for _ in range(7))
    for _ in range(RUNS):
        kernel = Kernel(name)
        requests = [kernel.send(code) for code in (LOAD, "let x = array![[1.0_f32, 2.0], [3.0, 4.0]];", "heatmap(&x)")]
        times = []
        for request in requests:
            assert kernel.reply(request)["status"] == "ok"
            times.append(time.time() - kernel.began)
        infos.append(kernel.info)
        lets.append(times[1])
        heatmaps.append(times[2])
        for number in range(7):
            began = time.time()
            kernel.run(f"let y{number} = softmax(&x);")
            cells.append(time.time() - began)
        began = time.time()
        assert kernel.run("let z = sofmax(&x);", timeout=300)["status"] == "error"
        errors.append(time.time() - began)
        memories.append(kernel.memory())
        began = time.time()
        kernel.manager.restart_kernel()
        assert kernel.run(LOAD)["status"] == "ok"
        restarts.append(time.time() - began)
        kernel.client.stop_channels()
        kernel.manager.shutdown_kernel(now=True)
    return {
        "`kernel_info` answered": f"{statistics.median(infos):.2f} s",
        "crate loaded and first `let` done, cells sent at once": f"{statistics.median(lets):.2f} s",
        "first heatmap": f"{statistics.median(heatmaps):.2f} s (at most {max(heatmaps):.2f})",
        "from Restart to the first cell's answer": f"{statistics.median(restarts):.2f} s (at most {max(restarts):.2f})",
        "a later cell, median": f"{statistics.median(cells):.2f} s",
        "the first error": f"{statistics.median(errors):.2f} s",
        "memory when idle, after ten short cells": f"{statistics.median(memories):.0f} MB",
    }


def behaviour(name):
    rows = {}
    kernel = Kernel(name)
    kernel.run(LOAD)
    kernel.run("let kept = 1;")
    rows["a panic is an error"] = yes(kernel.run('panic!("no")')["status"] == "error")
    requests = [kernel.send('panic!("no")'), kernel.send("2")]
    statuses = [kernel.reply(request)["status"] for request in requests]
    rows["cells behind an error are aborted"] = yes(statuses[1] == "aborted")
    reply = kernel.run("let y: i32 = true;")
    rows["the reply to an error says what and where"] = yes("traceback" in reply)
    request = kernel.send("heatmap(&array![[1.0_f32]]).evcxr_display(); heatmap(&array![[2.0_f32]]).evcxr_display();")
    pictures = [kind for kind, content, _ in kernel.outputs(request, 20) if "image/svg+xml" in content.get("data", {})]
    rows["figures from a cell that draws two"] = str(len(pictures))
    request = kernel.send("let mut bar = Progress::new(\"n\", 5); for _ in 0..5 { bar.step(\"\"); std::thread::sleep(std::time::Duration::from_millis(150)); };")
    kinds = [kind for kind, _, _ in kernel.outputs(request, 20)]
    rows["a progress bar moves in place"] = yes("update_display_data" in kinds)
    request = kernel.send("let code = \"あ\"; let n: i32 = code;")
    text = "".join("".join(content["traceback"]) for kind, content, _ in kernel.outputs(request, 20) if kind == "error")
    rows["errors are marked in a cell with Japanese text"] = yes("^" in text or "─" in text)

    kernel.fresh()
    request = kernel.send('print!("now"); std::thread::sleep(std::time::Duration::from_secs(2)); println!();')
    texts = [(content["text"], when) for kind, content, when in kernel.outputs(request, 20) if kind == "stream"]
    live = len(texts) > 1 and texts[-1][1] - texts[0][1] > 1
    rows["`print!` without a newline is shown at once"] = yes(live)

    for what, code in [
        ("a loop of the crate", 'time_runs("w", 4000, || std::thread::sleep(std::time::Duration::from_millis(5)))'),
        ("a loop that does not listen", "let mut n = 0_u64; loop { n += 1; std::hint::black_box(n); }"),
    ]:
        kernel.fresh()
        request = kernel.send(code)
        time.sleep(8)  # compiled by then, even on slow machines
        kernel.manager.interrupt_kernel()
        began = time.time()
        kernel.reply(request)
        seconds = time.time() - began
        kept = kernel.run("println!(\"{kept}\");")["status"] == "ok"
        rows[f"interrupting {what}"] = f"{seconds:.1f} s, variables {'kept' if kept else 'lost'}"
    kernel.fresh()
    request = kernel.send("\n".join(f"fn f{n}() -> Vec<String> {{ vec![format!(\"{{}}\", {n})] }} let v{n} = f{n}();" for n in range(60)))
    time.sleep(0.1)
    kernel.manager.interrupt_kernel()
    began = time.time()
    kernel.reply(request)
    seconds = time.time() - began
    kept = kernel.run("println!(\"{kept}\");")["status"] == "ok"
    rows["interrupting a compilation"] = f"{seconds:.1f} s, variables {'kept' if kept else 'lost'}"
    kernel.client.stop_channels()
    kernel.manager.shutdown_kernel(now=True)
    return rows


def yes(is_so):
    return "yes" if is_so else "no"


def register_evcxrs(folder):
    """Makes evcxr's own kernel, which set-up does not register, available to Jupyter."""
    program = KernelSpecManager().get_kernel_spec("attention").argv[0]
    command = [program, "install", "--user", "--evcxr"]
    subprocess.run(command, env={**os.environ, "JUPYTER_DATA_DIR": folder}, stdout=subprocess.DEVNULL, check=True)
    os.environ["JUPYTER_PATH"] = folder


def main():
    for measured in (starts, behaviour):
        ours, stock = measured("attention"), measured("attention-evcxr")
        print("\n| | Rust (attention) | Rust (evcxr) |\n|---|---|---|")
        for row, value in ours.items():
            print(f"| {row} | {value} | {stock[row]} |")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        register_evcxrs(folder)
        main()
