// Drives the page in headless Chromium: page.mjs PLAN.json; what it saw goes to standard output as JSON.
import { createRequire } from 'node:module';
import { copyFile, readFile } from 'node:fs/promises';
const { chromium } = createRequire(process.env.NODE_MODULES + '/_.js')('playwright-core');
const plan = JSON.parse(await readFile(process.argv[2], 'utf8'));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
});
const context = await browser.newContext({ viewport: { width: 1100, height: 700 }, hasTouch: true });
const page = await context.newPage();
const errors = [], asked = [];
page.on('pageerror', e => errors.push(String(e)));
// The browser reports the thumbnail of the file that cannot be opened.
const broken = plan.more ? plan.models.length + plan.more.indexOf('broken') : -1;
page.on('console', m => { if (m.type() === 'error' && !m.location().url.endsWith(`/thumb/${broken}.png`)) errors.push(m.text()); });
page.on('request', r => asked.push(r.url()));
const state = () => page.evaluate(() => window.meshwright.state());
const loaded = () => page.waitForFunction(() => window.meshwright?.state().loaded, null, { timeout: 60000 });
const seen = { bounds: [], errors, ok: {} };
const ok = (name, value) => { seen.ok[name] = value; };
/** The colours that the canvas shows, each as red, green, blue in one number, with how many pixels have it. */
const shades = async () => new Map(await page.evaluate(() => {
  const from = document.getElementById('canvas'), to = document.createElement('canvas'), found = new Map();
  [to.width, to.height] = [from.width, from.height];
  const flat = to.getContext('2d');
  flat.drawImage(from, 0, 0);
  const { data } = flat.getImageData(0, 0, to.width, to.height);
  for (let i = 0; i < data.length; i += 4) {
    const shade = data[i] << 16 | data[i + 1] << 8 | data[i + 2];
    found.set(shade, (found.get(shade) || 0) + 1);
  }
  return [...found];
}));
const colours = async () => (await shades()).size;
const painted = () => page.evaluate(() => new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r))));
async function played(times) {
  const all = [];
  for (const [clip, seconds] of times) {
    await page.evaluate(c => window.meshwright.choose(c), clip);
    await page.evaluate(s => window.meshwright.seek(s), seconds);
    all.push(await page.evaluate(() => window.meshwright.bounds()));
  }
  return all;
}
try {
  await page.goto(plan.url);
  if (plan.limited) {
    // The file is refused until the limit has been raised often enough.
    const more = page.locator('#status button'), offers = [];
    for (let i = 0; i < 12; i++) {
      await page.waitForFunction(() => window.meshwright?.state().loaded || document.querySelector('#status button'), null, { timeout: 60000 });
      if ((await state()).loaded) break;
      offers.push(await more.textContent());
      if (!i) ok('the reason is next to the offer', /error\[[a-z-]+\] .+ Try again with .+ MiB$/.test(await page.textContent('#status')));
      if (!i && plan.shots) await page.screenshot({ path: `${plan.shots}/page-limit.png` });
      await more.click();
    }
    ok('a larger limit is offered', offers.length > 1 && new Set(offers).size === offers.length);
    await page.selectOption('#target', 'glb');
    ok('a model over the first limit is saved', (await page.evaluate(async () => (await window.meshwright.saved(0, 'glb')).name)).endsWith('.glb'));
  }
  await loaded();
  for (const [id, model] of (plan.models || []).entries()) {
    await page.evaluate(i => window.meshwright.open(i), id);
    const now = await state();
    if (!now.loaded) throw new Error(`${model.name}: ${now.status}`);
    seen.bounds.push(await played(model.times));
    if (plan.shots) await page.screenshot({ path: `${plan.shots}/page-${plan.tag}-${id}.png` });
  }
  if (plan.touch) {
    await page.evaluate(() => window.meshwright.open(0));
    ok('a model with an idle clip is in that clip', (await state()).clip === 0);
    await page.evaluate(() => window.meshwright.open(1));
    ok('a model without an idle clip is in its rest pose', (await state()).clip === -1);
    const resting = await page.evaluate(() => [window.meshwright.bounds(), window.meshwright.frame()].map(b => JSON.stringify(b)));
    ok('the model fills the frame', resting[0] === resting[1]);
    await page.evaluate(() => window.meshwright.open(0));
    await page.evaluate(() => window.meshwright.choose(0));
    await page.evaluate(() => window.meshwright.seek(0));
    ok('the address names clip and frame', new URLSearchParams(new URL(page.url()).hash.slice(1)).get('clip') === (await state()).clips[0].name);
    await page.locator('#canvas').focus();
    const before = await state();
    for (const key of ['ArrowRight', 'ArrowUp', '+', 'b', 'w', 'n', '.']) await page.keyboard.press(key);
    const after = await state();
    ok('arrows turn', after.camera.azimuth === before.camera.azimuth + 5 && after.camera.elevation === before.camera.elevation + 5);
    ok('plus comes nearer', after.camera.zoom > before.camera.zoom);
    ok('what is chosen is heard', (await page.textContent('#live')).startsWith('frame 1.0 of'));
    ok('letters choose', (await page.isChecked('#bones')) && (await page.isChecked('#wire')) && after.view === 2);
    ok('a dot is a frame', Math.abs(after.time - 1 / after.clips[0].rate) < 1e-6);
    await page.keyboard.press('Space');
    ok('space plays', (await state()).playing);
    await page.waitForFunction(t => window.meshwright.state().time !== t, after.time);
    await page.keyboard.press('Space');
    ok('space stops', !(await state()).playing);
    ok('stopping is heard', (await page.textContent('#live')).startsWith('Stopped'));
    await page.keyboard.press(']');
    ok('brackets choose clips', (await state()).clip === (after.clip + 1) % after.clips.length);
    await page.keyboard.press('?');
    ok('help opens', await page.locator('#keys').isVisible());
    await page.keyboard.press('Escape');
    ok('help closes', !(await page.locator('#keys').isVisible()));
    await page.keyboard.press('r');
    ok('r resets', (await state()).camera.zoom === 1);
    await page.keyboard.press('/');
    await page.keyboard.type('onerror');
    ok('the list is searched', (await page.locator('#models button').count()) === 1);
    ok('the list is counted', (await page.textContent('#count')) === `1 of ${plan.models.length + plan.more.length} models`);
    ok('names are text', (await page.locator('#models button span').textContent()) === plan.hostile);
    await page.locator('#models button').click();
    await page.waitForFunction(n => document.getElementById('name').textContent.includes('onerror'), null);
    ok('nothing of a name runs', await page.evaluate(() => window.hacked === undefined));
    await page.fill('#search', '');
    await page.evaluate(n => window.meshwright.open(n), plan.models.length + plan.more.indexOf('levels'));
    const triangles = () => page.locator('#facts dd').nth(1).textContent();
    const finest = await triangles();
    await page.selectOption('#level', '1');
    ok('levels are chosen', (await state()).level === 1 && (await triangles()) !== finest);
    await page.setChecked('#bones', false);
    await page.setChecked('#wire', false);
    await page.setChecked('#grid', false);
    await page.evaluate(n => window.meshwright.open(n), plan.models.length + plan.more.indexOf('skeleton'));
    await painted();
    ok('a skeleton alone is drawn', (await colours()) > 3);
    await page.evaluate(n => window.meshwright.open(n), plan.models.length + plan.more.indexOf('skins'));
    await page.selectOption('#view', '1');
    await painted();
    const stored = await shades();
    ok('the first skin is shown', (stored.get(0xff0000) || 0) > 1000 && !stored.has(0x0000ff));
    await page.selectOption('#skin', { label: 'skin 1' });
    await painted();
    const chosen = await shades();
    ok('skins are chosen', (chosen.get(0x0000ff) || 0) > 1000 && !chosen.has(0xff0000));
    await page.locator('#models button').nth(broken).scrollIntoViewIfNeeded();
    await page.waitForSelector('#models small');
    const reason = await page.locator('#models button').nth(broken).locator('small').textContent();
    ok('the reason is next to what cannot be shown', reason.startsWith('parent ') && (await page.locator('#models small').count()) === 1);
    ok('a mark takes the place of its picture', (await page.locator('#models button').nth(broken).locator('img').count()) === 0);
    await page.waitForFunction(() => [...document.querySelectorAll('#models img')].some(i => i.complete && i.naturalWidth === 96));
    ok('thumbnails are drawn', true);
    ok('no picture is broken', await page.evaluate(() => [...document.querySelectorAll('#models img')].every(i => !i.complete || i.naturalWidth > 0)));
    const [picture] = await Promise.all([page.waitForEvent('download'), page.click('#shot')]);
    ok('a picture is saved', picture.suggestedFilename().endsWith('.png'));
    const box = await page.locator('#canvas').boundingBox(), touch = await context.newCDPSession(page);
    const at = (x, y, id) => ({ x: box.x + box.width * x, y: box.y + box.height * y, id });
    const send = (type, ...touchPoints) => touch.send('Input.dispatchTouchEvent', { type, touchPoints });
    const still = await state();
    await send('touchStart', at(0.5, 0.5, 0)); await send('touchMove', at(0.6, 0.5, 0)); await send('touchMove', at(0.7, 0.5, 0)); await send('touchEnd');
    const turned = await state();
    ok('a finger turns', turned.camera.azimuth !== still.camera.azimuth);
    await send('touchStart', at(0.4, 0.5, 0), at(0.6, 0.5, 1)); await send('touchMove', at(0.3, 0.5, 0), at(0.7, 0.5, 1)); await send('touchMove', at(0.2, 0.5, 0), at(0.8, 0.5, 1)); await send('touchEnd');
    ok('two fingers come nearer', (await state()).camera.zoom > turned.camera.zoom * 1.5);
    await page.mouse.move(box.x + 50, box.y + 50); await page.mouse.down(); await page.mouse.move(box.x + 90, box.y + 50); await page.mouse.up();
    const nameless = await page.evaluate(() => [...document.querySelectorAll('button, select, input, canvas, nav, aside')].filter(e => !(e.getAttribute('aria-label') || e.labels?.length || e.textContent.trim())).map(e => e.id));
    ok('everything has a name for screen readers', nameless.length === 0);
    const count = await page.locator('#models button').count();
    await page.setInputFiles('#files', plan.drop);
    await page.waitForFunction(n => document.querySelectorAll('#models button').length > n, count);
    await page.waitForFunction(() => document.getElementById('status').textContent === '');
    const made = await page.evaluate(async () => { const { name, bytes } = await window.meshwright.saved(0, 'glb'); return [name, String.fromCharCode(...bytes.subarray(0, 4))]; });
    ok('a model is saved', made[0].endsWith('.glb') && made[1] === 'glTF');
    ok('dropped files are shown', (await page.locator('#models button[aria-current=true]').count()) === 1);
    await page.evaluate(() => window.meshwright.open(0));
    const facts = await page.textContent('#facts');
    await copyFile(plan.other, plan.watched);
    await page.waitForFunction(f => document.getElementById('facts').textContent !== f, facts, { timeout: 20000 });
    ok('a changed file is read again', true);
    await copyFile(plan.broken, plan.watched);
    await page.waitForFunction(() => document.getElementById('status').textContent.includes('error['), null, { timeout: 20000 });
    await painted();
    ok('what is wrong is said', (await page.textContent('#facts')) === '' && (await colours()) === 1);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 360, height: 640 });
    await page.evaluate(() => window.meshwright.open(1));
    ok('a small screen does not scroll sideways', await page.evaluate(() => document.documentElement.scrollWidth <= 360));
    ok('a small screen shows the model', (await page.locator('#canvas').boundingBox()).height >= 200);
    if (plan.shots) await page.screenshot({ path: `${plan.shots}/page-small.png` });
    await page.locator('#models button').nth(2).click();
    await page.waitForFunction(() => document.getElementById('canvas').getBoundingClientRect().top < 50);
    ok('a tap on a small screen scrolls to the picture', true);
  }
  const origin = new URL(plan.url).origin;
  ok('nothing is loaded from elsewhere', asked.every(u => u.startsWith('data:') || u.startsWith('blob:') || new URL(u).origin === origin));
} catch (e) { errors.push(String(e)); }
console.log(JSON.stringify(seen));
await browser.close();
