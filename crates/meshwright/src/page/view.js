'use strict';
// A page that plays one GLB at a time: from a program that serves it, from a module in a worker, or from its own data. No
// library; names are only ever set as text.
(() => {
const $ = id => document.getElementById(id);
const data = JSON.parse($('data').textContent);
const canvas = $('canvas'), status = $('status');
const say = text => { status.textContent = text; };
/** Tells those who hear the page what others see. */
const tell = text => { $('live').textContent = text; };

// Matrices are column by column, as in glTF.
const identity = () => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
function multiply(a, b) {
  const out = new Array(16);
  for (let c = 0; c < 4; c++) for (let r = 0; r < 4; r++) {
    out[c * 4 + r] = a[r] * b[c * 4] + a[4 + r] * b[c * 4 + 1] + a[8 + r] * b[c * 4 + 2] + a[12 + r] * b[c * 4 + 3];
  }
  return out;
}
function compose([tx, ty, tz], [x, y, z, w], [sx, sy, sz]) {
  return [
    (1 - 2 * (y * y + z * z)) * sx, 2 * (x * y + w * z) * sx, 2 * (x * z - w * y) * sx, 0,
    2 * (x * y - w * z) * sy, (1 - 2 * (x * x + z * z)) * sy, 2 * (y * z + w * x) * sy, 0,
    2 * (x * z + w * y) * sz, 2 * (y * z - w * x) * sz, (1 - 2 * (x * x + y * y)) * sz, 0,
    tx, ty, tz, 1,
  ];
}
const determinant = m => m[0] * (m[5] * m[10] - m[6] * m[9]) - m[4] * (m[1] * m[10] - m[2] * m[9]) + m[8] * (m[1] * m[6] - m[2] * m[5]);
function slerp(a, b, t) {
  let d = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const sign = d < 0 ? -1 : 1;
  d *= sign;
  let p = 1 - t, q = t;
  if (d < 0.9995) {
    const angle = Math.acos(Math.min(d, 1)), s = Math.sin(angle);
    p = Math.sin(p * angle) / s; q = Math.sin(q * angle) / s;
  }
  const out = a.map((v, i) => v * p + b[i] * q * sign), l = Math.hypot(...out) || 1;
  return out.map(v => v / l);
}

// --- GLB ---
const COMPONENTS = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };
const ARRAYS = { 5120: Int8Array, 5121: Uint8Array, 5122: Int16Array, 5123: Uint16Array, 5125: Uint32Array, 5126: Float32Array };
const MOST = { 5120: 127, 5121: 255, 5122: 32767, 5123: 65535 };
function parse(buffer) {
  const view = new DataView(buffer);
  if (buffer.byteLength < 20 || view.getUint32(0, true) !== 0x46546c67) throw new Error('no GLB');
  const length = view.getUint32(12, true);
  const json = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 20, length)));
  const at = 20 + length;
  const bin = at + 8 <= buffer.byteLength ? new Uint8Array(buffer, at + 8, view.getUint32(at, true)) : new Uint8Array();
  return { json, bin };
}
function accessor({ json, bin }, index) {
  const a = json.accessors[index], n = COMPONENTS[a.type], type = ARRAYS[a.componentType];
  const out = type === Float32Array || a.normalized ? new Float32Array(a.count * n) : new type(a.count * n);
  if (a.bufferView === undefined) return { array: out, n, count: a.count };
  const v = json.bufferViews[a.bufferView], size = type.BYTES_PER_ELEMENT, stride = v.byteStride || n * size;
  const start = bin.byteOffset + (v.byteOffset || 0) + (a.byteOffset || 0);
  const source = new DataView(bin.buffer);
  const read = { 5120: 'getInt8', 5121: 'getUint8', 5122: 'getInt16', 5123: 'getUint16', 5125: 'getUint32', 5126: 'getFloat32' }[a.componentType];
  const scale = a.normalized ? 1 / MOST[a.componentType] : 1;
  if (stride === n * size && scale === 1 && start % size === 0) {
    out.set(new type(bin.buffer, start, a.count * n));
  } else {
    for (let i = 0; i < a.count; i++) for (let c = 0; c < n; c++) {
      out[i * n + c] = source[read](start + i * stride + c * size, true) * scale;
    }
  }
  return { array: out, n, count: a.count };
}

