#!/usr/bin/env python3
"""Another implementation: DarkPlaces models in a page of Python, to show what the conformance runner asks for.

    run.py --program "python3 conformance/dpm_reader.py" --only .dpm --skip opened --skip findings
"""
import hashlib, json, pathlib, re, struct, sys


def text(field):
    return field.split(b'\0')[0].decode('latin-1')


def clips_of(path, frames):
    """Clips that `.framegroups` lists; without it every frame is one."""
    groups = path.with_name(path.name + '.framegroups')
    if not groups.is_file():
        return [(name, number, 1, 10.0, True) for number, (name, _) in enumerate(frames)]
    rows = [re.sub(r'//.*', '', line).split() for line in groups.read_text().splitlines()]
    return [(row[4], int(row[0]), int(row[1]), float(row[2]), row[3] != '0') for row in rows if row]


def main():
    words = sys.argv[2:]
    path = pathlib.Path(words[-1])
    data = path.read_bytes()
    at = lambda form, offset: struct.unpack_from('>' + form, data, offset)
    if data[:16] != b'DARKPLACESMODEL\0' or at('I', 16) != (2,):
        sys.exit('no DPM')
    bone_count, mesh_count, frame_count, bone_start, mesh_start, frame_start = at('6I', 56)
    bones = [(text(data[o:o + 32]), at('i', o + 32)[0]) for o in range(bone_start, bone_start + 40 * bone_count, 40)]
    frames = [(text(data[o:o + 32]), at('I', o + 64)[0]) for o in range(frame_start, frame_start + 68 * frame_count, 68)]
    clips = clips_of(path, frames)

    def skeleton(frame):
        placed = []
        for bone, (_, parent) in enumerate(bones):
            m = [at('4f', frames[frame][1] + 48 * bone + 16 * row) for row in range(3)]
            if parent >= 0:
                p = placed[parent]
                m = [[sum(p[r][k] * m[k][c] for k in range(3)) + (p[r][3] if c == 3 else 0) for c in range(4)] for r in range(3)]
            placed.append(m)
        return placed

    wanted = [(None, None, 0)]
    for pose in (words[i + 1] for i, word in enumerate(words) if word == '--pose'):
        clip, frame = map(int, pose.split(':'))
        wanted.append((clip, frame, clips[clip][1] + frame))
    meshes = []
    for o in range(mesh_start, mesh_start + 56 * mesh_count, 56):
        vertex_count, triangle_count, vertices, uvs, indices, _ = at('6I', o + 32)
        corners = at(f'{3 * triangle_count}I', indices)
        coordinates = at(f'{2 * vertex_count}f', uvs)
        mesh = {'material': text(data[o:o + 32]) or None, 'vertex_count': vertex_count, 'colors': None,
                'triangles': [corners[i:i + 3] for i in range(0, len(corners), 3)],
                'uvs': [coordinates[i:i + 2] for i in range(0, len(coordinates), 2)], 'poses': []}
        for clip, frame, absolute in wanted:
            placed, here, positions, normals = skeleton(absolute), vertices, [], []
            for _ in range(vertex_count):
                count, = at('I', here)
                position, normal = [0.0] * 3, [0.0] * 3
                for part in range(here + 4, here + 4 + 32 * count, 32):
                    x, y, z, weight, nx, ny, nz, bone = at('7fI', part)
                    for r, row in enumerate(placed[bone]):
                        position[r] += row[0] * x + row[1] * y + row[2] * z + row[3] * weight
                        normal[r] += row[0] * nx + row[1] * ny + row[2] * nz
                here += 4 + 32 * count
                positions.append(position)
                normals.append(normal)
            mesh['poses'].append({'clip': clip, 'frame': frame, 'positions': positions, 'normals': normals})
        meshes.append(mesh)
    json.dump({'format': 'dpm', 'sha256': hashlib.sha256(data).hexdigest(), 'meshes': meshes,
               'bones': [{'name': name, 'parent': parent} for name, parent in bones],
               'clips': [{'name': name, 'frames': count, 'fps': rate, 'loop': loops}
                         for name, _, count, rate, loops in clips]}, sys.stdout)


if __name__ == '__main__':
    main()
