// Drives the site in headless Chromium: PLAN.json SITE; what it saw goes to standard output as JSON.
import { createRequire } from 'node:module';
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
const { chromium } = createRequire(process.env.NODE_MODULES + '/_.js')('playwright-core');
const [file, site] = process.argv.slice(-2), plan = JSON.parse(await readFile(file, 'utf8'));
const served = [], kinds = { '/': 'text/html', '/meshwright.wasm': 'application/wasm' };
const server = createServer(async ({ url }, answer) => {
  served.push(url);
  if (!kinds[url]) return answer.writeHead(404).end();
  answer.writeHead(200, { 'content-type': kinds[url] }).end(await readFile(join(site, url === '/' ? 'index.html' : url)));
}).listen(0, '127.0.0.1');
await new Promise(r => server.once('listening', r));
const origin = `http://127.0.0.1:${server.address().port}/`;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
});
const context = await browser.newContext({ viewport: { width: 900, height: 600 }, acceptDownloads: true });
const page = await context.newPage();
page.setDefaultTimeout(plan.patience * 1000);
const asked = [], seen = { errors: [], ok: {}, folders: [], singles: [], hostile: [] };
page.on('pageerror', e => seen.errors.push(String(e)));
page.on('console', m => { if (m.type() === 'error') seen.errors.push(m.text()); });
context.on('request', r => asked.push(r.url()));
const ok = (name, value) => { seen.ok[name] = !!value; };
const status = () => page.textContent('#status');
const settled = () => page.waitForFunction(() => !['Reading files', 'Loading', 'Converting'].includes(document.getElementById('status').textContent));
const count = () => page.locator('#models button').count();
const fresh = async () => { await page.goto(origin); await page.waitForFunction(() => window.meshwright?.source()); await settled(); };
/** What the page says, draws and saves of models. */
const told = ids => page.evaluate(async ids => {
  const { source, saved } = window.meshwright, all = [];
  const hash = async bytes => [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))].map(b => b.toString(16).padStart(2, '0')).join('');
  const names = (await source().models()).map(m => m.name);
  for (const id of ids ?? names.keys()) {
    const one = { name: names[id], about: await source().about(id) };
    try { one.drawn = await hash(await source().glb(id)); } catch (e) { one.undrawn = e.message; }
    try { const made = await saved(id, 'glb'); Object.assign(one, { saved: await hash(made.bytes), file: made.name, losses: made.losses }); } catch (e) { one.unsaved = e.message; }
    all.push(one);
  }
  return all;
}, ids);
/** Files of a disk as they come from an input, without their folder. */
const given = async paths => Promise.all(paths.map(async path => [basename(path), (await readFile(path)).toString('base64')]));
const added = files => page.evaluate(async files => {
  const made = files.map(([name, text]) => ({ path: name, file: new File([Uint8Array.from(atob(text), c => c.charCodeAt(0))], name) }));
  try { return (await window.meshwright.source().add(made)).ids; } catch (e) { return e.message; }
}, files);
try {
  for (const path of plan.folders || []) {
    await fresh();
    await page.setInputFiles('#folder', path);
    await page.waitForFunction(() => document.querySelectorAll('#models button').length);
    await settled();
    seen.folders.push(await told(null));
  }
  if (plan.singles) {
    await fresh();
    for (const path of plan.singles) {
      const ids = await added(await given([path]));
      seen.singles.push(Array.isArray(ids) ? await told(ids) : ids);
    }
  }
  for (const paths of plan.hostile || []) {
    await fresh();
    const start = performance.now();
    await page.setInputFiles('#files', paths);
    await settled();
    const models = await told(null);
    seen.hostile.push({ models, seconds: (performance.now() - start) / 1000, memory: await page.evaluate(() => window.meshwright.source().request('memory')) });
  }
  if (plan.hands) {
    const { file, other, broken, odd } = plan.hands;
    await fresh();
    ok('an empty page asks for files', await page.isVisible('#welcome'));
    await page.setInputFiles('#files', file);
    await page.waitForFunction(() => window.meshwright.state().loaded);
    ok('a model is shown', (await page.textContent('#facts')).includes('triangles'));
    const arriving = page.waitForEvent('download');
    await page.selectOption('#target', 'glb');
    await page.click('#save');
    const download = await arriving, bytes = await readFile(await download.path());
    ok('the name of a saved file is the model\'s', download.suggestedFilename() === plan.hands.saved);
    seen.download = createHash('sha256').update(bytes).digest('hex');
    await settled();
    await page.selectOption('#target', 'obj');
    const second = page.waitForEvent('download');
    await page.click('#save');
    ok('several files are an archive', (await second).suggestedFilename().endsWith('.zip'));
    await settled();
    // As fingers do it: the event, with files that somebody holds.
    const before = await count(), held = await given([other]);
    const transfer = await page.evaluateHandle(([[name, text]]) => {
      const t = new DataTransfer();
      t.items.add(new File([Uint8Array.from(atob(text), c => c.charCodeAt(0))], name));
      return t;
    }, held);
    await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
    await page.waitForFunction(n => document.querySelectorAll('#models button').length > n, before);
    await settled();
    ok('what is dropped is shown', (await page.evaluate(() => window.meshwright.state())).loaded && (await count()) === before + 1);
    await page.setInputFiles('#files', { name: odd, mimeType: '', buffer: await readFile(file[0]) });
    await page.waitForFunction(n => document.querySelectorAll('#models button').length > n, before + 1);
    await settled();
    ok('names are text', (await page.locator('#models button span').allTextContents()).includes(odd) && await page.evaluate(() => window.hacked === undefined));
    await page.setInputFiles('#files', broken);
    await page.waitForFunction(() => document.getElementById('status').textContent.includes('error['));
    ok('what is wrong has a code, a field and an offset', /error\[[a-z0-9-]+\] [^ ]+: .* \(offset 0x/.test(await status()));
    const listed = await count(), empty = 'größe 骨.dpm';
    await page.setInputFiles('#files', { name: empty, mimeType: '', buffer: Buffer.alloc(0) });
    await page.waitForFunction(n => document.querySelectorAll('#models button').length > n, listed);
    await settled();
    ok('an empty file is told', (await status()).startsWith(empty + ': error[') && (await page.locator('#models button span').allTextContents()).some(t => t.startsWith(empty)));
    await page.setInputFiles('#files', { name: 'notes.txt', mimeType: '', buffer: Buffer.from('nothing') });
    await settled();
    ok('a text is no model', (await count()) === listed + 1);
    ok('thumbnails are drawn', await page.waitForFunction(() => [...document.querySelectorAll('#models img')].some(i => i.complete && i.naturalWidth === 96)));
    const models = await count(), whole = JSON.stringify(await told([0]));
    const why = await page.evaluate(() => window.meshwright.source().request('panics').catch(e => e.message));
    ok('a panic is told', why.includes('error[internal]') && why.includes('asked to'));
    const all = await page.evaluate(async () => {
      const s = window.meshwright.source();
      return Promise.allSettled([s.about(0), s.request('panics'), s.models(), s.request('panics'), s.about(0)]);
    });
    ok('what was asked beside a panic is answered', all.map(a => a.status).join() === 'fulfilled,rejected,fulfilled,rejected,fulfilled');
    ok('after a panic everything is there', JSON.stringify(await told([0])) === whole && (await page.evaluate(async () => (await window.meshwright.source().models()).length)) === models);
    await page.evaluate(() => window.meshwright.open(0));
    ok('after a panic models are shown', (await page.evaluate(() => window.meshwright.state())).loaded);
    // Less than the model needs, then more by the button, which holds after a fault too.
    await page.evaluate(() => { const s = window.meshwright.source(); s.limit = 3000; return s.raise(3000); });
    await page.evaluate(() => window.meshwright.open(0));
    ok('the limit is the reason', /error\[.*Try again with/.test(await status()) && !(await page.evaluate(() => window.meshwright.state())).loaded);
    for (let i = 0; i < 12 && (await page.locator('#status button').count()); i++) { await page.click('#status button'); await settled(); }
    ok('a model over the limit opens with a larger one', (await page.evaluate(() => window.meshwright.state())).loaded);
    await page.evaluate(() => window.meshwright.source().request('panics').catch(() => {}));
    const raised = await page.evaluate(async () => { const s = window.meshwright.source(); await s.models(); return s.limit; });
    ok('the limit stays after a panic', raised > 3000 && raised < 2 ** 28);
    await page.evaluate(() => window.meshwright.open(0));
    ok('a model under the limit opens after a panic', (await page.evaluate(() => window.meshwright.state())).loaded);
    await page.evaluate(() => window.meshwright.source().raise(2 ** 28));
    const refused = [];
    page.on('console', m => refused.push(m.text()));
    const out = await page.evaluate(url => fetch(url).then(() => 'sent', () => 'refused'), 'http://127.0.0.1:9/');
    const errors = seen.errors.length;
    ok('the page may ask nobody else', out === 'refused' && refused.some(t => t.includes('Content Security Policy')));
    seen.errors.splice(errors - refused.length);
    asked.splice(0, asked.length, ...asked.filter(u => u !== 'http://127.0.0.1:9/'));
  }
  if (plan.large) {
    await fresh();
    const before = await page.evaluate(() => window.meshwright.source().request('memory'));
    await page.setInputFiles(plan.large.folder ? '#folder' : '#files', plan.large.path);
    await page.waitForFunction(() => document.querySelectorAll('#models button').length);
    await settled();
    seen.large = await page.evaluate(async () => {
      const { source, saved } = window.meshwright, times = [], models = (await source().models()).length;
      let made = 0;
      for (let i = 0; i < 3; i++) {
        const start = performance.now();
        made = 0;
        for (let id = 0; id < models; id++) made += await saved(id, 'glb').then(() => 1, () => 0);
        times.push((performance.now() - start) / 1000);
      }
      return { times, made, memory: await source().request('memory') };
    });
    seen.large.before = before;
  }
  ok('nothing is asked for but the page and its module', asked.every(u => u.startsWith('blob:') || u === origin || u === origin + 'meshwright.wasm') && served.every(u => kinds[u]) && served.includes('/meshwright.wasm'));
} catch (e) { seen.errors.push(String(e.stack || e)); }
console.log(JSON.stringify(seen));
await browser.close();
server.close();
