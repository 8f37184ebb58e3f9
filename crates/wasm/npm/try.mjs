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
models.stage('broken.dpm', new TextEncoder().encode('DARKPLACESMODEL\0'));
const broken = JSON.parse(models.about(JSON.parse(models.add()).ids[0]));
if (!broken.error?.includes(broken.code)) throw new Error('a broken file has no reason');
console.log(`${about.name}: ${glb.length} bytes of GLB, ${about.findings.length} findings`);
