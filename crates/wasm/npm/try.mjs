// The example of the README, over the installed package: try.mjs MODEL. `release npm` runs it.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import init, { Models } from 'meshwright';
globalThis.meshwrightFault = text => console.error(text);
const module = new URL('meshwright_bg.wasm', import.meta.resolve('meshwright'));
await init({ module_or_path: await readFile(fileURLToPath(module)) });
const models = new Models();
models.stage('model.dpm', new Uint8Array(await readFile(process.argv[2])));
const { ids } = JSON.parse(models.add());
const glb = models.glb(ids[0]), about = JSON.parse(models.about(ids[0]));
if (new TextDecoder().decode(glb.subarray(0, 4)) !== 'glTF') throw new Error('not a GLB');
models.stage('broken.dpm', new Uint8Array(16));
const { error } = JSON.parse(models.add());
if (!error && models.list === undefined) throw new Error('a broken file has no reason');
console.log(`${about.name ?? 'model'}: ${glb.length} bytes of GLB, ${about.findings.length} findings`);