// --- WebGL ---
const gl = canvas.getContext('webgl2', { antialias: true, alpha: false, preserveDrawingBuffer: true });
if (!gl) { say('This browser has no WebGL 2.'); return; }
const SKIN = `
uniform mat4 u_model; uniform bool u_skinned; uniform highp sampler2D u_joints, u_parts;
layout(location=0) in vec3 a_position; layout(location=1) in vec3 a_normal; layout(location=2) in vec2 a_uv; layout(location=3) in vec4 a_color; layout(location=4) in uvec2 a_range;
mat4 joint(int j) {
  ivec2 at = ivec2((j % 255) * 4, j / 255);
  return mat4(texelFetch(u_joints, at, 0), texelFetch(u_joints, at + ivec2(1, 0), 0), texelFetch(u_joints, at + ivec2(2, 0), 0), texelFetch(u_joints, at + ivec2(3, 0), 0));
}
mat4 place() {
  if (!u_skinned) return u_model;
  mat4 sum = mat4(0.0);
  for (uint i = a_range.x; i < a_range.x + a_range.y; i++) {
    vec2 part = texelFetch(u_parts, ivec2(int(i % 1024u), int(i / 1024u)), 0).rg;
    sum += joint(int(part.x)) * part.y;
  }
  return sum;
}`;
const VERTEX = `#version 300 es
precision highp float; precision highp int;
uniform mat4 u_camera;
${SKIN}
out vec3 v_world, v_normal; out vec2 v_uv; out vec4 v_color;
void main() {
  mat4 m = place(); vec4 world = m * vec4(a_position, 1.0);
  v_world = world.xyz; v_normal = mat3(m) * a_normal; v_uv = a_uv; v_color = a_color;
  gl_Position = u_camera * world; gl_PointSize = 1.0;
}`;
const FRAGMENT = `#version 300 es
precision highp float;
uniform int u_view; uniform vec4 u_base; uniform sampler2D u_texture; uniform bool u_textured, u_flat; uniform float u_cut, u_blend; uniform vec3 u_key, u_fill; uniform vec4 u_line;
in vec3 v_world, v_normal; in vec2 v_uv; in vec4 v_color; out vec4 color;
// Bright light is compressed, so that a white surface keeps its shape.
vec3 tone(vec3 c) { float peak = max(c.r, max(c.g, c.b)), from = 0.55, rest = 1.0 - from; return peak <= from ? c : c * (1.0 - rest * rest / (peak - from + rest)) / peak; }
vec3 srgb(vec3 c) { c = clamp(c, 0.0, 1.0); return mix(c * 12.92, 1.055 * pow(max(c, 0.0031308), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c)); }
void main() {
  if (u_line.a > 0.0) { color = u_line; return; }
  vec4 c = u_base * v_color;
  if (u_textured) c *= texture(u_texture, v_uv);
  if (c.a < u_cut) discard;
  vec3 n = u_flat ? normalize(cross(dFdx(v_world), dFdy(v_world))) : normalize(v_normal) * (gl_FrontFacing ? 1.0 : -1.0);
  if (u_view == 2) { color = vec4(n * 0.5 + 0.5, 1.0); return; }
  if (u_view == 3) { vec2 f = fract(v_uv); bool dark = (int(f.x * 8.0) + int(f.y * 8.0)) % 2 == 0; color = vec4(vec3(f, 0.35) * (dark ? 0.75 : 1.0), 1.0); return; }
  float light = u_view == 1 ? 1.0 : max(dot(n, u_key), 0.0) * 0.72 + max(dot(n, u_fill), 0.0) * 0.22 + mix(0.12, 0.28, n.y * 0.5 + 0.5);
  color = vec4(srgb(u_view == 1 ? c.rgb : tone(c.rgb * light)), u_blend > 0.0 ? c.a : 1.0);
}`;
function program(fragment, feedback) {
  const p = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, fragment]]) {
    const s = gl.createShader(kind);
    gl.shaderSource(s, text); gl.compileShader(s);
    if (!gl.getShaderParameter(s, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(s));
    gl.attachShader(p, s);
  }
  if (feedback) gl.transformFeedbackVaryings(p, ['v_world'], gl.INTERLEAVED_ATTRIBS);
  gl.linkProgram(p);
  if (!gl.getProgramParameter(p, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(p));
  const at = {};
  return { p, at: name => (at[name] ??= gl.getUniformLocation(p, name)) };
}
const draws = program(FRAGMENT, false), measures = program(FRAGMENT, true);
// What is bound to no joint has no array of ranges: the value that stands in must be of whole numbers.
gl.vertexAttribI4ui(4, 0, 0, 0, 0);

let made = [];
const keep = thing => { made.push(thing); return thing; };
function forget() {
  for (const thing of made) {
    if (thing instanceof WebGLBuffer) gl.deleteBuffer(thing);
    else if (thing instanceof WebGLTexture) gl.deleteTexture(thing);
    else gl.deleteVertexArray(thing);
  }
  made = [];
}
function attribute(place, array, n, whole) {
  gl.bindBuffer(gl.ARRAY_BUFFER, keep(gl.createBuffer()));
  gl.bufferData(gl.ARRAY_BUFFER, array, gl.STATIC_DRAW);
  gl.enableVertexAttribArray(place);
  if (whole) gl.vertexAttribIPointer(place, n, gl.UNSIGNED_INT, 0, 0);
  else gl.vertexAttribPointer(place, n, gl.FLOAT, false, 0, 0);
}
const floats = a => (a instanceof Float32Array ? a : Float32Array.from(a));
function table(width, height, format, kind, values) {
  const texture = keep(gl.createTexture());
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texImage2D(gl.TEXTURE_2D, 0, format, width, height, 0, kind, gl.FLOAT, values);
  for (const side of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, side, gl.NEAREST);
  return texture;
}

/** Every influence of every vertex, whatever their number: joint and weight in a texture, and for each vertex where its own begin. */
function influences(glb, attributes, count) {
  const sets = [];
  for (let s = 0; attributes['JOINTS_' + s] !== undefined; s++) {
    sets.push([accessor(glb, attributes['JOINTS_' + s]).array, accessor(glb, attributes['WEIGHTS_' + s]).array]);
  }
  const range = new Uint32Array(count * 2), parts = [];
  for (let v = 0; v < count; v++) {
    range[v * 2] = parts.length / 2;
    let sum = 0;
    for (const [, weights] of sets) for (let i = 0; i < 4; i++) sum += weights[v * 4 + i];
    for (const [joints, weights] of sets) for (let i = 0; i < 4; i++) {
      const weight = weights[v * 4 + i];
      if (weight !== 0) parts.push(joints[v * 4 + i], weight / (sum || 1));
    }
    range[v * 2 + 1] = parts.length / 2 - range[v * 2];
  }
  const height = Math.max(1, Math.ceil(parts.length / 2048)), values = new Float32Array(height * 2048);
  values.set(parts);
  return { range, texture: table(1024, height, gl.RG32F, gl.RG, values) };
}

function primitive(glb, source, textures) {
  const count = glb.json.accessors[source.attributes.POSITION].count;
  const array = keep(gl.createVertexArray());
  gl.bindVertexArray(array);
  const position = accessor(glb, source.attributes.POSITION).array;
  attribute(0, position, 3);
  const normal = source.attributes.NORMAL, uv = source.attributes.TEXCOORD_0, color = source.attributes.COLOR_0;
  if (normal !== undefined) attribute(1, floats(accessor(glb, normal).array), 3);
  if (uv !== undefined) attribute(2, floats(accessor(glb, uv).array), 2);
  if (color !== undefined) {
    const a = accessor(glb, color);
    attribute(3, floats(a.array), a.n);
  }
  let parts = null;
  if (source.attributes.JOINTS_0 !== undefined) {
    const own = influences(glb, source.attributes, count);
    attribute(4, own.range, 2, true);
    parts = own.texture;
  }
  const index = source.indices === undefined ? Uint32Array.from({ length: count }, (_, i) => i) : Uint32Array.from(accessor(glb, source.indices).array);
  const edges = new Uint32Array(index.length * 2);
  for (let i = 0; i + 2 < index.length; i += 3) edges.set([index[i], index[i + 1], index[i + 1], index[i + 2], index[i + 2], index[i]], i * 2);
  const indices = list => {
    const buffer = keep(gl.createBuffer());
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, list, gl.STATIC_DRAW);
    return { buffer, count: list.length };
  };
  const triangles = indices(index), lines = indices(edges);
  gl.bindVertexArray(null);
  const skins = new Map();
  for (const mapping of source.extensions?.KHR_materials_variants?.mappings || []) {
    for (const variant of mapping.variants) skins.set(variant, surface(glb, textures, mapping.material));
  }
  return {
    array, count, index, triangles, lines, parts, flat: normal === undefined, colored: color !== undefined,
    own: surface(glb, textures, source.material), skins,
    middle: [0, 1, 2].map(c => { let low = Infinity, high = -Infinity; for (let i = c; i < position.length; i += 3) { low = Math.min(low, position[i]); high = Math.max(high, position[i]); } return (low + high) / 2; }),
  };
}

/** What a material makes of a surface. */
function surface(glb, textures, number) {
  const material = glb.json.materials?.[number] || {}, pbr = material.pbrMetallicRoughness || {};
  return {
    base: pbr.baseColorFactor || [1, 1, 1, 1], sided: !!material.doubleSided, texture: textures[pbr.baseColorTexture?.index] || null,
    cut: material.alphaMode === 'MASK' ? material.alphaCutoff ?? 0.5 : 0, blend: material.alphaMode === 'BLEND',
  };
}
/** The names of the looks of a model; none where it has one. */
const variants = json => (json.extensions?.KHR_materials_variants?.variants || []).map(v => v.name);

async function pictures(glb) {
  const { json, bin } = glb, images = [];
  for (const image of json.images || []) {
    try {
      const v = json.bufferViews[image.bufferView];
      const blob = new Blob([bin.subarray(v.byteOffset || 0, (v.byteOffset || 0) + v.byteLength)], { type: image.mimeType });
      images.push(await createImageBitmap(blob, { premultiplyAlpha: 'none', colorSpaceConversion: 'none' }));
    } catch { images.push(null); }
  }
  return (json.textures || []).map(source => {
    const image = images[source.source], sampler = json.samplers?.[source.sampler] || {};
    if (!image) return null;
    const texture = keep(gl.createTexture());
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.SRGB8_ALPHA8, gl.RGBA, gl.UNSIGNED_BYTE, image);
    gl.generateMipmap(gl.TEXTURE_2D);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, sampler.wrapS || gl.REPEAT);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, sampler.wrapT || gl.REPEAT);
    return texture;
  });
}

/** Nodes with parents first. */
function ordered(json) {
  const nodes = json.nodes || [], parent = new Array(nodes.length).fill(-1), order = [];
  nodes.forEach((node, i) => (node.children || []).forEach(c => { parent[c] = i; }));
  const open = nodes.map((_, i) => i).filter(i => parent[i] < 0);
  while (open.length) { const i = open.pop(); order.push(i); open.push(...(nodes[i].children || [])); }
  return { parent, order };
}

