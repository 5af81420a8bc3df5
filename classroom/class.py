"""How many learners a machine can serve: a JupyterHub with learners who run lesson 1.

Starts a real JupyterHub with its proxy on this machine, logs each learner in, starts their servers,
and runs lesson 1 in each at the same time. Prints a table of how long they wait
and how much memory each needs.

    cargo run --release -- install --prefix /opt/attention
    python3 classroom/class.py --prefix /opt/attention --learners 1 4 10

Needs Linux, Python 3.10 or newer with venv, and npm for the proxy; JupyterHub is installed below
`target/hub` if it is missing. When run as root, each learner has a separate user id, as on a real Hub.
"""

import argparse
import concurrent.futures
import errno
import json
import os
import pathlib
import secrets
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

PROJECT = pathlib.Path(__file__).resolve().parent.parent
CONFIGURATION = PROJECT / "classroom" / "jupyterhub_config.py"
TOOLS = PROJECT / "target" / "hub"
# The packages that classroom/README.md tells teachers to install.
PACKAGES = PROJECT / "binder" / "requirements.txt"
PIP_OPTIONS = ["--require-hashes", "--only-binary", ":all:", "--no-deps", "-r"]
PROXY = "configurable-http-proxy@5.1.0"
LESSON = "01_coding_attention.ipynb"
# When run as root, a learner's user id is this plus the learner's number.
FIRST_UID = 23000
PATIENCE = 600
IDLE_AFTER = 10

# Unlike on a teacher's Hub, anyone may log in, without an account on the machine. The settings of
# jupyterhub_config.py are otherwise kept as they are.
FOR_MEASURING = """
import os
import sys
sys.path.insert(0, {tools!r})
exec(open({configuration!r}).read())

from jupyterhub.auth import DummyAuthenticator
from jupyterhub.spawner import SimpleLocalProcessSpawner


class Learner(SimpleLocalProcessSpawner):
    home_dir_template = {homes!r} + "/{{username}}"

    @property
    def number(self):
        return {first_uid} + int(self.user.name.rpartition("-")[2])

    def make_preexec_fn(self, name):
        home, number = self.home_dir, self.number

        def become():
            os.makedirs(home, mode=0o700, exist_ok=True)
            if {limit!r}:
                group = {groups!r} + "-" + name
                os.makedirs(group, exist_ok=True)
                with open(group + "/" + {limit_file!r}, "w") as file:
                    file.write(str({limit!r} * 1_000_000))
                with open(group + "/cgroup.procs", "w") as file:
                    file.write(str(os.getpid()))
            if os.geteuid() == 0:
                os.chown(home, number, number)
                os.setgroups([])
                os.setgid(number)
                os.setuid(number)
            os.chdir(home)

        return become

    def user_env(self, env):
        env = super().user_env(env)
        env["HOME"] = self.home_dir
        env["USER"] = self.user.name
        # Hides the toolchain of the user who started the Hub.
        env["PATH"] = {tools_path!r} + ":/usr/local/bin:/usr/bin:/bin"
        return env


c.JupyterHub.spawner_class = Learner
c.JupyterHub.authenticator_class = DummyAuthenticator
c.DummyAuthenticator.password = {password!r}
c.Authenticator.allow_all = True
c.JupyterHub.bind_url = "http://127.0.0.1:{port}"
c.JupyterHub.hub_port = {hub_port}
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{api_port}"
c.ConfigurableHTTPProxy.command = [{proxy!r}]
c.ConfigurableHTTPProxy.auth_token = {proxy_token!r}
c.JupyterHub.cookie_secret_file = {folder!r} + "/cookie_secret"
c.JupyterHub.db_url = "sqlite:///" + {folder!r} + "/hub.sqlite"
c.ConfigurableHTTPProxy.pid_file = {folder!r} + "/proxy.pid"
c.JupyterHub.services = [{{"name": "class", "api_token": {token!r}}}]
c.JupyterHub.load_roles = [{{
    "name": "class",
    "scopes": ["admin:users", "admin:servers", "access:servers", "tokens"],
    "services": ["class"],
}}]
c.Spawner.env_keep = []
"""


