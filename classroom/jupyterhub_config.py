"""JupyterHub for a class, with the lessons that `install --prefix DIR` has installed.

Set ATTENTION_PREFIX to DIR, or write it here. You decide who may log in, and how: see
https://jupyterhub.readthedocs.io/en/stable/howto/configuration/.
"""

import os

prefix = os.environ.get("ATTENTION_PREFIX", "/opt/attention")
program = f"{prefix}/bin/attention-notebooks"

# Makes each learner's copies of the lessons before their server starts. Changed copies are kept.
c.Spawner.cmd = ["sh", "-c", f'"{program}" lessons && exec jupyterhub-singleuser "$@"', "singleuser"]
c.Spawner.notebook_dir = "~/attention-lessons"
c.Spawner.default_url = "/lab/tree/my-lessons/01_coding_attention.ipynb"

# Where servers find the kernel, the extension for interactive pictures, and the settings for both and for exports.
c.Spawner.environment = {"JUPYTER_PATH": f"{prefix}/share/jupyter", "JUPYTER_CONFIG_PATH": f"{prefix}/etc/jupyter"}

# The limit on waiting for a server. Servers unused for an hour are ended, which frees their memory.
c.Spawner.start_timeout = 120