function clips(glb) {
  return (glb.json.animations || []).map((animation, number) => {
    const channels = animation.channels.filter(c => c.target.node !== undefined).map(c => {
      const s = animation.samplers[c.sampler];
      const times = accessor(glb, s.input).array, values = accessor(glb, s.output);
      return { node: c.target.node, path: c.target.path, times, values: values.array, n: values.n, step: s.interpolation === 'STEP' };
    });
    const last = channels.reduce((m, c) => Math.max(m, c.times[c.times.length - 1] || 0), 0);
    const x = animation.extras || {}, rate = x.rate > 0 ? x.rate : 30;
    const end = x.frames > 0 ? (x.loop ? x.frames : x.frames - 1) / rate : last;
    return { name: animation.name || 'clip ' + number, channels, rate, end, loop: !!x.loop };
  });
}

function value(channel, t) {
  const { times, values, n, step } = channel, count = times.length;
  let i = 0, j = count - 1;
  while (i < j) { const m = (i + j + 1) >> 1; if (times[m] <= t) i = m; else j = m - 1; }
  const at = k => Array.from(values.subarray(k * n, k * n + n));
  if (step || i + 1 >= count || t <= times[0]) return at(i);
  const f = (t - times[i]) / (times[i + 1] - times[i]), a = at(i), b = at(i + 1);
  return channel.path === 'rotation' ? slerp(a, b, f) : a.map((v, c) => v + (b[c] - v) * f);
}

// --- state ---
let model = null, playing = false, time = 0, clip = -1, level = 0, skin = -1, dirty = true;
const FRONT = { azimuth: 35, elevation: 15 };
const camera = { ...FRONT, zoom: 1, shift: [0, 0] };
/** The box that the camera shows; where the middle of the joints was when the box was taken, if the camera follows it. */
let frameBox = null, modelBox = null, followed = null;

async function load(buffer, about) {
  const glb = parse(buffer);
  forget();
  model = null;
  const textures = await pictures(glb), { json } = glb;
  const meshes = (json.meshes || []).map(m => m.primitives.filter(p => (p.mode ?? 4) === 4).map(p => primitive(glb, p, textures)));
  const skins = (json.skins || []).map(s => {
    const inverse = s.inverseBindMatrices === undefined ? null : accessor(glb, s.inverseBindMatrices).array;
    const rows = Math.max(1, Math.ceil(s.joints.length / 255)), values = new Float32Array(rows * 1020 * 4);
    return { joints: s.joints, inverse, rows, values, texture: table(1020, rows, gl.RGBA32F, gl.RGBA, values) };
  });
  model = { json, meshes, skins, ...ordered(json), clips: clips(glb), about };
  level = json.scene || 0;
  skin = -1;
  time = 0;
  clip = -1;
  frameBox = modelBox = followed = null;
  $('fit').value = 'model';
  choices();
  // The model is shown at rest: in its idle clip, which the program names, or in its rest pose.
  const idle = about.idle ?? -1;
  clip = model.clips[idle] ? idle : -1;
  pose();
  modelBox = seen();
  if (!Number.isFinite(modelBox[0][0]) && clip >= 0) { clip = -1; pose(); modelBox = seen(); }
  describe(modelBox);
  choose(clip);
  reset();
  play(clip >= 0 && !matchMedia('(prefers-reduced-motion: reduce)').matches);
  say('');
}

/** Where every node is, and the matrices of the joints on the GPU. */
function pose() {
  const { json, order, parent } = model, parts = new Map();
  const own = clip >= 0 ? model.clips[clip] : null;
  for (const c of own ? own.channels : []) {
    if (!parts.has(c.node)) parts.set(c.node, {});
    parts.get(c.node)[c.path] = value(c, time);
  }
  const worlds = model.worlds = new Array(json.nodes?.length || 0);
  for (const i of order) {
    const node = json.nodes[i], moved = parts.get(i) || {};
    const local = node.matrix || compose(moved.translation || node.translation || [0, 0, 0], moved.rotation || node.rotation || [0, 0, 0, 1], moved.scale || node.scale || [1, 1, 1]);
    worlds[i] = parent[i] < 0 ? local : multiply(worlds[parent[i]], local);
  }
  for (const skin of model.skins) {
    skin.joints.forEach((joint, i) => {
      const m = skin.inverse ? multiply(worlds[joint], skin.inverse.subarray(i * 16, i * 16 + 16)) : worlds[joint];
      skin.values.set(m, i * 16);
    });
    gl.bindTexture(gl.TEXTURE_2D, skin.texture);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 1020, skin.rows, gl.RGBA, gl.FLOAT, skin.values);
  }
  dirty = true;
}

/** What the chosen level draws: primitives with their places. */
function drawn() {
  const { json } = model, list = [], open = [...(json.scenes?.[level]?.nodes || [])];
  while (open.length) {
    const i = open.shift(), node = json.nodes[i];
    open.push(...(node.children || []));
    for (const p of node.mesh === undefined ? [] : model.meshes[node.mesh]) {
      const bound = node.skin === undefined || !p.parts ? null : model.skins[node.skin];
      const look = p.skins.get(skin) || p.own;
      // What engines do not draw has a colour that is clear throughout.
      if (look.base[3] < look.cut || (look.blend && look.base[3] <= 0)) continue;
      list.push({ p, look, bound, world: bound ? identity() : model.worlds[i] });
    }
  }
  return list;
}

function bindPlace({ at }, { p, look, bound, world }) {
  gl.uniformMatrix4fv(at('u_model'), false, world);
  gl.uniform1i(at('u_skinned'), bound ? 1 : 0);
  gl.uniform1i(at('u_texture'), 0); gl.uniform1i(at('u_joints'), 1); gl.uniform1i(at('u_parts'), 2);
  if (bound) {
    gl.activeTexture(gl.TEXTURE1); gl.bindTexture(gl.TEXTURE_2D, bound.texture);
    gl.activeTexture(gl.TEXTURE2); gl.bindTexture(gl.TEXTURE_2D, p.parts);
  }
  gl.activeTexture(gl.TEXTURE0); gl.bindTexture(gl.TEXTURE_2D, look.texture);
  gl.bindVertexArray(p.array);
  if (!p.colored) gl.vertexAttrib4f(3, 1, 1, 1, 1);
}

/** The box around the posed vertices, as the GPU places them. */
function bounds() {
  const box = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
  if (!model) return box;
  gl.useProgram(measures.p);
  gl.enable(gl.RASTERIZER_DISCARD);
  for (const one of drawn()) {
    bindPlace(measures, one);
    gl.bindBuffer(gl.ARRAY_BUFFER, null);
    const out = gl.createBuffer(), feedback = gl.createTransformFeedback();
    gl.bindTransformFeedback(gl.TRANSFORM_FEEDBACK, feedback);
    gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, 0, out);
    gl.bufferData(gl.TRANSFORM_FEEDBACK_BUFFER, one.p.count * 12, gl.DYNAMIC_READ);
    gl.beginTransformFeedback(gl.POINTS);
    // Only whole arrays can be captured; vertices that no triangle uses are passed over below.
    gl.drawArrays(gl.POINTS, 0, one.p.count);
    gl.endTransformFeedback();
    const places = new Float32Array(one.p.count * 3);
    gl.getBufferSubData(gl.TRANSFORM_FEEDBACK_BUFFER, 0, places);
    gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, 0, null);
    gl.bindTransformFeedback(gl.TRANSFORM_FEEDBACK, null);
    gl.deleteTransformFeedback(feedback); gl.deleteBuffer(out);
    for (const v of one.p.index) for (let c = 0; c < 3; c++) {
      box[0][c] = Math.min(box[0][c], places[v * 3 + c]);
      box[1][c] = Math.max(box[1][c], places[v * 3 + c]);
    }
  }
  gl.disable(gl.RASTERIZER_DISCARD);
  gl.bindVertexArray(null);
  return box;
}