def run_or_exit(command):
    """Runs a program; if it fails, exits with what it printed."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"error: `{' '.join(map(str, command))}` failed:\n{done.stdout.strip()}")


def tools():
    """Python with JupyterHub and JupyterLab, and the proxy."""
    python, proxy = TOOLS / "python" / "bin" / "python", TOOLS / "node_modules" / ".bin" / "configurable-http-proxy"
    # Versions may have changed since these were installed.
    installed, wanted = TOOLS / "installed", f"{PROXY}\n{PACKAGES.read_text()}"
    if not installed.exists() or installed.read_text() != wanted:
        if shutil.which("npm") is None:
            sys.exit("error: npm, which installs JupyterHub's proxy, was not found: install Node.js and npm")
        shutil.rmtree(TOOLS, ignore_errors=True)
        TOOLS.mkdir(parents=True)
        run_or_exit([sys.executable, "-m", "venv", TOOLS / "python"])
        run_or_exit([python, "-m", "pip", "install", "--quiet", *PIP_OPTIONS, PACKAGES])
        run_or_exit(["npm", "install", "--no-audit", "--no-fund", "--prefix", TOOLS, PROXY])
        installed.write_text(wanted)
    if os.geteuid() == 0:
        try:
            subprocess.run([python, "-c", ""], check=True, user=FIRST_UID, stderr=subprocess.DEVNULL)
        except (OSError, subprocess.CalledProcessError):
            sys.exit(
                f"error: learners may not run {python.resolve()}: start this with a Python and in a folder "
                f"that all users can read, after deleting {TOOLS}"
            )
    return python, proxy


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def code_of_lesson(prefix):
    """The code of the lesson's cells."""
    notebook = json.loads((prefix / "share/attention-notebooks/notebooks" / LESSON).read_text())
    cells = notebook["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def control_groups():
    """The folder for control groups that limit learners' memory, as systemd and Kubernetes do, and the name of the file
    with the limit."""
    first = pathlib.Path("/sys/fs/cgroup/memory")
    if first.is_dir():
        return first, "memory.limit_in_bytes"
    return pathlib.Path("/sys/fs/cgroup"), "memory.max"


def remove_groups(beginning):
    """Removes all learners' control groups: those whose paths begin with `beginning`."""
    for group in beginning.parent.glob(f"{beginning.name}-*"):
        remove_group(group)


def remove_group(group):
    """Removes a control group, after killing the processes still in it, which would prevent that."""
    end = time.time() + 30
    while True:
        try:
            return group.rmdir()
        except OSError as error:
            if error.errno != errno.EBUSY or time.time() > end:
                raise
        for process in (group / "cgroup.procs").read_text().split():
            try:
                os.kill(int(process), signal.SIGKILL)
            except ProcessLookupError:
                pass  # it has just ended
        time.sleep(0.1)


class Hub:
    """JupyterHub with its proxy, in a separate folder; `more` goes below its configuration."""

    def __init__(self, prefix, python, proxy, limit=None, more=""):
        groups, limit_file = control_groups()
        self.folder = tempfile.TemporaryDirectory(prefix="class-")
        folder = pathlib.Path(self.folder.name)
        self.groups = groups / folder.name if limit else None  # the beginning of their paths
        folder.chmod(0o711)  # learners need access to their homes
        homes = folder / "homes"
        homes.mkdir(mode=0o755)
        homes.chmod(0o755)
        self.token, port = secrets.token_hex(16), free_port()
        self.password = secrets.token_hex(8)
        self.address = f"http://127.0.0.1:{port}"
        configuration = folder / "jupyterhub_config.py"
        configuration.write_text(FOR_MEASURING.format(
            tools=str(TOOLS), configuration=str(CONFIGURATION), homes=str(homes), first_uid=FIRST_UID,
            tools_path=str(python.parent), port=port, hub_port=free_port(), api_port=free_port(),
            proxy=str(proxy), proxy_token=secrets.token_hex(16), folder=str(folder), token=self.token,
            password=self.password, limit=limit, groups=str(self.groups), limit_file=limit_file,
        ) + more)
        configuration.chmod(0o600)
        self.log = open(folder / "log", "w+")
        environment = {**os.environ, "ATTENTION_PREFIX": str(prefix)}
        environment["PATH"] = f"{python.parent}:{environment['PATH']}"
        self.process = subprocess.Popen(
            [python, "-m", "jupyterhub", "-f", configuration], cwd=folder, env=environment,
            stdout=self.log, stderr=subprocess.STDOUT, start_new_session=True,
        )

    def __enter__(self):
        end = time.time() + 60
        while time.time() < end:
            try:
                self.ask("GET", "/hub/api/")
                return self
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.2)
        self.stop()
        raise RuntimeError(f"JupyterHub does not answer\n{self.logged()}")

    def __exit__(self, *_):
        self.stop()
        self.log.close()
        if self.groups:
            remove_groups(self.groups)
        for runtime in pathlib.Path("/tmp").glob(f"attention-{FIRST_UID // 1000}???"):  # see jupyterhub_config.py
            shutil.rmtree(runtime, ignore_errors=True)
        self.folder.cleanup()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)

    def logged(self, most=6000):
        """The last characters of the Hub's log, or all of them if `most` is None."""
        text = pathlib.Path(self.log.name).read_text()
        return text if most is None else text[-most:]

    def request(self, method, path, body=None, token=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, method=method)
        request.add_header("Authorization", f"token {token or self.token}")
        request.add_header("Content-Type", "application/json")
        return request

    def ask(self, method, path, body=None, token=None):
        with urllib.request.urlopen(self.request(method, path, body, token), timeout=PATIENCE) as answer:
            text = answer.read()
            return json.loads(text) if text else None


