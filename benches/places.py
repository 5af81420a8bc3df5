"""How long a learner waits for the first picture, wherever learners work. Takes a quarter of an hour.

    cargo run --release -- setup
    .jupyter/python/bin/pip install playwright --target target/tmp/playwright
    PYTHONPATH=target/tmp/playwright .jupyter/python/bin/python benches/places.py /usr/bin/chromium

Every place begins with empty caches of cargo and pip; crates and packages come from the network. The picture is the
first heatmap of lesson 01, after all cells before it. In a Jupyter server, the time runs from the server's start until
Chromium has opened the lesson, run these cells and shown the picture.

| place | what is not included |
|---|---|
| a copy, pip | Rust and Python, which are already installed |
| VS Code | VS Code and its Jupyter extension: the kernel is started and asked as they do, from Python |
| Colab | Colab: its cells run in an environment with its versions of Jupyter, with this machine's network |
| an image | the base images, and downloading the finished one. The build is repeated as tests/chaos/image.py does, which \
needs root, debootstrap, and that there is neither /opt/attention nor /opt/jupyter; otherwise this place is left out |

On another day, Colab gives a learner a new machine. The last column says how many processors were busy with something else.
"""

import json
import os
import pathlib
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager
from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path += [str(ROOT / "tests" / folder) for folder in ("browser", "chaos")]

from chromium import FLAGS  # noqa: E402
from image import Image, install_jupyter, instructions  # noqa: E402
from live_page import RUN  # noqa: E402

PROGRAM = "attention-notebooks"
LESSON = "01_coding_attention.ipynb"
# Colab's versions.
OF_COLAB = ["ipykernel==6.17.1", "ipython==7.34.0", "jupyter_client==7.4.9", "jupyter_server==2.14.0", "notebook==6.5.7"]
# The address in the notebook, and the script that it redirects to.
RUSTUP = {"https://sh.rustup.rs": "https://static.rust-lang.org/rustup/rustup-init.sh"}
OPT = [pathlib.Path("/opt", name) for name in ("attention", "jupyter")]
# The indices of the code cells up to the first that shows a heatmap, once the page has the notebook.
CELLS = """() => {
  const cells = window.jupyterapp?.shell.currentWidget?.content?.widgets ?? [];
  const last = cells.findIndex(cell => cell.model.type === 'code' && cell.model.sharedModel.getSource().includes('heatmap('));
  return last >= 0 && [...cells.keys()].filter(place => place <= last && cells[place].model.type === 'code');
}"""
PICTURE = """async cell => {
  const find = () => jupyterapp.shell.currentWidget.content.widgets[cell].node.querySelector('.jp-OutputArea-output img');
  while (!find()) await new Promise(r => setTimeout(r, 10));
  await find().decode();
}"""


def timed(*command, **options):
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    return time.perf_counter() - began


def code_until_a_heatmap(notebook):
    """The code cells up to the first that shows a heatmap."""
    for cell in json.loads(notebook.read_text())["cells"]:
        if cell["cell_type"] == "code":
            yield "".join(cell["source"])
            if "heatmap(" in "".join(cell["source"]):
                return


def in_jupyterlab(chromium, command, **options):
    """The seconds from the start of a server to the first heatmap."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}/lab/tree/my-lessons/{LESSON}?token=t"
    command = [part.format(port=port) if isinstance(part, str) else part for part in command]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page(viewport={"width": 1200, "height": 900})
        page.set_default_timeout(120_000)
        began = time.perf_counter()
        server = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, **options
        )
        try:
            while not answers(address):
                assert server.poll() is None and time.perf_counter() - began < 120, "the server does not answer"
                time.sleep(0.02)
            page.goto(address)
            places = page.wait_for_function(CELLS).json_value()
            errors = page.evaluate(RUN, places)
            assert not errors, errors
            page.evaluate(PICTURE, places[-1])
            return time.perf_counter() - began
        finally:
            os.killpg(server.pid, signal.SIGTERM)  # also in an image, whose `unshare` ignores it
            server.wait(60)
            browser.close()


def answers(address):
    try:
        return urllib.request.urlopen(address).status == 200
    except OSError:
        return False


LAB = ["lab", "--no-browser", "--port", "{port}", "--", "--IdentityProvider.token=t", "--LabApp.expose_app_in_browser=True"]


def on_a_kernel(kernels, name, cells, program=None, **options):
    """The seconds that each of these cells takes on a kernel, with the kernel's start in the first."""
    began, times = time.perf_counter(), []
    manager = KernelManager(kernel_name=name, kernel_spec_manager=KernelSpecManager(kernel_dirs=[str(kernels)]))
    manager.kernel_spec.argv[0] = str(program or manager.kernel_spec.argv[0])
    manager.start_kernel(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=60)
    for cell in cells:
        shown, printed = set(), []

        def hear(message):
            shown.update(message["content"].get("data", {}))
            printed.append(message["content"].get("text") or message["content"].get("evalue", ""))

        reply = client.execute_interactive(cell, output_hook=hear, timeout=1200)
        assert reply["content"]["status"] == "ok", printed
        times.append(time.perf_counter() - began - sum(times))
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    assert "image/svg+xml" in shown, printed
    return times


def copy_of_the_project(folder):
    copy = folder / "copy"
    subprocess.run(["git", "clone", "--quiet", ROOT, copy], check=True)
    return copy