const around = (a, b) => [a[0].map((v, i) => Math.min(v, b[0][i])), a[1].map((v, i) => Math.max(v, b[1][i]))];
/** The box around what is shown now. */
function seen() {
  let box = bounds();
  if (!drawn().length) for (const j of joints()) box = around(box, [j.at, j.at]);
  return box;
}
/** The box around all that the clip shows. */
function swept() {
  const own = model.clips[clip], kept = time;
  let box = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
  for (const part of own ? [0, 0.25, 0.5, 0.75, 1] : [0]) {
    time = own ? own.end * part : 0;
    pose();
    box = around(box, seen());
  }
  time = kept;
  pose();
  return box;
}
const diagonal = box => Math.hypot(...box[0].map((v, i) => box[1][i] - v));
/** The middle of the joints, or of the nodes of a model without joints. */
function middle() {
  const places = model.skins.length ? joints().map(j => j.at) : drawn().map(o => o.world.slice(12, 15));
  return [0, 1, 2].map(c => places.reduce((sum, p) => sum + p[c], 0) / Math.max(1, places.length));
}
/** Chooses what the camera shows: the whole clip, or the model. A model that travels through a clip is followed. */
function fit() {
  const all = swept();
  followed = null;
  frameBox = clip < 0 ? modelBox : all;
  if (clip >= 0 && $('fit').value === 'model') {
    const both = Number.isFinite(all[0][0]) ? around(modelBox, all) : modelBox;
    const travels = diagonal(both) > 1.6 * diagonal(modelBox);
    frameBox = travels ? seen() : both;
    if (travels) followed = middle();
  }
  dirty = true;
}

function eye(aspect) {
  const box = frameBox && Number.isFinite(frameBox[0][0]) ? frameBox : [[-1, -1, -1], [1, 1, 1]];
  const size = Math.max(diagonal(box), 1e-9) / 2;
  const dot = (u, v) => u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
  const axes = (azimuth, elevation) => {
    const rad = Math.PI / 180, a = azimuth * rad, e = elevation * rad;
    const back = [Math.sin(a) * Math.cos(e), Math.sin(e), Math.cos(a) * Math.cos(e)], right = [Math.cos(a), 0, -Math.sin(a)];
    return { back, right, up: [back[1] * right[2] - back[2] * right[1], back[2] * right[0] - back[0] * right[2], back[0] * right[1] - back[1] * right[0]] };
  };
  const { back, right, up } = axes(camera.azimuth, camera.elevation);
  // Every corner of the box is in the picture from where the camera begins. Turning it does not move it nearer.
  const half = 0.25, from = axes(FRONT.azimuth, FRONT.elevation), centre = box[0].map((v, i) => (v + box[1][i]) / 2);
  let fits = size * 0.2;
  for (let corner = 0; corner < 8; corner++) {
    const p = centre.map((c, i) => box[corner >> i & 1][i] - c);
    fits = Math.max(fits, dot(from.back, p) + Math.abs(dot(from.right, p)) / (half * aspect), dot(from.back, p) + Math.abs(dot(from.up, p)) / half);
  }
  const distance = fits / camera.zoom * 1.08;
  const gone = followed ? middle().map((v, i) => v - followed[i]) : [0, 0, 0];
  const center = centre.map((c, i) => c + gone[i] + (right[i] * camera.shift[0] + up[i] * camera.shift[1]) * size);
  const place = center.map((c, i) => c + back[i] * distance);
  const look = [right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0, -dot(right, place), -dot(up, place), -dot(back, place), 1];
  const near = Math.max(distance - size * 4, distance * 0.01), far = distance + size * 12;
  const lens = [1 / (half * aspect), 0, 0, 0, 0, 1 / half, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0];
  const direction = ([r, u, b]) => { const v = right.map((_, i) => right[i] * r + up[i] * u + back[i] * b), l = Math.hypot(...v); return v.map(c => c / l); };
  return { matrix: multiply(lens, look), back, key: direction([-0.45, 0.65, 0.6]), fill: direction([0.8, 0.1, 0.55]) };
}

function paint() {
  const ratio = Math.min(devicePixelRatio || 1, 2), w = Math.max(1, Math.round(canvas.clientWidth * ratio)), h = Math.max(1, Math.round(canvas.clientHeight * ratio));
  if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
  gl.viewport(0, 0, w, h);
  const [r, g, b] = (getComputedStyle($('stage')).backgroundColor.match(/[\d.]+/g) || [60, 64, 70]).map(v => v / 255);
  gl.clearColor(r, g, b, 1);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  if (!model) return;
  const seen = eye(w / h), { p, at } = draws;
  gl.useProgram(p);
  gl.uniformMatrix4fv(at('u_camera'), false, seen.matrix);
  gl.uniform3fv(at('u_key'), seen.key); gl.uniform3fv(at('u_fill'), seen.fill);
  gl.uniform1i(at('u_view'), +$('view').value);
  gl.enable(gl.DEPTH_TEST); gl.depthFunc(gl.LEQUAL);
  const depth = one => { const m = one.world, q = one.p.middle; return seen.back.reduce((s, b, i) => s + b * (m[i] * q[0] + m[4 + i] * q[1] + m[8 + i] * q[2] + m[12 + i]), 0); };
  const list = drawn(), solid = list.filter(o => !o.look.blend), clear = list.filter(o => o.look.blend).sort((a, b) => depth(a) - depth(b));
  gl.enable(gl.POLYGON_OFFSET_FILL); gl.polygonOffset(1, 1);
  gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  for (const one of [...solid, ...clear]) {
    const { p: q, look } = one;
    bindPlace(draws, one);
    gl.uniform4f(at('u_line'), 0, 0, 0, 0);
    gl.uniform4fv(at('u_base'), look.base);
    gl.uniform1i(at('u_textured'), look.texture ? 1 : 0); gl.uniform1i(at('u_flat'), q.flat ? 1 : 0);
    gl.uniform1f(at('u_cut'), look.cut); gl.uniform1f(at('u_blend'), look.blend ? 1 : 0);
    (look.sided ? gl.disable : gl.enable).call(gl, gl.CULL_FACE);
    gl.frontFace(determinant(one.world) < 0 ? gl.CW : gl.CCW);
    (look.blend ? gl.enable : gl.disable).call(gl, gl.BLEND); gl.depthMask(!look.blend);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, q.triangles.buffer);
    gl.drawElements(gl.TRIANGLES, q.triangles.count, gl.UNSIGNED_INT, 0);
  }
  gl.depthMask(true); gl.disable(gl.BLEND); gl.disable(gl.POLYGON_OFFSET_FILL); gl.disable(gl.CULL_FACE);
  if ($('wire').checked) {
    gl.uniform4f(at('u_line'), 0.06, 0.08, 0.11, 1);
    for (const one of list) {
      bindPlace(draws, one);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, one.p.lines.buffer);
      gl.drawElements(gl.LINES, one.p.lines.count, gl.UNSIGNED_INT, 0);
    }
  }
  if ($('grid').checked) ground(at);
  // A skeleton alone has nothing else to show.
  if ($('bones').checked || !list.length) bones(at, seen.matrix, ratio);
  gl.bindVertexArray(null);
}

/** Where the joints of a model stand, each with where its parent does. */
function joints() {
  const own = new Set(model.skins.flatMap(s => s.joints)), place = i => model.worlds[i].slice(12, 15);
  return [...own].map(j => ({ at: place(j), from: own.has(model.parent[j]) ? place(model.parent[j]) : null }));
}