class Learner:
    """A learner: logs in, starts a server, opens the lesson, runs cells."""

    def __init__(self, hub, number):
        self.hub, self.number, self.name = hub, number, f"learner-{number}"

    def log_in(self):
        """Logs in through the form, as a browser does."""
        import requests

        session = requests.Session()
        address = self.hub.address + "/hub/login"
        session.get(address)
        form = {"username": self.name, "password": self.hub.password, "_xsrf": session.cookies.get("_xsrf")}
        answer = session.post(address, data=form, allow_redirects=False)
        assert answer.status_code == 302, (answer.status_code, answer.text[:500])
        self.token = self.hub.ask("POST", f"/hub/api/users/{self.name}/tokens", {"note": "class"})["token"]

    def block_copies(self):
        """Puts a file where the lessons need a folder, so that not everything can be copied."""
        home = pathlib.Path(self.hub.folder.name, "homes", self.name)
        (home / "attention-lessons").mkdir(parents=True)
        (home / "attention-lessons/assets").write_text("mine")
        home.chmod(0o700)
        if os.geteuid() == 0:
            for path in (home, *home.rglob("*")):
                os.chown(path, FIRST_UID + self.number, FIRST_UID + self.number)

    def start_server(self, after=0.0):
        time.sleep(after)
        began = time.time()
        self.hub.ask("POST", f"/hub/api/users/{self.name}/server", {})
        while not self.hub.ask("GET", f"/hub/api/users/{self.name}")["servers"].get("", {}).get("ready"):
            assert time.time() - began < PATIENCE, "the server does not start"
            time.sleep(0.2)
        return time.time() - began

    def request(self, method, path):
        return self.hub.request(method, f"/user/{self.name}{path}", token=self.token)

    def ask(self, method, path, body=None):
        return self.hub.ask(method, f"/user/{self.name}{path}", body, self.token)

    def open_lesson(self):
        import websocket

        path = f"my-lessons/{LESSON}"
        self.ask("GET", f"/api/contents/{path}")
        self.opened = time.time()
        kernel = {"name": "attention"}
        body = {"path": path, "name": LESSON, "type": "notebook", "kernel": kernel}
        self.kernel = self.ask("POST", "/api/sessions", body)["kernel"]["id"]
        address = self.hub.address.replace("http:", "ws:", 1)
        address += f"/user/{self.name}/api/kernels/{self.kernel}/channels"
        self.socket = websocket.create_connection(address, timeout=PATIENCE, header=[f"Authorization: token {self.token}"])

    def run(self, code):
        """Runs a cell, and returns the MIME types of its outputs, their text, and the status of the reply."""
        message = secrets.token_hex(8)
        content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
        self.socket.send(json.dumps({
            "header": {"msg_id": message, "msg_type": "execute_request", "username": self.name,
                       "session": self.name, "version": "5.3"},
            "parent_header": {}, "metadata": {}, "content": content, "channel": "shell", "buffers": [],
        }))
        kinds, text, status, is_idle = set(), "", None, False
        while not (status and is_idle):  # these arrive in either order
            received = json.loads(self.socket.recv())
            if received["parent_header"].get("msg_id") != message:
                continue
            content = received["content"]
            kinds |= set(content.get("data", {}))
            text += content.get("text", "") + content.get("data", {}).get("text/plain", "")
            if received["msg_type"] == "execute_reply":
                status = content["status"]
            if received["msg_type"] == "status" and content["execution_state"] == "idle":
                is_idle = True
        return kinds, text, status

    def run_lesson(self, cells):
        """The time to the first heatmap, and the time of each later cell."""
        first, times = None, []
        for cell in cells:
            began = time.time()
            kinds, text, status = self.run(cell)
            assert status == "ok", f"{self.name}: {status}\n{cell}\n{text}"
            if first is None and "heatmap(" in cell and "text/html" in kinds:
                first = time.time() - self.opened
            elif first is not None:
                times.append(time.time() - began)
        assert first is not None, "there was no heatmap"
        return first, times


