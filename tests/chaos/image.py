"""Tests the image without Docker: builds the last stage of binder/Dockerfile in a plain root folder, and there, as
the image's user and without a network, runs a lesson, the servers, and what a dev container starts.

Usage, as root on Debian 12, after `install --prefix /opt/attention`:
    python3 tests/chaos/image.py ROOT
If ROOT does not exist, debootstrap creates it; if /opt/jupyter does not exist, the first stage's own command creates it
on this machine. Prints the size and how long a lesson takes, and fails if a cell does.
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time

PROJECT = pathlib.Path(__file__).resolve().parents[2]
DOCKERFILE = PROJECT / "binder" / "Dockerfile"
DEV_CONTAINER = PROJECT / ".devcontainer" / "devcontainer.json"
LESSON = "02_who_attends_to_whom.ipynb"
# In separate namespaces, all processes end together, and the network has only the loopback interface.
BEGIN = """
set -e
ip link set lo up
mount -t proc proc "$0/proc"
mount --rbind /dev "$0/dev"
exec chroot --userspec={user} "$0" env -i {environment} sh -c 'cd {folder} && exec "$@"' sh "$@"
"""


def instructions():
    """The instructions of each stage as (NAME, rest of the line), with continued lines joined."""
    text = "\n".join(line for line in DOCKERFILE.read_text().splitlines() if not line.startswith("#"))
    lines = re.sub(r"\\\n", " ", text).splitlines()
    stages = []
    for line in filter(str.strip, lines):
        name, rest = line.split(None, 1)
        if name == "FROM":
            stages.append([])
        stages[-1].append((name, rest.strip()))
    return stages


def run(*command, **options):
    return subprocess.run(command, check=True, **options)


def install_jupyter(home):
    """Runs the first stage's command that fills /opt/jupyter, on this machine."""
    first, _ = instructions()
    jupyter = next(rest for name, rest in first if name == "RUN" and "/opt/jupyter" in rest)
    run("/bin/sh", "-ec", jupyter, cwd=PROJECT, env={"PATH": "/usr/bin:/bin", "HOME": str(home)})


def dev_container():
    """The settings of the dev container, without the comments that JSON does not allow."""
    lines = DEV_CONTAINER.read_text().splitlines()
    return json.loads("\n".join(line for line in lines if not line.lstrip().startswith("//")))


def asked(server, *requests):
    """A script that starts a server and, once it answers, prints the results of `requests`, which are in Python."""
    ask = [
        "import urllib.request as r, urllib.error as e",
        "def answer(path, **headers): return r.urlopen(r.Request('http://127.0.0.1:8888' + path, headers=headers))",
        "def status(path, **headers):",
        "    try: return answer(path, **headers).status",
        "    except e.HTTPError as error: return error.code",
        "def cookie(path, **headers):",
        "    return '; '.join(one.split(';')[0] for one in answer(path, **headers).headers.get_all('Set-Cookie'))",
        *(f"print({request})" for request in requests),
    ]
    ask = shlex.quote("\n".join(ask))
    return f"{server} 2>/dev/null & for i in $(seq 60); do python3 -c {ask} 2>/dev/null && exit 0; sleep 1; done; exit 1"


