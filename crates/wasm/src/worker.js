// The worker of the page, behind what binds the module: reads the files that were dropped, and asks the module about them,
// one thing after another.
let models = null, memory = null, fault = '';
globalThis.meshwrightFault = text => { fault = text; };
const answers = {
  start({ module, limit }) {
    memory = wasm_bindgen.initSync({ module }).memory;
    models = new wasm_bindgen.Models(limit);
  },
  async add({ files }) {
    for (const { path, file } of files) {
      // A file may be gone, or may not be read.
      const bytes = await file.arrayBuffer().catch(e => { throw `${path}: ${e.message}`; });
      models.stage(path, new Uint8Array(bytes));
    }
    return JSON.parse(models.add());
  },
  models: () => JSON.parse(models.list()),
  about: ({ id }) => JSON.parse(models.about(id)),
  assemble: ({ id, parts }) => models.assemble(id, JSON.stringify(parts)) ?? null,
  glb: ({ id }) => models.glb(id).buffer,
  thumb: ({ id }) => models.thumb(id).buffer,
  save: ({ id, target }) => models.save(id, target).buffer,
  limit: ({ limit }) => models.set_limit(limit) ?? null,
  memory: () => memory.buffer.byteLength,
  panics: () => wasm_bindgen.panics(),
};
async function answer({ number, ask, what }) {
  try {
    const value = await answers[ask](what);
    postMessage({ number, value }, value instanceof ArrayBuffer ? [value] : []);
  } catch (e) {
    // A text is what was refused; all else has ended the module.
    postMessage(typeof e === 'string' ? { number, refused: e } : { number, fault: fault || String(e) });
  }
}
let turn = Promise.resolve();
onmessage = ({ data }) => { turn = turn.then(() => answer(data)); };