def proportional(process):
    """The memory of a process in MB; shared memory is divided among the processes that share it."""
    try:
        lines = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except (OSError, ProcessLookupError):
        return 0.0  # it has ended
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def kind(arguments, environment):
    """The role of a learner's process."""
    program = os.path.basename(arguments[0]) if arguments else ""
    if "jupyterhub-singleuser" in " ".join(arguments[:3]):
        return "server"
    if program == "attention-notebooks" and "kernel" in arguments:
        return "kernel"
    if program == "cell_process" or "supervise-cells" in arguments:
        return "cells"
    if program in ("rustc", "cargo", "cc", "collect2", "ld", "rust-lld", "ld.lld"):
        return "compiler"
    return "other"


def memories():
    """Memory in MB by learner and role of the process."""
    found = {}
    for folder in pathlib.Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            environment = (folder / "environ").read_bytes().split(b"\0")
            arguments = (folder / "cmdline").read_text().split("\0")
        except (OSError, UnicodeDecodeError):
            continue
        user = next((e[16:].decode() for e in environment if e.startswith(b"JUPYTERHUB_USER=")), None)
        if user:
            of_user = found.setdefault(user, {})
            what = kind(arguments, environment)
            of_user[what] = of_user.get(what, 0.0) + proportional(folder.name)
    return found


class Sampler:
    """Samples the memory of all learners until told to stop, and records the peaks."""

    def __init__(self):
        self.peaks, self.compilers, self.all, self.should_end = {}, {}, 0.0, threading.Event()
        self.thread = threading.Thread(target=self.look)
        self.thread.start()

    def look(self):
        while not self.should_end.wait(0.2):
            now = memories()
            self.all = max(self.all, sum(sum(of.values()) for of in now.values()))
            for learner, of in now.items():
                kernel = sum(of.values()) - of.get("server", 0.0) - of.get("other", 0.0)
                self.peaks[learner] = max(self.peaks.get(learner, 0.0), kernel)
                self.compilers[learner] = max(self.compilers.get(learner, 0.0), of.get("compiler", 0.0))

    def stop(self):
        self.should_end.set()
        self.thread.join()


