"""JupyterHub for a class, with the lessons that `install --prefix DIR` has installed.

Include this file in your own configuration, below your own settings of `c.Spawner`, which it adds to. You decide who
may log in, and how: see https://jupyterhub.readthedocs.io/en/stable/howto/configuration/. Three variables of the
Hub's environment change what it does:

ATTENTION_PREFIX        DIR [default: /opt/attention]
ATTENTION_IDLE_SECONDS  kernels and servers that have been idle for this long are ended, which frees their memory;
                        0 turns this off [default: 3600]
ATTENTION_SOLUTIONS     `hidden`: `solution::...()` shows no solutions [default: it shows them after an attempt]
"""

import os

prefix = os.environ.get("ATTENTION_PREFIX", "/opt/attention")
idle = os.environ.get("ATTENTION_IDLE_SECONDS", "3600")

# Makes or updates a learner's copies of the lessons, then starts their server. The server starts even if copying fails;
# without any copies, it opens the learner's home. The Hub's log has the reason. Jupyter's runtime files go into a private
# folder with a short path, however long the home's path is; `transport` below needs that. All servers of a learner use
# the same one, unless another user has taken its name. The script contains no `${...}`, which systemd would replace, and
# no brace at all, which systemdspawner would.
START = """
"$1" lessons >&2 || echo "the lessons of $1 could not be copied for $USER; their server starts without new copies" >&2
shift
[ -d "$HOME/attention-lessons" ] || unset JUPYTERHUB_ROOT_DIR
[ -e "$HOME/attention-lessons/my-lessons/01_coding_attention.ipynb" ] || JUPYTERHUB_DEFAULT_URL=/lab
JUPYTER_RUNTIME_DIR=/tmp/attention-$(id -u)
mkdir -m 700 "$JUPYTER_RUNTIME_DIR" 2> /dev/null || [ -d "$JUPYTER_RUNTIME_DIR" ] &&
    [ -O "$JUPYTER_RUNTIME_DIR" ] && [ ! -L "$JUPYTER_RUNTIME_DIR" ] || JUPYTER_RUNTIME_DIR=$(mktemp -d)
export JUPYTER_RUNTIME_DIR
exec jupyterhub-singleuser "$@"
"""
c.Spawner.cmd = ["sh", "-c", START, "start", f"{prefix}/bin/attention-notebooks"]
c.Spawner.notebook_dir = "~/attention-lessons"
c.Spawner.default_url = "/lab/tree/my-lessons/01_coding_attention.ipynb"

# Where servers find the kernel, the extension for interactive pictures, and the settings for both and for exports.
for name, folder in [("JUPYTER_PATH", f"{prefix}/share/jupyter"), ("JUPYTER_CONFIG_PATH", f"{prefix}/etc/jupyter")]:
    environment = c.Spawner.environment
    yours = environment.get(name) if isinstance(environment, dict) else None
    environment.update({name: f"{folder}:{yours}" if yours else folder})

if os.environ.get("ATTENTION_SOLUTIONS") == "hidden":
    c.Spawner.environment.update({"ATTENTION_NOTEBOOKS_SOLUTIONS": "hidden"})

# Kernels listen on Unix sockets, whose paths can be at most 107 bytes long. With ports, two of thirty servers that
# start at once may choose the same one, and then a kernel does not start.
c.Spawner.args.append("--KernelManager.transport=ipc")

# When thirty learners start at once on two cores, the last server takes a minute and a half to answer.
c.Spawner.start_timeout = 300
c.Spawner.http_timeout = 300

# The Jupyter server shuts down idle kernels and, once none are left, itself. A kernel running a cell is not idle.
if int(idle):
    c.Spawner.args.extend([
        f"--MappingKernelManager.cull_idle_timeout={idle}",
        "--MappingKernelManager.cull_interval=60",
        "--MappingKernelManager.cull_connected=True",
        f"--ServerApp.shutdown_no_activity_timeout={idle}",
    ])