let gridArray = null, gridBuffer = null;
/** A grid on the ground, of a step that is a power of ten, and the axes: x is red, y green, z blue. */
function ground(at) {
  const box = frameBox && Number.isFinite(frameBox[0][0]) ? frameBox : [[-1, -1, -1], [1, 1, 1]];
  const size = Math.max(diagonal(box), 1e-9), step = 10 ** Math.floor(Math.log10(size / 2)), floor = modelBox?.[0][1] ?? box[0][1];
  const middle = box[0].map((v, i) => Math.round((v + box[1][i]) / 2 / step) * step), count = Math.min(60, Math.ceil(size * 0.75 / step)), end = count * step;
  const lines = [];
  for (let i = -count; i <= count; i++) {
    lines.push(middle[0] + i * step, floor, middle[2] - end, middle[0] + i * step, floor, middle[2] + end);
    lines.push(middle[0] - end, floor, middle[2] + i * step, middle[0] + end, floor, middle[2] + i * step);
  }
  const axes = [0, 1, 2].flatMap(c => [0, 0, 0, ...[0, 1, 2].map(i => (i === c ? step : 0))]);
  gridArray ??= gl.createVertexArray(); gridBuffer ??= gl.createBuffer();
  gl.bindVertexArray(gridArray);
  gl.bindBuffer(gl.ARRAY_BUFFER, gridBuffer);
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([...lines, ...axes]), gl.DYNAMIC_DRAW);
  gl.enableVertexAttribArray(0); gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
  gl.uniform1i(at('u_skinned'), 0);
  gl.uniformMatrix4fv(at('u_model'), false, identity());
  gl.enable(gl.BLEND); gl.depthMask(false);
  gl.uniform4f(at('u_line'), 0.5, 0.53, 0.58, 0.35);
  gl.drawArrays(gl.LINES, 0, lines.length / 3);
  [[0.85, 0.2, 0.2], [0.2, 0.65, 0.25], [0.2, 0.4, 0.9]].forEach((color, c) => {
    gl.uniform4f(at('u_line'), ...color, 1);
    gl.drawArrays(gl.LINES, lines.length / 3 + c * 2, 2);
  });
  gl.depthMask(true); gl.disable(gl.BLEND);
}

let boneArray = null, boneBuffer = null;
/** Lines between joints as flat quads, so many pixels wide, in the coordinates of the picture. */
function bones(at, camera, ratio) {
  const size = [canvas.width, canvas.height];
  const seen = ([x, y, z]) => {
    const c = [0, 1, 2, 3].map(r => camera[r] * x + camera[4 + r] * y + camera[8 + r] * z + camera[12 + r]);
    return c[3] > 1e-9 ? [c[0] / c[3], c[1] / c[3], c[2] / c[3]] : null;
  };
  const quad = (a, b, wide) => {
    const [dx, dy] = [(b[0] - a[0]) * size[0], (b[1] - a[1]) * size[1]], length = Math.hypot(dx, dy), end = length < 1 ? wide / 2 : 0;
    const [ux, uy] = length < 1 ? [1, 0] : [dx / length, dy / length];
    const corner = (p, along, side) => [p[0] + 2 * (ux * along - uy * side * wide / 2) / size[0], p[1] + 2 * (uy * along + ux * side * wide / 2) / size[1], p[2]];
    const [p, q, r, s] = [corner(a, -end, -1), corner(b, end, -1), corner(b, end, 1), corner(a, -end, 1)];
    return [...p, ...q, ...r, ...p, ...r, ...s];
  };
  const list = joints().map(j => ({ at: seen(j.at), from: j.from && seen(j.from) })).filter(j => j.at);
  const shapes = wide => list.flatMap(j => [...(j.from ? quad(j.from, j.at, wide * ratio) : []), ...quad(j.at, j.at, (wide + 3) * ratio)]);
  boneArray ??= gl.createVertexArray(); boneBuffer ??= gl.createBuffer();
  gl.bindVertexArray(boneArray);
  gl.bindBuffer(gl.ARRAY_BUFFER, boneBuffer);
  gl.enableVertexAttribArray(0); gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
  gl.uniform1i(at('u_skinned'), 0);
  for (const matrix of ['u_model', 'u_camera']) gl.uniformMatrix4fv(at(matrix), false, identity());
  gl.enable(gl.BLEND); gl.depthMask(false);
  // Faint behind surfaces, whole in front of them; dark edges keep them apart from pale surfaces.
  for (const [wide, [r, g, b]] of [[3.5, [0.2, 0.12, 0]], [1.75, [1, 0.69, 0.13]]]) {
    const points = new Float32Array(shapes(wide));
    gl.bufferData(gl.ARRAY_BUFFER, points, gl.DYNAMIC_DRAW);
    for (const [test, alpha] of [[gl.GREATER, 0.4], [gl.LEQUAL, 1]]) {
      gl.depthFunc(test);
      gl.uniform4f(at('u_line'), r, g, b, alpha);
      gl.drawArrays(gl.TRIANGLES, 0, points.length / 3);
    }
  }
  gl.depthFunc(gl.LEQUAL); gl.depthMask(true); gl.disable(gl.BLEND);
}

// --- controls ---
function options(select, names) {
  select.replaceChildren(...names.map((name, i) => { const o = document.createElement('option'); o.value = i; o.textContent = name; return o; }));
}
function choices() {
  const { json } = model, scenes = json.scenes || [];
  options($('clip'), model.clips.map(c => c.name + (c.loop ? ' (loop)' : '')));
  const rest = document.createElement('option');
  rest.value = -1; rest.textContent = 'rest pose';
  $('clip').prepend(rest);
  $('fits').hidden = !model.clips.length;
  $('clip').disabled = $('play').disabled = $('time').disabled = !model.clips.length;
  options($('level'), scenes.map((s, i) => s.name || 'level ' + i));
  $('level').value = level;
  $('levels').hidden = scenes.length < 2;
  const looks = variants(json);
  options($('skin'), ['as stored', ...looks]);
  $('skins').hidden = !looks.length;
}
function choose(number) {
  clip = number;
  const own = model?.clips[clip];
  $('clip').value = clip;
  $('time').max = own ? own.end * own.rate : 0;
  seek(0);
  if (model) fit();
}
function seek(seconds) {
  const own = model?.clips[clip];
  time = own ? Math.min(Math.max(seconds, 0), own.end) : 0;
  const frame = own ? time * own.rate : 0;
  $('time').value = frame;
  $('frame').textContent = own ? `frame ${frame.toFixed(1)} of ${(own.end * own.rate).toFixed(0)}, ${time.toFixed(2)} s` : 'rest pose';
  $('time').setAttribute('aria-valuetext', $('frame').textContent);
  if (model) pose();
}
function play(on) {
  playing = on && clip >= 0;
  if (model && !playing) link();
  $('play').textContent = playing ? 'Stop' : 'Play';
}
function reset() { Object.assign(camera, { ...FRONT, zoom: 1, shift: [0, 0] }); dirty = true; }

// --- links: `#model=NAME&clip=NAME&frame=N` ---
const linked = () => new URLSearchParams(location.hash.slice(1));
/** Puts what is shown into the address, so that it can be copied. */
function link() {
  const own = model?.clips[clip], parts = new URLSearchParams(), name = models.find(m => m.id === current)?.name;
  if (name !== undefined) parts.set('model', name);
  if (own) { parts.set('clip', own.name); parts.set('frame', String(+(time * own.rate).toFixed(2))); }
  const hash = parts.size ? '#' + parts : location.pathname + location.search;
  // Some browsers do not let a page from a disk change its address.
  try { if (location.hash.slice(1) !== String(parts)) history.replaceState(null, '', hash); } catch { /* It keeps the old one. */ }
}
/** Shows the clip and the frame that the address names. */
function follow(parts) {
  const name = parts.get('clip'), frame = +parts.get('frame');
  const number = model ? model.clips.findIndex(c => c.name === name) : -1;
  if (number < 0) return;
  play(false); choose(number);
  if (Number.isFinite(frame)) seek(frame / model.clips[number].rate);
}
addEventListener('hashchange', () => {
  const parts = linked(), id = models.find(m => m.name === parts.get('model'))?.id;
  if (id === undefined || id === current) follow(parts); else open(id).then(() => follow(parts));
});

