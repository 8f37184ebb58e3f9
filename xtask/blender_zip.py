"""Packs Blender's extension: MANIFEST PLACE. PLACE/staged has its modules, and the wheel in `wheels`. Prints the path of the zip."""
import pathlib
import platform
import sys
import zipfile

manifest, place = map(pathlib.Path, sys.argv[1:])
staged = place / 'staged'
wheel = next((staged / 'wheels').glob('*.whl')).name
version = wheel.split('-')[1]
machine = platform.machine().lower()
machine = {'x86_64': 'x64', 'amd64': 'x64', 'aarch64': 'arm64'}.get(machine, machine)
target = f"{ {'darwin': 'macos', 'win32': 'windows'}.get(sys.platform, 'linux') }-{machine}"
text = manifest.read_text()
if f'\nversion = "{version}"' not in text:
    sys.exit(f'{manifest} is not of version {version}')
text = text.replace('platforms = []', f'platforms = ["{target}"]').replace('wheels = []', f'wheels = ["./wheels/{wheel}"]')
path = place / f'meshwright-blender-{version}-{target}.zip'
with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as pack:
    pack.writestr('blender_manifest.toml', text)
    for file in sorted(staged.glob('*.py')) + [staged / 'wheels' / wheel]:
        pack.write(file, file.relative_to(staged).as_posix())
print(path)
