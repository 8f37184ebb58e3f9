"""The wheel carries the program: as a script, and as a module."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import meshwright

MODELS = Path(__file__).parents[3] / "testdata"
SCRIPT = shutil.which("meshwright", path=str(Path(sys.executable).parent))


@pytest.mark.parametrize("program", [[SCRIPT], [sys.executable, "-m", "meshwright"]])
def test_the_program_runs(program, tmp_path):
    assert program[0], "the wheel has no script"

    def run(*words):
        return subprocess.run([*program, *map(str, words)], capture_output=True, text=True)

    version = run("--version")
    assert (version.returncode, version.stdout) == (0, f"meshwright {meshwright.__version__}\n")
    out = tmp_path / "hopper.glb"
    assert run("convert", MODELS / "dpm/hopper.ok.dpm", "-o", out).returncode == 0
    assert out.read_bytes().startswith(b"glTF")
    broken = run("check", MODELS / "dpm/parent.reject.dpm")
    assert broken.returncode == 1 and "bad-parent" in broken.stdout