def measure(prefix, python, proxy, count, cells, checks=(), limit=None, within=0.0):
    with Hub(prefix, python, proxy, limit) as hub:
        try:
            learners = [Learner(hub, number) for number in range(1, count + 1)]
            if checks:
                learners[1].block_copies()  # which must not keep the learner from getting a server
            with concurrent.futures.ThreadPoolExecutor(count) as pool:
                each = lambda what: list(pool.map(what, learners))
                each(lambda learner: learner.log_in())
                servers = each(lambda learner: learner.start_server(within * learner.number / count))
                sampler = Sampler()
                try:
                    each(lambda learner: learner.open_lesson())
                    ran = each(lambda learner: learner.run_lesson(cells))
                finally:
                    sampler.stop()
            time.sleep(IDLE_AFTER)
            idle = memories()
            of = lambda what: statistics.median(idle[learner.name].get(what, 0.0) for learner in learners)
            for check in checks:
                check(learners)
            later = [seconds for _, times in ran for seconds in times]
            return {
                "learners": count,
                "server": statistics.median(servers),
                "server, the last one": max(servers),
                "first heatmap": statistics.median(first for first, _ in ran),
                "first heatmap, the last one": max(first for first, _ in ran),
                "cell": statistics.median(later),
                "cell, 95th percentile": sorted(later)[int(len(later) * 0.95)],
                "peak": max(sampler.peaks.values()),
                "peak of the compiler": max(sampler.compilers.values()),
                "peak of all": sampler.all,
                "idle kernel": of("kernel"),
                "idle cells": of("cells"),
                "idle server": of("server"),
            }
        except Exception:
            print(hub.logged(), file=sys.stderr)
            raise


def learners_are_greeted_by_a_lesson(learners):
    """The first page asks no questions, and offers the lessons' kernel and no other Rust kernel."""
    learner = learners[0]
    with urllib.request.urlopen(learner.request("GET", "/lab"), timeout=PATIENCE) as page:
        assert '"@jupyterlab/apputils-extension:announcements"' in page.read().decode(), "it asks about news"
    kernels = learner.ask("GET", "/api/kernelspecs")["kernelspecs"].values()
    names = [kernel["spec"]["display_name"] for kernel in kernels if kernel["spec"]["language"].lower() == "rust"]
    assert names == ["Rust (attention)"], names
    # The Hub and the servers warn about settings that they do not know.
    unknown = [line for line in learner.hub.logged(None).splitlines() if "not recognized" in line]
    assert not unknown, unknown


def learners_cannot_see_each_other(learners):
    """A learner can neither read the folders of another one's home and kernel nor use the other one's server."""
    file = "std::env::var(\"NOTEBOOK_INTERRUPT_FILE\").unwrap()"
    one, other = learners[:2]
    _, text, status = one.run(f'println!("{{}}", {file});')
    assert status == "ok"
    workspace = os.path.dirname(os.path.dirname(text.strip()))
    assert pathlib.Path(workspace).is_dir(), text
    look = 'println!("{:?}", std::fs::read_dir("%s").map(|_| ()));' % workspace
    _, text, status = other.run(look)
    expected = "PermissionDenied" if os.geteuid() == 0 else "Ok"
    assert status == "ok" and expected in text, text
    for secret in ("homes/learner-1", "homes/learner-1/.local/share/jupyter/runtime"):
        secret = os.path.join(one.hub.folder.name, secret)
        _, text, status = other.run('println!("{:?}", std::fs::read_dir("%s").map(|_| ()));' % secret)
        assert status == "ok" and expected in text, text
    try:
        one.hub.ask("GET", f"/user/{one.name}/api/contents", token=other.token)
        raise AssertionError("a learner's server answers another one")
    except urllib.error.HTTPError as refused:
        assert refused.code in (403, 404), refused.code


# Mistakes a learner can make, and how long each may last before it ends by itself or is interrupted.
DISTURBANCES = [
    ("an endless loop", "let mut n = 0_u64; loop { n += 1; std::hint::black_box(n); }", 5),
    ("a flood of text", 'loop { println!("{}", "text ".repeat(100)); }', 5),
    ("100 GB at once", "let all = vec![1_u8; 100 << 30]; all.len()", 20),
    ("all memory, bit by bit", "let mut all = Vec::new(); loop { all.push(vec![1_u8; 1 << 20]); }", 60),
]


