"""The Hub's settings and the script that measures a class, without a Hub."""

import errno
import importlib.util
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import unittest
import uuid
from unittest import mock

from jupyter_client.ioloop import AsyncIOLoopKernelManager
from jupyter_server.serverapp import ServerApp
from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager
from traitlets import Dict, Integer, List, Unicode
from traitlets.config import Config, Configurable

CLASSROOM = pathlib.Path(__file__).resolve().parents[2] / "classroom"
SETTINGS = (CLASSROOM / "jupyterhub_config.py").read_text()


class Spawner(Configurable):
    """The JupyterHub spawner settings that are used here, with their defaults."""

    default_url = Unicode().tag(config=True)
    notebook_dir = Unicode().tag(config=True)
    args = List(Unicode()).tag(config=True)
    cmd = List(Unicode()).tag(config=True)
    environment = Dict().tag(config=True)
    http_timeout = Integer(30).tag(config=True)
    start_timeout = Integer(60).tag(config=True)


def load(before="", **variables):
    """The settings that a Hub ends up with if its configuration begins with these lines."""
    config = Config()
    with mock.patch.dict(os.environ, variables, clear=True):
        exec(before + SETTINGS, {"c": config})
    return Spawner(config=config)


def measuring():
    spec = importlib.util.spec_from_file_location("measuring", CLASSROOM / "class.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


FILES = "--KernelManager.transport=ipc"


class Settings(unittest.TestCase):
    def test_a_class_has_minutes_to_start(self):
        spawner = load()
        self.assertGreaterEqual(spawner.http_timeout, 300)
        self.assertGreaterEqual(spawner.start_timeout, 300)

    def test_what_is_measured_is_what_is_shipped(self):
        names = lambda text: set(re.findall(r"^ *(c\.\w+\.\w+) *=", text, re.MULTILINE))
        own = names(measuring().FOR_MEASURING)
        self.assertIn("c.Spawner.http_timeout", names(SETTINGS))
        self.assertEqual(own & names(SETTINGS), set())
        self.assertEqual([name for name in own if "timeout" in name or "limit" in name], [])

    def test_the_environment_is_added_to(self):
        found = load(ATTENTION_PREFIX="/a").environment
        self.assertEqual(found, {"JUPYTER_PATH": "/a/share/jupyter", "JUPYTER_CONFIG_PATH": "/a/etc/jupyter"})
        found = load('c.Spawner.environment = {"OWN": "1", "JUPYTER_PATH": "/own"}\n').environment
        self.assertEqual(found["OWN"], "1")
        self.assertEqual(found["JUPYTER_PATH"], "/opt/attention/share/jupyter:/own")
        self.assertEqual(load('c.Spawner.environment.update({"OWN": "1"})\n').environment["OWN"], "1")

    def test_idle_servers_are_ended(self):
        args = load('c.Spawner.args = ["--own"]\n').args
        self.assertEqual(args[0], "--own")
        self.assertIn("--MappingKernelManager.cull_idle_timeout=3600", args)
        self.assertIn("--ServerApp.shutdown_no_activity_timeout=3600", args)
        self.assertIn("--ServerApp.shutdown_no_activity_timeout=60", load(ATTENTION_IDLE_SECONDS="60").args)
        self.assertEqual(load(ATTENTION_IDLE_SECONDS="0").args, [FILES])

    def test_the_server_does_what_the_page_promises(self):
        """Idle kernels are ended after an hour, even in an open tab, and then the server."""
        server = ServerApp()
        server.parse_command_line(load().args)
        kernels = AsyncMappingKernelManager(parent=server)
        self.assertEqual((kernels.cull_idle_timeout, kernels.cull_connected, kernels.cull_busy), (3600, True, False))
        self.assertEqual((kernels.cull_interval, server.shutdown_no_activity_timeout), (60, 3600))
        self.assertEqual(AsyncIOLoopKernelManager(parent=server).transport, "ipc")

    def test_kernels_of_two_servers_cannot_choose_the_same_port(self):
        self.assertIn(FILES, load().args)

    def test_solutions_can_be_hidden(self):
        self.assertEqual(load(ATTENTION_SOLUTIONS="hidden").environment["ATTENTION_NOTEBOOKS_SOLUTIONS"], "hidden")
        self.assertNotIn("ATTENTION_NOTEBOOKS_SOLUTIONS", load().environment)


class Start(unittest.TestCase):
    """The command that starts a learner's server, tested with a script in place of the server."""

    def test_systemd_finds_nothing_to_replace_in_it(self):
        self.assertNotIn("${", " ".join(load().cmd))
        # systemdspawner, which The Littlest JupyterHub uses, too, formats each word.
        for word in [*load().cmd, *load().args]:
            self.assertEqual(word.format(USERNAME="ann", USERID=1), word)

    def start(self, lessons, server='echo "$JUPYTERHUB_ROOT_DIR|$JUPYTERHUB_DEFAULT_URL|$*"', user=""):
        """Returns what the server receives and what is logged; `lessons` is the program's script, if there is one, and
        `user` is a user id that no one has."""
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            self.script(folder / "jupyterhub-singleuser", server)
            if user:
                self.script(folder / "id", f"echo {user}")
            if lessons is not None:
                (folder / "bin").mkdir()
                self.script(folder / "bin/attention-notebooks", lessons)
            environment = {"PATH": f"{folder}:/usr/bin:/bin", "HOME": str(folder), "USER": "ann",
                           "JUPYTERHUB_ROOT_DIR": "root", "JUPYTERHUB_DEFAULT_URL": "url"}
            command = [*load(ATTENTION_PREFIX=str(folder)).cmd, "--port=1", "a b"]
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout.strip(), done.stderr

    def script(self, file, line):
        file.write_text(f"#!/bin/sh\n{line}\n")
        file.chmod(file.stat().st_mode | stat.S_IXUSR)

    def test_it_opens_the_first_lesson(self):
        copy = 'echo copied; mkdir -p ~/attention-lessons/my-lessons; : > ~/attention-lessons/my-lessons/01_coding_attention.ipynb'
        self.assertEqual(self.start(copy), ("root|url|--port=1 a b", "copied\n"))

    def test_it_starts_whatever_fails(self):
        told, logged = self.start("mkdir ~/attention-lessons; exit 1")
        self.assertEqual(told, "root|/lab|--port=1 a b")
        self.assertIn("could not be copied for ann", logged)
        for without_copies in ("exit 1", None):
            self.assertEqual(self.start(without_copies)[0], "|/lab|--port=1 a b")

    def test_servers_of_a_learner_leave_one_short_private_folder(self):
        user = f"test-{os.getpid()}"
        runtime = lambda: pathlib.Path(self.start("exit 1", 'echo "$JUPYTER_RUNTIME_DIR"', user)[0])
        first, again = runtime(), runtime()
        self.addCleanup(shutil.rmtree, first)
        self.assertEqual((first, stat.S_IMODE(first.stat().st_mode)), (again, 0o700))
        of_kernel = first / f"kernel-{uuid.uuid4()}-ipc-1"
        self.assertLess(len(str(of_kernel)), 100)

        # Another user may have taken this name.
        first.rename(f"{first}-moved")
        self.addCleanup(os.rmdir, f"{first}-moved")
        first.symlink_to(f"{first}-moved")
        other = runtime()
        first.unlink()
        first.mkdir()  # for the clean-up
        self.addCleanup(os.rmdir, other)
        self.assertNotEqual(other, first)
        self.assertEqual(stat.S_IMODE(other.stat().st_mode), 0o700)


class Measuring(unittest.TestCase):
    def test_the_reason_of_a_failed_program_is_shown(self):
        code = "import sys; print('EBADENGINE: node is too old'); sys.exit(3)"
        with self.assertRaises(SystemExit) as ended:
            measuring().run_or_exit([sys.executable, "-c", code])
        self.assertIn("EBADENGINE: node is too old", str(ended.exception))

    def test_a_control_group_goes_with_its_last_process(self):
        with tempfile.TemporaryDirectory() as folder:
            process = subprocess.Popen(["sleep", "60"])
            self.addCleanup(process.kill)

            class Group(type(pathlib.Path())):
                def rmdir(self):
                    if process.poll() is None:
                        raise OSError(errno.EBUSY, "Device or resource busy")
                    (self / "cgroup.procs").unlink()
                    super().rmdir()

            group = Group(folder) / "group"
            group.mkdir()
            (group / "cgroup.procs").write_text(f"{process.pid}\n")
            measuring().remove_group(group)
            self.assertFalse(group.exists())

    def test_no_control_group_is_left(self):
        groups = measuring().control_groups()[0]
        group = groups / f"class-test{os.getpid()}-learner-1"
        try:
            group.mkdir()
        except OSError as error:
            self.skipTest(f"NOT TESTED: control groups cannot be made here: {error}")
        with subprocess.Popen(["sleep", "60"]) as process:
            (group / "cgroup.procs").write_text(str(process.pid))
            # Nothing waits for the process meanwhile, so it stays a zombie after it has been killed.
            measuring().remove_groups(groups / f"class-test{os.getpid()}")
            self.assertEqual(process.wait(), -signal.SIGKILL)
        self.assertFalse(group.exists())

    def test_a_class_is_measured_with_what_the_page_installs(self):
        page, module = (CLASSROOM / "README.md").read_text(), measuring()
        packages = module.PACKAGES.relative_to(CLASSROOM.parent)
        for command in (f"npm install --global {module.PROXY} ", " ".join(["pip install", *module.PIP_OPTIONS, f"{packages}\n"])):
            self.assertIn(command, page)