/** Saves the picture as it is shown. */
function shot() {
  if (!model) return;
  paint();
  canvas.toBlob(blob => {
    keepAs(blob, `${$('name').textContent || 'model'}.png`);
    tell('The picture is saved');
  }, 'image/png');
}
function keepAs(blob, name) {
  const a = document.createElement('a');
  a.href = URL.createObjectURL(blob); a.download = name; a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 60000);
}
function step(frames) {
  const own = model?.clips[clip];
  if (!own) return;
  play(false);
  seek((Math.round(time * own.rate) + frames) / own.rate);
  link();
  tell($('frame').textContent);
}
function describe(box) {
  const { json, about } = model, list = drawn();
  const name = about.name || json.scenes?.[0]?.name || 'model';
  document.title = name + ' - Meshwright';
  $('name').textContent = name;
  const size = box[0].map((v, i) => box[1][i] - v);
  const facts = [
    ['format', about.format || ''], ['triangles', list.reduce((n, o) => n + o.p.triangles.count / 3, 0)], ['vertices', list.reduce((n, o) => n + o.p.count, 0)],
    ['joints', model.skins.reduce((n, s) => n + s.joints.length, 0)], ['materials', (json.materials || []).length], ['clips', model.clips.length],
    ['size', size.every(Number.isFinite) ? size.map(v => +v.toPrecision(3)).join(' × ') : ''],
  ];
  $('facts').replaceChildren(...facts.filter(f => f[1] !== '').flatMap(([k, v]) => {
    const t = document.createElement('dt'), d = document.createElement('dd');
    t.textContent = k; d.textContent = v;
    return [t, d];
  }));
  const items = (about.findings || []).map(f => {
    const li = document.createElement('li');
    li.className = f.severity === 'error' ? 'error' : '';
    li.textContent = `${f.severity}[${f.code}] ${f.path ? f.path + ': ' : ''}${f.message}`;
    return li;
  });
  $('findings').replaceChildren(...items);
  $('findings-title').hidden = !about.findings;
  $('findings-title').textContent = items.length ? `Findings (${about.count ?? items.length})` : 'No findings';
  const summary = `${name}: ${facts[1][1]} triangles, ${facts[5][1]} clips`;
  canvas.setAttribute('aria-label', summary + '. Arrow keys turn it.');
  tell(`${summary}. ${about.findings ? $('findings-title').textContent : ''}`);
}

$('play').onclick = () => {
  if (clip < 0 && model?.clips.length) choose(0);
  if (!playing && time >= (model?.clips[clip]?.end ?? 0)) seek(0);
  play(!playing);
  tell(playing ? 'Playing ' + model.clips[clip].name : 'Stopped, ' + $('frame').textContent);
};
$('clip').onchange = () => { choose(+$('clip').value); if (!playing) link(); };
$('fit').onchange = () => { fit(); reset(); };
$('shot').onclick = shot;
$('time').oninput = () => { play(false); seek(+$('time').value / (model?.clips[clip]?.rate || 1)); link(); };
$('level').onchange = () => { level = +$('level').value; describe(bounds()); dirty = true; };
$('skin').onchange = () => { skin = +$('skin').value - 1; dirty = true; };
$('reset').onclick = reset;
$('help').onclick = () => $('keys').showModal();
for (const id of ['view', 'bones', 'wire', 'grid']) $(id).onchange = () => { dirty = true; };
const turn = (a, e) => { camera.azimuth += a; camera.elevation = Math.min(89, Math.max(-89, camera.elevation + e)); dirty = true; };
const nearer = by => { camera.zoom = Math.min(100, Math.max(0.05, camera.zoom * by)); dirty = true; };
const move = (x, y) => { camera.shift = [camera.shift[0] - x / camera.zoom, camera.shift[1] + y / camera.zoom]; dirty = true; };
const toggle = id => { $(id).checked = !$(id).checked; tell($(id).labels[0].textContent.trim() + ($(id).checked ? ' on' : ' off')); dirty = true; };
const look = n => { $('view').value = n; tell($('view').selectedOptions[0].textContent.trim()); dirty = true; };
const other = by => {
  const n = model ? model.clips.length : 0;
  if (!n) return;
  choose(clip < 0 ? (by > 0 ? 0 : n - 1) : (clip + n + by) % n);
  if (!playing) link();
  tell($('clip').selectedOptions[0].textContent);
};
addEventListener('keydown', e => {
  if (e.ctrlKey || e.metaKey || e.altKey || $('keys').open) return;
  const from = e.target, typing = from.matches?.('input[type=search], select');
  if (typing) { if (e.key === 'Escape') from.blur(); return; }
  const arrows = { ArrowLeft: [-5, 0], ArrowRight: [5, 0], ArrowUp: [0, 5], ArrowDown: [0, -5] };
  const keys = {
    ',': () => step(-1), '.': () => step(1), '[': () => other(-1), ']': () => other(1),
    '+': () => nearer(1.15), '=': () => nearer(1.15), '-': () => nearer(1 / 1.15), b: () => toggle('bones'), w: () => toggle('wire'), g: () => toggle('grid'),
    f: () => { if (!$('fits').hidden) { $('fit').value = $('fit').value === 'model' ? 'clip' : 'model'; fit(); reset(); tell('Fit ' + $('fit').value); } }, s: shot,
    l: () => look(0), t: () => look(1), n: () => look(2), u: () => look(3), r: reset, '?': () => $('keys').showModal(), '/': () => $('search').focus(),
  };
  if (arrows[e.key] && from === canvas) turn(...arrows[e.key]);
  else if (e.key === ' ' && !from.matches?.('button, input')) $('play').click();
  else if (keys[e.key]) keys[e.key]();
  else return;
  e.preventDefault();
});

const touches = new Map();
canvas.addEventListener('pointerdown', e => { canvas.setPointerCapture(e.pointerId); touches.set(e.pointerId, [e.clientX, e.clientY]); });
for (const end of ['pointerup', 'pointercancel']) canvas.addEventListener(end, e => touches.delete(e.pointerId));
canvas.addEventListener('pointermove', e => {
  const was = touches.get(e.pointerId);
  if (!was) return;
  const now = [e.clientX, e.clientY], [dx, dy] = [now[0] - was[0], now[1] - was[1]], unit = 4 / Math.max(1, Math.min(canvas.clientWidth, canvas.clientHeight));
  if (touches.size === 1 && !e.shiftKey) turn(-dx * 0.4, dy * 0.4);
  else if (touches.size === 1) move(dx * unit, dy * unit);
  else {
    const other = [...touches].find(([id]) => id !== e.pointerId)[1];
    const far = p => Math.hypot(p[0] - other[0], p[1] - other[1]);
    if (far(was) > 0 && far(now) > 0) nearer(far(now) / far(was));
    move(dx * unit / 2, dy * unit / 2);
  }
  touches.set(e.pointerId, now);
});
canvas.addEventListener('wheel', e => { nearer(Math.exp(-e.deltaY * 0.0015)); e.preventDefault(); }, { passive: false });
new ResizeObserver(() => { dirty = true; }).observe(canvas);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { dirty = true; });

let before = 0;
function tick(now) {
  const own = model?.clips[clip], passed = Math.min(0.1, (now - before) / 1000);
  before = now;
  if (playing && own) {
    let next = time + passed * +$('speed').value;
    if (next > own.end) {
      if (own.loop && own.end > 0) next %= own.end;
      else { next = own.end; play(false); }
    }
    seek(next);
  }
  if (dirty) { dirty = false; paint(); }
  requestAnimationFrame(tick);
}
requestAnimationFrame(tick);

// --- where models come from ---
// What is behind the page tells it of models, numbered in a list: `models()`, `about(id)`, `glb(id)`, `thumb(id, img, failed)`,
// `add(files)`, `assemble(id, parts)` and `save(id, target)`; `raise(limit)` sets the bytes that one file may take, up to `most`; `stamp(id)` changes when a model's file does, where that can be known.
const MOST_SHOWN = 2000, MOST_FILES = 100000, MOST_BYTES = 2 ** 30;
let source = null, current = null, stamp = null, models = [];