def with_a_copy(chromium, folder, environment):
    copy = copy_of_the_project(folder)
    options = {"cwd": copy, "env": environment}
    set_up = timed("cargo", "run", "--release", "--", "setup", **options)
    program = copy / "target/release" / PROGRAM
    yield "a copy of the project", set_up, in_jupyterlab(chromium, [program, *LAB], **options)
    set_up += timed(program, "install", "--user", **options) + timed(program, "vsix", **options)
    kernels = pathlib.Path(environment["HOME"], ".local/share/jupyter/kernels")
    cells = list(code_until_a_heatmap(copy / "my-lessons" / LESSON))
    yield "the same for VS Code", set_up, sum(on_a_kernel(kernels, "attention", cells, cwd=copy / "my-lessons", env=environment))


def packed(folder):
    """The wheel, made beforehand as for PyPI, but without dependencies, because the tests lend it their packages."""
    subprocess.run([ROOT / "target/release" / PROGRAM, "wheel"], check=True, stdout=subprocess.DEVNULL)
    pack = [sys.executable, ROOT / "tests/integration/pack_wheel.py", ROOT / "pyproject.toml"]
    return subprocess.check_output([*pack, ROOT / "target/release" / PROGRAM, folder], text=True).strip()


def with_pip(chromium, folder, environment):
    wheel = packed(folder)
    python = folder / "environment" / "bin"
    options = {"cwd": folder, "env": environment}
    set_up = timed("python3", "-m", "venv", folder / "environment", **options)
    set_up += timed(python / "pip", "install", wheel, "jupyterlab>=4.4,<5", **options)
    set_up += timed(python / PROGRAM, "setup", **options)
    yield "pip", set_up, in_jupyterlab(chromium, [python / PROGRAM, *LAB], **options)


def in_colab(chromium, folder, environment):
    wheel = packed(folder)
    python = folder / "colab" / "bin"
    subprocess.run(["python3", "-m", "venv", folder / "colab"], check=True, env=environment)
    subprocess.run([python / "pip", "install", "--quiet", *OF_COLAB], check=True, env=environment)
    environment = {"PATH": f"{python}:/usr/bin:/bin", "HOME": environment["HOME"]}
    assert not shutil.which("rustc", path=environment["PATH"]), "Colab has no Rust"
    cells = list(code_until_a_heatmap(ROOT / "colab/colab.ipynb"))
    for before, after in [*RUSTUP.items(), ("attention-notebooks \"", f"{wheel} \"")]:
        assert before in cells[0]
        cells[0] = cells[0].replace(before, after)
    kernels = folder / "colab/share/jupyter/kernels"
    first, *others = on_a_kernel(kernels, "python3", cells, python / "python", cwd=folder, env=environment)
    yield "Colab", first, sum(others)


def in_an_image(chromium, folder, environment):
    if os.geteuid() != 0 or not shutil.which("debootstrap") or any(path.exists() for path in OPT):
        print(f"An image is not measured: {__doc__.split('| an image |')[1].split(' |')[0]}.", file=sys.stderr)
        return
    copy, root = copy_of_the_project(folder), folder / "root"
    subprocess.run(["debootstrap", "--variant=minbase", "bookworm", root], check=True, stdout=subprocess.DEVNULL)
    options = {"cwd": copy, "env": environment}
    try:
        began = time.perf_counter()
        install_jupyter(folder)
        timed("cargo", "build", "--release", "--locked", "--bins", **options)
        timed(copy / "target/release" / PROGRAM, "install", "--prefix", OPT[0], **options)
        image = Image(root)
        for instruction in instructions()[-1]:
            image.apply(*instruction)
        built = time.perf_counter() - began
        serve = ["jupyter", "lab", "--port={port}", "--no-browser", *LAB[-2:]]
        yield "an image", built, in_jupyterlab(chromium, image.command(*serve, network=True))
    finally:
        for path in OPT:
            shutil.rmtree(path, ignore_errors=True)


def seconds_of_processors():
    """The seconds that all processors have been busy, and the seconds that finished children of this process have used."""
    user, nice, system, _, _, *interrupts = map(int, pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[1:9])
    busy = (user + nice + system + sum(interrupts)) / os.sysconf("SC_CLK_TCK")
    own = resource.getrusage(resource.RUSAGE_CHILDREN)
    return busy, own.ru_utime + own.ru_stime


def main():
    chromium = sys.argv[1]
    print("| | set up | first picture | first picture on another day | busy processors |")
    print("|---|---|---|---|---|")
    for place in (with_a_copy, with_pip, in_colab, in_an_image):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            home = folder / "home"
            home.mkdir()
            rustup = os.environ.get("RUSTUP_HOME", pathlib.Path.home() / ".rustup")
            environment = {"PATH": os.environ["PATH"], "HOME": str(home), "RUSTUP_HOME": str(rustup)}
            began, (all_before, own_before) = time.perf_counter(), seconds_of_processors()
            for name, set_up, picture in place(chromium, folder, environment):
                all_after, own_after = seconds_of_processors()
                others = (all_after - all_before - own_after + own_before) / (time.perf_counter() - began)
                another_day = f"{set_up + picture:.0f} s" if place is in_colab else f"{picture:.1f} s"
                print(f"| {name} | {set_up:.0f} s | {set_up + picture:.0f} s | {another_day} | {others:.1f} |", flush=True)


if __name__ == "__main__":
    main()
