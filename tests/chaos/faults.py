"""Fault-injection tests too slow for CI, run against the program that is set up in this checkout.
Prints one line for each: ok, or what happened.

Usage: .jupyter/python/bin/python tests/chaos/faults.py [--list] [PATTERN ...]
Needs what tests/kernel needs, and takes about ten minutes. Nothing outside temporary folders is touched.
"""

import contextlib
import fnmatch
import os
import pathlib
import random
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "kernel"))
from client import ATTENTION, PORTS, Client, Raw, printed, wait_until  # noqa: E402  (it is in that folder)

FAULTS = []
SEED = 20_261_122
LOAD = f':dep attention = {{ path = "{ATTENTION}" }}\nuse attention::prelude::*;'
PROGRAM_NAME = "attention-notebooks-"


def fault(function):
    FAULTS.append(function)
    return function


def main(arguments):
    patterns = [argument for argument in arguments if argument != "--list"] or ["*"]
    chosen = [one for one in FAULTS if any(fnmatch.fnmatch(one.__name__, pattern) for pattern in patterns)]
    if "--list" in arguments:
        print(*[one.__name__ for one in chosen], sep="\n")
        return 0
    kernel, wrong = None, 0
    for one in chosen:
        began, what = time.time(), "ok"
        try:
            kernel = kernel or warm(Client())
            one(kernel)
            still_works(kernel)
        except Exception as error:  # any exception is a result of the fault
            what = f"{type(error).__name__}: {error}".replace("\n", " | ")[:600]
            wrong += 1
            with contextlib.suppress(Exception):
                kernel.manager.shutdown_kernel(now=True)
            kernel = None
        print(f"{time.time() - began:6.1f} s  {one.__name__.replace('_', ' ')}: {what}", flush=True)
    if kernel:
        kernel.end()
    return wrong


# Shared by the faults


def warm(kernel):
    assert kernel.run("let kept = 5;")[0]["status"] == "ok"
    return kernel


def still_works(kernel):
    assert kernel.value("6 * 7") == "42"
    assert "panicked" not in kernel.logged(), kernel.logged()[-1000:]
    assert megabytes(kernel) < 1500, f"the kernel has {megabytes(kernel):.0f} MB"


def megabytes(kernel):
    return int(pathlib.Path(f"/proc/{kernel.manager.provisioner.pid}/statm").read_text().split()[1]) * 4096 / 1e6


def evaluator(kernel):
    """The process that runs the cells, a child of the kernel's supervisor."""
    supervisor = kernel.supervisor()
    children = pathlib.Path(f"/proc/{supervisor}/task/{supervisor}/children").read_text().split()
    return int(children[0])


def begin(kernel, code, seconds=1.0):
    request = kernel.client.execute(code)
    time.sleep(seconds)
    return request


def stop(kernel, request, limit=3.0):
    """Interrupts a cell; returns the message about it."""
    began = time.time()
    kernel.manager.interrupt_kernel()
    reply, _ = kernel.finish(request)
    took = time.time() - began
    assert reply["ename"] == "Interrupted", reply
    assert took < limit, f"Stop took {took:.1f} s"
    return reply["evalue"]


def ends(kernel, code, *told):
    """Runs a cell that ends its process; returns the message about it."""
    reply, _ = kernel.run(code)
    assert reply.get("ename") == "ProcessEnded", reply
    assert any(text in reply["evalue"] for text in told), reply["evalue"]