const failure = ({ error, limited }) => Object.assign(new Error(error), { limited });
/** Shows why something was refused. If the limit is the reason, a button does it again with four times as much memory. */
function refuse(e, again) {
  say(String(e.message || e));
  const limit = Math.min(source.limit * 4, source.most), b = document.createElement('button');
  if (!e.limited || !(limit > source.limit)) return;
  b.type = 'button';
  b.textContent = `Try again with ${+(limit / 2 ** 20).toPrecision(3)} MiB`;
  b.onclick = async () => {
    say('Loading');
    try { await source.raise(limit); } catch (e) { return say(String(e.message || e)); }
    source.limit = limit;
    listed();
    await again();
  };
  status.append(' ', b);
}
/** A program that serves the page. */
function serving() {
  const get = async (path, init) => {
    const answer = await fetch(path, init);
    if (!answer.ok) throw failure({ error: (await answer.text()).slice(0, 400) || answer.status, limited: answer.status === 413 });
    return answer;
  };
  const json = async path => (await get(path)).json(), bytes = async path => (await get(path)).arrayBuffer();
  return {
    most: Infinity,
    async models() { const { models, limit } = await json('models'); this.limit = limit; return models; },
    raise: limit => get('limit', { method: 'POST', body: String(limit) }),
    about: id => json('model/' + id),
    glb: id => bytes(`model/${id}.glb`),
    thumb(id, img, failed) {
      img.loading = 'lazy';
      img.onerror = () => get(`thumb/${id}.png`).then(() => failed('The browser does not show it.'), e => failed(e.message));
      img.src = `thumb/${id}.png`;
    },
    assemble: async (id, parts) => (await get(`assemble/${id}`, { method: 'POST', body: JSON.stringify(parts) })).json(),
    async add(files) {
      const parts = [];
      for (const { path, file } of files) {
        const name = new TextEncoder().encode(path), head = new DataView(new ArrayBuffer(8));
        head.setUint32(0, name.length, true); head.setUint32(4, file.size, true);
        parts.push(head.buffer, name, file);
      }
      return (await get('drop', { method: 'POST', body: new Blob(parts) })).json();
    },
    save: (id, target) => bytes(`saved/${id}.${target}`),
    stamp: async id => (await json('stamp/' + id)).stamp,
  };
}

/** A module in a worker of the page. What ends the module is an error of what was asked; it is started anew, with all that was dropped. */
async function standing() {
  const answer = await fetch(data.module).catch(() => { throw new Error('The module cannot be loaded: the page must come from a web server.'); });
  if (!answer.ok) throw new Error(`${data.module}: ${answer.status}`);
  const module = await WebAssembly.compile(await answer.arrayBuffer());
  const script = URL.createObjectURL(new Blob([data.worker], { type: 'text/javascript' }));
  const waiting = new Map(), drops = [], pictures = new Map(), reasons = new Map(), wanted = [];
  let worker = null, count = 0, drawing = false, raised;
  const post = (number, { ask, what }) => worker.postMessage({ number, ask, what });
  function start() {
    worker?.terminate();
    const own = worker = new Worker(script);
    own.onerror = e => ended(own, null, e.message);
    own.onmessage = ({ data: { number, value, refused, fault } }) => {
      const one = waiting.get(number);
      if (own !== worker || !one) return;
      if (fault !== undefined) return ended(own, number, fault);
      waiting.delete(number);
      if (refused === undefined) one.resolve(value);
      else one.reject(failure(facts(refused)));
      draw();
    };
    // What waits comes behind what the module must know first.
    const behind = [...waiting];
    waiting.clear();
    for (const [ask, what] of [['start', { module, limit: raised }], ...drops.map(files => ['add', { files }])]) request(ask, what).catch(() => {});
    for (const [number, one] of behind) { waiting.set(number, one); post(number, one); }
  }
  function ended(own, number, why) {
    if (own !== worker) return;
    const one = waiting.get(number), error = new Error(`error[internal] a fault of the module, which was started anew: ${why}`);
    const again = one && one.ask !== 'start' && !(one.ask === 'add' && drops.includes(one.what.files));
    waiting.delete(number);
    one?.reject(error);
    if (!again) {
      // It cannot even begin: nothing is kept that could be the reason.
      drops.length = 0;
      for (const other of waiting.values()) other.reject(error);
      waiting.clear();
      if (!one || one.ask === 'start') { worker.terminate(); worker = null; return; }
    }
    start();
  }
  function request(ask, what) {
    return new Promise((resolve, reject) => {
      const one = { ask, what, resolve, reject }, number = count++;
      waiting.set(number, one);
      post(number, one);
    });
  }
  const facts = text => { try { return JSON.parse(text); } catch { return { error: text }; } };
  /** Draws the next picture of the list, when nothing else is asked for. */
  async function draw() {
    if (drawing || waiting.size || !wanted.length) return;
    const { id, img, failed } = wanted.shift();
    drawing = true;
    try {
      if (img.isConnected && !pictures.has(id)) {
        pictures.set(id, '');
        pictures.set(id, URL.createObjectURL(new Blob([await request('thumb', { id })], { type: 'image/png' })));
      }
    } catch (e) { reasons.set(id, e.message); }
    drawing = false;
    if (pictures.get(id)) img.src = pictures.get(id);
    else if (reasons.has(id)) failed(reasons.get(id));
    draw();
  }
  const visible = new IntersectionObserver(entries => {
    for (const { target: img, isIntersecting } of entries) if (isIntersecting) { visible.unobserve(img); wanted.push({ id: +img.dataset.id, img, failed: img.failed }); }
    draw();
  });
  start();
  return {
    // More than this and the files themselves are more than a module can address.
    most: 3 * 2 ** 30,
    async models() { const { models, limit } = await request('models'); this.limit = limit; return models; },
    async raise(limit) { await request('limit', { limit }); raised = limit; reasons.clear(); },
    about: id => request('about', { id }), glb: id => request('glb', { id }),
    thumb(id, img, failed) {
      Object.assign(img, { failed }).dataset.id = id;
      if (pictures.get(id)) img.src = pictures.get(id); else if (reasons.has(id)) queueMicrotask(() => failed(reasons.get(id))); else visible.observe(img);
    },
    async assemble(id, parts) {
      const answer = await request('assemble', { id, parts });
      pictures.delete(id); reasons.delete(id);
      return answer;
    },
    async add(files) {
      const added = await request('add', { files });
      if (added.error) throw failure(added);
      drops.push(files);
      // Files that come later may belong to models that had no picture.
      reasons.clear();
      return added;
    },
    save: (id, target) => request('save', { id, target }), request,
  };
}