class Image:
    def __init__(self, root):
        self.root, self.environment = root, {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
        self.user, self.folder, self.entry, self.default_command = "0", "/", [], []

    def apply(self, name, rest):
        if name == "RUN":
            run("chroot", self.root, "/bin/sh", "-ec", rest, env={**self.environment, "DEBIAN_FRONTEND": "noninteractive"})
        elif name == "COPY":
            *options, source, target = rest.split()
            source = pathlib.Path(source) if options else PROJECT / source
            target = self.root / target.lstrip("/")
            run("rm", "-rf", target)
            run("cp", "-a", "--no-preserve=ownership", source, target)
        elif name == "ENV":
            self.environment |= dict(pair.split("=", 1) for pair in shlex.split(rest))
        elif name == "USER":
            self.user = rest
        elif name == "WORKDIR":
            self.folder = rest
        elif name == "ENTRYPOINT":
            self.entry = json.loads(rest)
        elif name == "CMD":
            self.default_command = json.loads(rest)
        elif name not in ("FROM", "EXPOSE"):
            sys.exit(f"error: {name} is not known to {__file__}")

    def command(self, *command, network=False):
        """The command line that runs a command (by default the image's own) inside the image, with this machine's
        network or none."""
        environment = " ".join(shlex.quote(f"{name}={value}") for name, value in self.environment.items())
        begin = BEGIN.format(user=f"{self.user}:{self.user}", environment=environment, folder=self.folder)
        namespaces = ["unshare", "--mount", "--pid", "--fork", "--kill-child", *([] if network else ["--net"])]
        return [*namespaces, "sh", "-c", begin, self.root, *self.entry, *(command or self.default_command)]

    def start(self, *command, **options):
        return run(*self.command(*command), **options)


def main():
    if len(sys.argv) != 2 or os.geteuid() != 0:
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1]).resolve()
    if not (root / "bin/sh").exists():
        run("debootstrap", "--variant=minbase", "bookworm", root)
    if not pathlib.Path("/opt/jupyter").exists():
        install_jupyter(root)
    image = Image(root)
    subprocess.run(["chroot", root, "userdel", "--remove", "jovyan"], stderr=subprocess.DEVNULL)  # from an earlier run
    for name, rest in instructions()[-1]:
        image.apply(name, rest)
    size = run("du", "-sm", "--one-file-system", root, stdout=subprocess.PIPE, text=True).stdout.split()[0]
    print(f"{size} MB without compression")

    began = time.time()
    executed = image.start(
        "jupyter", "nbconvert", "--to", "notebook", "--execute", "--stdout", f"my-lessons/{LESSON}",
        stdout=subprocess.PIPE, text=True,
    ).stdout
    outputs = [output for cell in json.loads(executed)["cells"] for output in cell.get("outputs", [])]
    assert not [output for output in outputs if output["output_type"] == "error"]
    pictures = sum("text/html" in output.get("data", {}) for output in outputs)
    assert pictures > 0, "no picture"
    print(f"{LESSON}: {pictures} pictures, {time.time() - began:.0f} s")

    # The server that `docker run` starts, and the one that JupyterHub starts instead.
    def answers(server, *requests):
        return image.start("sh", "-c", asked(server, *requests), stdout=subprocess.PIPE, text=True).stdout.split()

    assert answers(shlex.join(image.default_command), "status('/api')") == ["200"]
    version = image.start("jupyterhub-singleuser", "--version", stdout=subprocess.PIPE, text=True).stdout
    print(f"the server answers; jupyterhub-singleuser {version.split()[-1]}")
    # An umlaut counts as one character, and nbgitpuller fetches the notebooks of a link.
    assert image.start("sh", "-c", "printf 'ü\\n' | grep -x .", stdout=subprocess.PIPE).returncode == 0
    pull = """
        git init --quiet --initial-branch=main "$HOME/course" && cd "$HOME/course" && touch week1.ipynb && git add .
        git -c user.name=t -c user.email=t@example.org commit --quiet --message=1
        gitpuller "file://$HOME/course" main "$HOME/pulled" && test -f "$HOME/pulled/week1.ipynb"
        jupyter server extension list 2>&1 | grep -q "nbgitpuller .*enabled"
    """
    image.start("sh", "-ec", pull, stdout=subprocess.DEVNULL)
    # In a dev container, the lessons open only with its token and at its own address.
    settings = dev_container()
    assert (DEV_CONTAINER.parent / settings["build"]["dockerfile"]).resolve() == DOCKERFILE
    assert settings["remoteUser"] == image.environment["USER"]
    server = "JUPYTER_TOKEN=t " + shlex.join(settings["postAttachCommand"])
    host, api = "Host='name-8888.app.github.dev'", "'/api/contents/my-lessons'"
    logged_in = f"{host}, Cookie=cookie('/lab?token=t', {host})"
    statuses = answers(
        server,
        f"status('/lab?token=t', {host})",
        f"status({api}, Origin='https://name-8888.app.github.dev', {logged_in})",
        f"status({api}, Origin='https://name-8888.app.github.dev.example.org', {logged_in})",
        f"status({api})",
    )
    assert statuses[:2] == ["200", "200"] and not {"200"} & set(statuses[2:]), statuses
    print("nbgitpuller pulls; the dev container's server answers")
    home = root / "home/jovyan"
    assert (home / "attention-lessons/my-lessons" / LESSON).stat().st_uid == 1000
    for folder in ["attention-lessons", "course", "pulled"]:
        shutil.rmtree(home / folder)


if __name__ == "__main__":
    main()