@contextlib.contextmanager
def own_kernel(**more):
    """A kernel in a separate folder, in which it must leave nothing behind."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        kernel = Client(env={**os.environ, "TMPDIR": folder}, **more)
        try:
            yield kernel, pathlib.Path(folder)
        finally:
            kernel.end()
        wait_until(lambda: not workspaces(folder))


def workspaces(folder):
    """The names of the kernel folders in this folder."""
    return [entry for entry in os.listdir(folder) if entry.startswith(PROGRAM_NAME)]


# Floods


@fault
def a_cell_prints_for_ever(kernel):
    before = megabytes(kernel)
    stop(kernel, begin(kernel, 'let line = "x".repeat(1000); loop { println!("{line}"); }', 15))
    assert megabytes(kernel) - before < 300, f"{megabytes(kernel) - before:.0f} MB more"


@fault
def a_thread_prints_for_ever_while_nothing_runs(kernel):
    before = megabytes(kernel)
    kernel.run('let line = "x".repeat(1000); std::thread::spawn(move || loop { println!("{line}"); }); 1')
    time.sleep(15)
    assert megabytes(kernel) - before < 300, f"{megabytes(kernel) - before:.0f} MB more"
    began = time.time()
    kernel.run("2")
    assert time.time() - began < 5, f"the next cell took {time.time() - began:.1f} s"
    kernel.run(":restart")
    warm(kernel)


@fault
def a_thread_prints_short_lines_for_ever_while_nothing_runs(kernel):
    kernel.run('std::thread::spawn(|| loop { println!("x"); }); 1')
    time.sleep(15)
    began = time.time()
    kernel.run("2")
    assert time.time() - began < 5, f"the next cell took {time.time() - began:.1f} s"
    kernel.run(":restart")
    warm(kernel)


@fault
def a_cell_shows_figures_for_ever(kernel):
    kernel.run(LOAD)
    before = megabytes(kernel)
    stop(kernel, begin(kernel, "loop { heatmap(&array![[1.0_f32, 0.0]]).evcxr_display(); }", 10), 5)
    assert megabytes(kernel) - before < 500, f"{megabytes(kernel) - before:.0f} MB more"
    warm(kernel)


@fault
def a_child_floods_both_streams(kernel):
    code = 'std::process::Command::new("sh").args(["-c", "yes >&2 & exec yes"]).status()'
    stop(kernel, begin(kernel, code, 10), 5)
    warm(kernel)


@fault
def a_value_of_a_hundred_megabytes_is_shown(kernel):
    reply, outputs = kernel.run('"x".repeat(100_000_000)')
    assert reply["status"] == "ok", reply
    assert sum(len(str(content)) for _, content, _ in outputs) < 250_000_000


@fault
def a_thousand_cells_wait_and_are_stopped(kernel):
    requests = [kernel.client.execute("while !attention::notebook::interrupted() {}")]
    requests += [kernel.client.execute(f"let a{number} = 1;") for number in range(1000)]
    kernel.reply_to(kernel.client.kernel_info())
    kernel.manager.interrupt_kernel()
    replies = [kernel.reply_to(request) for request in requests]
    assert replies[0]["ename"] == "Interrupted", replies[0]
    assert {reply["status"] for reply in replies[1:]} == {"aborted"}


# The process that runs the cells


@fault
def cells_take_more_memory_than_there_is(kernel):
    for code in (
        "let mut all = Vec::new(); loop { all.push(vec![1_u8; 1 << 26]); }",
        "let all = vec![1_u8; 1 << 40];",
        'let mut text = String::from("x"); loop { text += &text.clone(); }',
    ):
        warm(kernel)  # a process starts with the first cell that needs it
        resource.prlimit(evaluator(kernel), resource.RLIMIT_AS, (4 << 30, 4 << 30))
        ends(kernel, code, "asked for", "memory")
    warm(kernel)


@fault
def recursion_without_an_end(kernel):
    deep = "fn deep(n: u64) -> u64 { std::hint::black_box(deep(n + 1)) + 1 } "
    for code in ("deep(0)", "std::thread::spawn(|| deep(0)).join().is_ok()"):
        ends(kernel, deep + code, "the stack overflowed")
    ends(
        kernel,
        "struct Link(Option<Box<Link>>); let mut list = Link(None);"
        "for _ in 0..10_000_000 { list = Link(Some(Box::new(list))); } drop(list);",
        "the stack overflowed",
    )
    warm(kernel)


@fault
def the_process_is_killed_at_any_time(kernel):
    chance = random.Random(SEED)
    for _ in range(20):
        request = kernel.client.execute("let a = kept; std::thread::sleep(std::time::Duration::from_millis(200)); a")
        time.sleep(chance.random() * 0.6)
        with contextlib.suppress(ValueError, IndexError, ProcessLookupError):  # a new process is just starting
            os.kill(evaluator(kernel), signal.SIGKILL)
        kernel.finish(request)
        kernel.run("0")  # if the cell had already finished, this one reports that the process has ended
        warm(kernel)


@fault
def the_process_gets_every_signal(kernel):
    for number in set(signal.Signals) - {signal.SIGCONT}:
        request = begin(kernel, "while !attention::notebook::interrupted() {}", 0.7)
        with contextlib.suppress(ValueError, IndexError, ProcessLookupError):
            os.kill(evaluator(kernel), number)
        time.sleep(0.2)
        kernel.manager.interrupt_kernel()
        began = time.time()
        kernel.finish(request)
        assert time.time() - began < 4, f"{number.name}: {time.time() - began:.1f} s"
        kernel.run("0")  # if the cell had not yet started, this one reports that the process has ended
        reply = kernel.run("let kept = 5;")[0]
        assert reply["status"] == "ok", f"{number.name}: {reply['evalue']}"


@fault
def a_cell_closes_its_streams(kernel):
    for number in (0, 1, 2):
        code = f"use std::os::fd::FromRawFd; drop(unsafe {{ std::fs::File::from_raw_fd({number}) }}); 1"
        request = kernel.client.execute(code)
        if kernel.client.shell_channel.socket.poll(10_000) == 0:
            kernel.manager.interrupt_kernel()
        kernel.finish(request)
        kernel.run(":restart")
        warm(kernel)


@fault
def a_cell_opens_all_files_that_it_may(kernel):
    reply, _ = kernel.run('let mut files = Vec::new(); while let Ok(file) = std::fs::File::open("/dev/null") { files.push(file); } 1')
    kernel.run("drop(files);") if reply["status"] == "ok" else None
    kernel.run(":restart")
    warm(kernel)


@fault
def a_cell_leaves_hundreds_of_children(kernel):
    with own_kernel() as (own, folder):
        code = f'for _ in 0..300 {{ std::process::Command::new("sleep").arg("1000").env("IN", "{folder}").spawn()?; }}'
        assert own.run(code)[0]["status"] == "ok"
        own.run("std::process::abort()")
        wait_until(lambda: not processes_with(str(folder).encode(), "sleep"))
        still_works(own)


def processes_with(text, name):
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and (entry / "comm").read_text().strip() == name and text in (entry / "environ").read_bytes():
                found.append(int(entry.name))
    return found


@fault
def hundreds_of_stops_at_any_time(kernel):
    chance = random.Random(SEED)
    cells = ["let b = kept;", "while !attention::notebook::interrupted() {}", "missing", 'panic!("x")', "1 + 1"]
    for _ in range(60):
        request = kernel.client.execute(chance.choice(cells))
        for _ in range(5):
            time.sleep(chance.random() * 0.1)
            kernel.manager.interrupt_kernel()
        reply, _ = kernel.finish(request)
        assert "lost" not in reply.get("evalue", ""), reply
    time.sleep(0.5)  # an interrupt that arrives after its cell has ended stops the next one, if that is queued already
    assert kernel.value("kept") == "5"


# Messages


@fault
def random_bytes_on_every_port(kernel):
    chance = random.Random(SEED)
    for round_number in range(300):
        for port in PORTS:
            raw = Raw(kernel, port, introduced=round_number % 2 == 0)
            raw.send(chance.randbytes(chance.randrange(2000)))
            raw.socket.close()


@fault
def more_connections_than_files_are_allowed(kernel):
    info = kernel.client.get_connection_info()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most[1], most[1]))
    pid = kernel.manager.provisioner.pid
    of_kernel = resource.prlimit(pid, resource.RLIMIT_NOFILE, (256, most[1]))
    opened = []
    try:
        for _ in range(400):
            opened.append(socket.create_connection((info["ip"], info["shell_port"]), timeout=5))
        time.sleep(2)
    finally:
        for one in opened:
            one.close()
        resource.prlimit(pid, resource.RLIMIT_NOFILE, of_kernel)
    time.sleep(12)  # after that, connections without a greeting are closed


@fault
def a_gigabyte_is_sent(kernel):
    before = megabytes(kernel)
    raw = Raw(kernel, "shell_port")
    raw.send(b"\x02" + struct.pack(">Q", 1 << 30))
    for _ in range(1024):
        raw.send(bytes(1 << 20))
    assert raw.is_closed()
    assert megabytes(kernel) - before < 300, f"{megabytes(kernel) - before:.0f} MB more"


@fault
def questions_about_random_text(kernel):
    chance = random.Random(SEED)
    signs = "abc_:.;,(){}[]<>'\"#!?&|=+-*/\\\n\r\t\0 あ😀0189"
    for _ in range(200):
        code = "".join(chance.choice(signs) for _ in range(chance.randrange(80)))
        for kind in ("complete_request", "inspect_request", "is_complete_request"):
            content = {"code": code, "cursor_pos": chance.randrange(len(code) + 2)}
            message = kernel.client.session.msg(kind, content)
            kernel.client.shell_channel.send(message)
            reply = kernel.reply_to(message["header"]["msg_id"])
            assert reply["status"] in ("ok", "complete", "incomplete", "invalid", "unknown"), (code, reply)


@fault
def cells_of_random_text(kernel):
    chance = random.Random(SEED)
    words = ["let", "a", "=", "1", ";", "(", ")", "{", "}", "kept", "fn", "'", '"', "#", "!", "::", "\n", "//", "/*", "あ"]
    for _ in range(60):
        code = " ".join(chance.choice(words) for _ in range(chance.randrange(12)))
        reply, _ = kernel.run(code)
        internal = ("cell_runtime", "evcxr", "__store")
        assert not any(name in reply.get("evalue", "") for name in internal), (code, reply)
    assert kernel.run(":restart")[0]["status"] == "ok"


# Files


@fault
def hostile_checkpoints(kernel):
    chance = random.Random(SEED)
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        good = pathlib.Path(folder, "good")
        made = kernel.run(
            f"{LOAD}\nlet mut rng = torch::Generator::manual_seed(1);"
            "let config = Config { vocabulary: 5, context: 2, width: 4, mixing: Mixing::None };"
            "let mut training = Training::new(LanguageModel::new(config, &mut rng), 4, 1e-3);"
            f'training.run(&[0, 1, 2, 3, 4, 0, 1, 2], 3, &mut rng)?; training.save("{good}", &rng)?;'
        )[0]
        assert made["status"] == "ok", made
        original = good.read_bytes()
        for number in range(300):
            data = bytearray(original)
            for _ in range(chance.randrange(1, 6)):
                data[chance.randrange(min(len(data), 1500))] = chance.randrange(256)
            if chance.random() < 0.3:
                del data[chance.randrange(len(data)) :]
            pathlib.Path(folder, f"{number}.safetensors").write_bytes(data)
        code = (
            f'let mut failed = 0; for file in std::fs::read_dir("{folder}")? {{'
            "if Training::resume(file?.path().to_str().unwrap()).is_err() { failed += 1; } } failed"
        )
        assert int(kernel.value(code)) > 100
    warm(kernel)


@fault
def another_user_prepares_the_temporary_folder(_):
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        an_hour_ago = time.time() - 3600
        victim = pathlib.Path(folder, "victim")
        victim.mkdir()
        (victim / "thesis.txt").write_text("mine")
        for name in ("pipe", "folder", "link", "thesis"):
            trap = pathlib.Path(folder, f"{PROGRAM_NAME}{name}")
            if name == "link":
                trap.symlink_to(victim)
                continue
            trap.mkdir()
            os.mkfifo(trap / "owner.lock") if name == "pipe" else None
            (trap / "owner.lock").mkdir() if name == "folder" else None
            (trap / "thesis.txt").write_text("mine") if name == "thesis" else None
            os.utime(trap, (an_hour_ago, an_hour_ago))
        began = time.time()
        own = Client(env={**os.environ, "TMPDIR": folder})
        assert own.value("1 + 1") == "2"
        own.end()
        assert time.time() - began < 60
        assert (victim / "thesis.txt").read_text() == "mine"
        assert (pathlib.Path(folder, f"{PROGRAM_NAME}thesis") / "thesis.txt").read_text() == "mine"


@fault
def another_rust_comes_while_a_kernel_runs(kernel):
    ask = lambda *command: subprocess.run(command, capture_output=True, text=True).stdout.strip()
    usual, other = ask("rustc", "--print", "sysroot"), ask("rustup", "run", "nightly", "rustc", "--print", "sysroot")
    assert other, "this fault needs a second compiler: `rustup toolchain install nightly`"
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        rust = pathlib.Path(folder, "rust")
        replace = lambda source: subprocess.run(["cp", "-al", source, rust], check=True)
        replace(usual)
        own_rust = {"PATH": f"{rust}/bin:/usr/bin:/bin", "ATTENTION_NOTEBOOKS_GENERATED": f"{folder}/generated"}
        notebook = pathlib.Path(folder, "empty.ipynb")
        notebook.write_text('{"nbformat": 4, "cells": [], "metadata": {"kernelspec": {"language": "rust"}}}')
        program = kernel.manager.kernel_spec.argv[0]
        subprocess.run([program, "run", notebook], env={**os.environ, **own_rust}, capture_output=True, check=True)
        with own_kernel(registered=own_rust) as (own, _):
            warm(own)
            shutil.rmtree(rust)
            replace(other)
            reply, _ = own.run("kept")
            assert "Rust was updated or changed while this kernel ran" in reply["evalue"], reply
            shutil.rmtree(rust)
            replace(usual)
            assert own.value("kept") == "5"


# Many kernels at the same time


@fault
def ten_kernels_at_once(_):
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        kernels = [Client(env={**os.environ, "TMPDIR": folder}) for _ in range(10)]
        requests = [kernel.client.execute(f"let mine = {number}; mine * 10") for number, kernel in enumerate(kernels)]
        for number, (kernel, request) in enumerate(zip(kernels, requests)):
            _, outputs = kernel.finish(request)
            assert outputs[-1][1]["data"]["text/plain"] == str(number * 10), outputs
        kernels[0].end()
        os.kill(kernels[1].manager.provisioner.pid, signal.SIGKILL)
        for kernel in kernels[2:]:
            still_works(kernel)
        for kernel in kernels[1:]:
            kernel.end()
        wait_until(lambda: not workspaces(folder))


@fault
def a_kernel_is_killed_while_it_starts(_):
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        start = lambda: Client(env={**os.environ, "TMPDIR": folder})
        for seconds in (0.05, 0.3, 1, 2, 4):
            own = start()
            own.client.execute("1")
            time.sleep(seconds)
            os.kill(own.manager.provisioner.pid, signal.SIGKILL)
            wait_until(lambda: not any(processes_with(folder.encode(), name) for name in ("cargo", "rustc", "cc", "ld")))
            own.end()
        # If a kernel was killed before its supervisor ran, the next kernel to start removes its leftovers, once they are a
        # minute old.
        an_hour_ago = time.time() - 3600
        for left in workspaces(folder):
            os.utime(os.path.join(folder, left), (an_hour_ago, an_hour_ago))
        own = start()
        assert own.value("1 + 1") == "2"
        own.end()
        wait_until(lambda: not workspaces(folder))


@fault
def two_set_ups_at_once(kernel):
    program = kernel.manager.kernel_spec.argv[0]
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        environment = {**os.environ, "ATTENTION_NOTEBOOKS_GENERATED": folder}
        start = lambda: subprocess.Popen([program, "setup"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        both = [start(), start()]
        said = [one.communicate()[0] for one in both]
        assert [one.returncode for one in both] == [0, 0], said
        again = start()
        assert "is set up" in again.communicate()[0]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
