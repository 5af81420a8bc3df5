"""JupyterHub for a class, with the lessons that `install --prefix DIR` has installed.

Set ATTENTION_PREFIX to DIR, or write it here. Who may log in, and how, is for you to say: see
https://jupyterhub.readthedocs.io/en/stable/howto/configuration/.
"""

import os

prefix = os.environ.get("ATTENTION_PREFIX", "/opt/attention")
program = f"{prefix}/bin/attention-notebooks"

# Copies of the lessons for each learner, before their server starts. What they have changed stays.
c.Spawner.cmd = ["sh", "-c", f'"{program}" lessons && exec jupyterhub-singleuser "$@"', "singleuser"]
c.Spawner.notebook_dir = "~/attention-lessons"
c.Spawner.default_url = "/lab/tree/my-lessons/01_coding_attention.ipynb"

# Where the servers find the kernel, the extension for pictures that can be moved, and settings for both and for exports.
c.Spawner.environment = {"JUPYTER_PATH": f"{prefix}/share/jupyter", "JUPYTER_CONFIG_PATH": f"{prefix}/etc/jupyter"}

# Nobody waits longer for a server; one that nobody has used for an hour ends, and frees its memory.
c.Spawner.start_timeout = 120