async function open(id, quiet) {
  current = id;
  for (const b of $('models').querySelectorAll('button')) b.setAttribute('aria-current', b.dataset.id === String(id));
  if (!quiet) say('Loading');
  try {
    const about = await source.about(id);
    if (current !== id) return;
    stamp = about.stamp ?? null;
    lastParts = about.parts || [];
    if (about.error) throw failure(about);
    const held = quiet ? { ...camera } : null, at = [clip, time, playing];
    const glb = await source.glb(id);
    if (current !== id) return;
    await load(glb, about);
    together(id, about.parts || []);
    $('saving').hidden = false;
    link();
    if (held) { Object.assign(camera, held); if (at[0] < model.clips.length) { choose(at[0]); seek(at[1]); play(at[2]); } }
  } catch (e) {
    if (current !== id) return;
    nothing(models.find(m => m.id === id)?.name || '');
    together(id, lastParts);
    refuse(e, () => open(id));
    return false;
  }
  return true;
}
/** Opens the first of some models that can be shown; if none can, the first. */
async function openFirst(ids) {
  const most = 20;
  for (const id of ids.slice(0, most)) if (await open(id)) return;
  if (ids.length > 1) await open(ids[0]);
}
/** Lets a person choose the skeleton and the clips of a model among the files that are there. */
let lastParts = [];
function together(id, parts) {
  $('together').hidden = !parts.length || !source?.assemble;
  $('parts').replaceChildren(...parts.map(({ role, title, files, chosen }) => {
    const label = document.createElement('label'), select = document.createElement('select');
    options(select, [role === 'skeleton' ? 'found by its name' : 'none', ...files]);
    select.multiple = role === 'animation' && files.length > 1;
    for (const o of select.options) o.selected = chosen.length ? chosen.includes(o.textContent) : o.value === '0';
    select.dataset.role = role;
    select.onchange = async () => {
      const wanted = {};
      for (const s of $('parts').querySelectorAll('select')) wanted[s.dataset.role] = [...s.selectedOptions].filter(o => o.value !== '0').map(o => o.textContent);
      try { await source.assemble(id, wanted); } catch (e) { return say(String(e.message || e)); }
      listed();
      await open(id);
    };
    label.append(title, select);
    return label;
  }));
}
/** Shows that there is nothing to show, instead of what was shown before. */
function nothing(name) {
  forget();
  model = null; clip = -1; frameBox = modelBox = followed = null;
  play(false); seek(0);
  for (const id of ['clip', 'level', 'skin']) options($(id), []);
  $('clip').disabled = $('play').disabled = $('time').disabled = $('levels').hidden = $('skins').hidden = $('fits').hidden = $('findings-title').hidden = $('saving').hidden = true;
  for (const id of ['facts', 'findings']) $(id).replaceChildren();
  $('name').textContent = name;
  document.title = name + ' - Meshwright';
  canvas.setAttribute('aria-label', 'No model');
  dirty = true;
}
function listed() {
  const wanted = $('search').value.toLowerCase();
  const shown = models.filter(m => m.name.toLowerCase().includes(wanted));
  const some = Math.min(shown.length, MOST_SHOWN);
  $('count').textContent = some < shown.length ? `The first ${some} of ${shown.length}: search for more` : `${shown.length} of ${models.length} models`;
  $('models').replaceChildren(...shown.slice(0, MOST_SHOWN).map(m => {
    const li = document.createElement('li'), b = document.createElement('button'), img = document.createElement('img'), name = document.createElement('span');
    img.alt = ''; name.textContent = m.name;
    b.type = 'button'; b.dataset.id = m.id; b.append(img, name);
    // On a small screen the picture is above the list.
    b.onclick = () => { open(m.id); if (matchMedia('(max-width: 760px)').matches) $('stage').scrollIntoView({ block: 'start' }); };
    source.thumb(m.id, img, reason => {
      const none = document.createElement('span'), why = document.createElement('small');
      none.className = 'none'; none.textContent = '!'; none.ariaHidden = 'true';
      why.textContent = reason.replace(m.name + ': ', '');
      img.replaceWith(none); name.append(why);
    });
    b.setAttribute('aria-current', String(m.id === current));
    li.append(b);
    return li;
  }));
}
/** The files of an input, each with its path where a folder was chosen. */
const chosen = list => [...list].map(file => ({ path: file.webkitRelativePath || file.name, file }));
/** What was dropped, folders with all that lies in them. */
async function dropped(transfer) {
  const entries = [...transfer.items].map(item => item.webkitGetAsEntry?.()).filter(Boolean), found = [];
  if (!entries.length) return chosen(transfer.files);
  const called = (entry, way) => new Promise((done, failed) => entry[way](done, failed));
  while (entries.length && found.length <= MOST_FILES) {
    const entry = entries.shift();
    if (entry.isFile) { found.push({ path: entry.fullPath.replace(/^\/+/, ''), file: await called(entry, 'file') }); continue; }
    const reader = entry.createReader();
    for (let some; (some = await called(reader, 'readEntries')).length;) entries.push(...some);
  }
  return found;
}
async function drop(given, first) {
  say('Reading files');
  try {
    const files = await given, size = files.reduce((sum, { file }) => sum + file.size, 0);
    if (files.length > MOST_FILES || size > MOST_BYTES) throw new Error(`${files.length} files with ${size} bytes are too many: at most ${MOST_FILES} with ${MOST_BYTES} are taken at a time.`);
    const added = await source.add(files);
    models = await source.models();
    $('welcome').hidden = models.length > 0;
    listed();
    const named = models.find(m => added.ids.includes(m.id) && m.name === first);
    if (named) await open(named.id);
    else if (added.ids.length) await openFirst(added.ids);
    else if (added.joined && current !== null) await open(current);
    else say(added.joined ? 'The files are there for the models that need them.' : 'None of these files is a model.');
  } catch (e) { refuse(e, () => drop(given, first)); }
}
/** A model as a file: the length of a text in 32 bits, the text with its name and what it does not hold, the file. */
async function saved(id, target) {
  const frame = await source.save(id, target), length = new DataView(frame).getUint32(0, true);
  const about = JSON.parse(new TextDecoder().decode(new Uint8Array(frame, 4, length)));
  return { ...about, bytes: new Uint8Array(frame, 4 + length) };
}
async function save() {
  say('Converting');
  try {
    const { name, losses, bytes } = await saved(current, $('target').value);
    keepAs(new Blob([bytes]), name);
    const most = 4, more = losses.length > most ? [`and ${losses.length - most} more`] : [];
    say(losses.length ? [`${name} does not hold everything`, ...losses.slice(0, most), ...more].join('; ') : '');
    tell(`${name} is saved`);
  } catch (e) { refuse(e, save); }
}
async function watch() {
  try {
    if (current !== null && !document.hidden) {
      const now = await source.stamp(current);
      if (now !== stamp && stamp !== null) { stamp = now; await open(current, true); }
    }
  } catch { /* The program has ended: what is shown stays. */ }
  setTimeout(watch, 1000);
}
async function listing() {
  $('list').hidden = false;
  source = data.module ? await standing() : serving();
  models = await source.models();
  listed();
  $('target').replaceChildren(...data.targets.map(({ id, title }) => { const o = document.createElement('option'); o.value = id; o.textContent = title; return o; }));
  $('save').onclick = save;
  $('search').oninput = listed;
  for (const id of ['files', 'folder']) $(id).onchange = () => drop(chosen($(id).files));
  addEventListener('dragover', e => { e.preventDefault(); document.body.classList.add('drop'); });
  addEventListener('dragleave', () => document.body.classList.remove('drop'));
  addEventListener('drop', e => { e.preventDefault(); document.body.classList.remove('drop'); if (e.dataTransfer.items.length) drop(dropped(e.dataTransfer)); });
  $('formats').textContent = 'It opens ' + data.formats;
  $('example').hidden = !data.examples;
  $('example').onclick = () => drop(Promise.resolve(data.examples.map(({ path, bytes }) => {
    const file = new Blob([Uint8Array.from(atob(bytes), c => c.charCodeAt(0))]);
    return { path, file };
  })), data.examples[0].path);
  $('welcome').hidden = models.length > 0;
  const wanted = linked(), named = models.find(m => m.name === wanted.get('model'));
  if (named) { await open(named.id); follow(wanted); }
  else if (models.length) await openFirst(models.map(m => m.id));
  if (source.stamp) watch();
}
async function alone() {
  const text = atob(data.glb);
  await load(Uint8Array.from(text, c => c.charCodeAt(0)).buffer, data.about || {});
  $('back').hidden = data.about?.back !== '../index.html';
  follow(linked());
}
/** For those who drive the page: what is shown, and the box around it as the GPU places it. */
window.meshwright = {
  bounds, frame: () => frameBox, seek: s => { play(false); seek(s); }, choose: n => { play(false); choose(n); }, open, saved, source: () => source,
  state: () => ({ loaded: !!model, clip, time, playing, level, skin, view: +$('view').value, camera: { ...camera }, clips: model ? model.clips.map(c => ({ name: c.name, end: c.end, rate: c.rate, loop: c.loop })) : [], status: status.textContent }),
};
(data.glb === undefined ? listing() : alone()).catch(e => say(String(e.message || e)));
})();