def learners_do_not_disturb_each_other(learners):
    """One learner does things that could take a machine down, while another works undisturbed."""
    one, other = learners[:2]
    for what, code, patience in DISTURBANCES:
        answers = []
        thread = threading.Thread(target=lambda: answers.append(one.run(code)))
        thread.start()
        began, times = time.time(), []
        while thread.is_alive() and time.time() - began < patience:
            before = time.time()
            _, text, status = other.run("softmax(&array![1.0_f32, 2.0]).sum()")
            assert status == "ok", f"{what} disturbs others: {text}"
            times.append(time.time() - before)
        if thread.is_alive():
            one.ask("POST", f"/api/kernels/{one.kernel}/interrupt")
        thread.join(30)
        assert answers and answers[0][2] == "error", f"{what} does not end: {answers}"
        _, text, status = one.run("1 + 1")
        assert status == "ok" and "2" in text, f"after {what}: {text}"
        print(f"{what}: over after {time.time() - began:.0f} s; meanwhile a cell of another learner took "
              f"{statistics.median(times):.1f} s, and at most {max(times):.1f} s", file=sys.stderr)


ROWS = [
    ("server", "starting a server", "s"),
    ("server, the last one", "the same for the last learner", "s"),
    ("first heatmap", "from opening the lesson to the first heatmap, median", "s"),
    ("first heatmap, the last one", "the same for the last learner", "s"),
    ("cell", "a later cell, median", "s"),
    ("cell, 95th percentile", "a later cell, 95th percentile", "s"),
    ("idle kernel", "kernel when idle", "MB"),
    ("idle cells", "process of the cells when idle", "MB"),
    ("idle server", "Jupyter server of a learner", "MB"),
    ("peak", "peak of a learner's kernel, cells and compiler", "MB"),
    ("peak of the compiler", "peak of the compiler alone", "MB"),
    ("peak of all", "peak of all learners with their servers", "MB"),
]


def table(results):
    yield "| learners | " + " | ".join(str(result["learners"]) for result in results) + " |"
    yield "|---" * (len(results) + 1) + "|"
    for key, title, unit in ROWS:
        values = [f"{result[key]:.1f} s" if unit == "s" else f"{result[key]:.0f} MB" for result in results]
        yield f"| {title} | " + " | ".join(values) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--prefix", type=pathlib.Path, default=pathlib.Path("/opt/attention"),
                        help="where `install --prefix` has put everything [default: /opt/attention]")
    parser.add_argument("--learners", type=int, nargs="+", default=[1, 4, 10], help="how many at once [default: 1 4 10]")
    parser.add_argument("--within", type=float, metavar="SECONDS", default=0.0,
                        help="spread the learners' arrivals over this time [default: 0, all at once]")
    parser.add_argument("--check", action="store_true", help="also check that learners cannot see each other's files")
    parser.add_argument("--limit", type=int, metavar="MB", help="limit each learner's memory, which root can; with "
                        "--check, one of them then does what takes a machine down")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args()
    prefix = options.prefix.resolve()
    if not (prefix / "bin/attention-notebooks").exists():
        parser.error(f"nothing is installed in {prefix}: `attention-notebooks install --prefix {prefix}`")
    if min(options.learners) < (2 if options.check else 1):
        parser.error("at least one learner is needed, and two for --check")
    if options.limit is not None and (os.geteuid() != 0 or options.limit < 1):
        parser.error("--limit is a number of MB, and only root can set it")
    python, proxy = tools()
    if pathlib.Path(sys.prefix) != python.parent.parent:
        os.execv(python, [str(python), *sys.argv])  # it has the packages
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the Hub is stopped, too
    cells = code_of_lesson(prefix)
    checks = [learners_are_greeted_by_a_lesson, learners_cannot_see_each_other] * options.check
    checks += [learners_do_not_disturb_each_other] * (options.check and options.limit is not None)
    results = [measure(prefix, python, proxy, count, cells, checks, options.limit, options.within) for count in options.learners]
    print(json.dumps(results, indent=1) if options.json else "\n".join(table(results)))


if __name__ == "__main__":
    main()
