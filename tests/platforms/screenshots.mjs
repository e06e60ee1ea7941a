// npm run screenshots -- FOLDER: the inspector, the playground and the demo as people see them.
import fs from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { serve } from '../../www/serve.mjs';

const folder = path.resolve(process.argv[2] ?? 'screenshots');
fs.mkdirSync(folder, { recursive: true });
const server = await serve();
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--headless', '--no-sandbox', '--disable-gpu', '--enable-features=WebMCP'] });

/** Presses what says these words, in the panel too. */
const press = (page, words) => page.evaluate((words) => {
  const all = [...window.panel.querySelectorAll('button, summary')].filter((one) => one.checkVisibility());
  (all.find((one) => one.textContent.trim() === words) ?? all.find((one) => one.textContent.includes(words)))?.click();
}, words);

async function shoot(name, pathname, { width = 1000, height = 680, dark = false, rtl = false, panel = true, steps = [] } = {}) {
  const errors = [];
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: dark ? 'dark' : 'light' });
  page.on('pageerror', (error) => errors.push(error.message));
  await page.addInitScript(() => {
    const own = Element.prototype.attachShadow;
    Element.prototype.attachShadow = function attach(init) {
      return (window.panel = own.call(this, init));
    };
  });
  await page.goto(server.origin + pathname);
  if (rtl) await page.evaluate(() => document.documentElement.setAttribute('dir', 'rtl'));
  if (panel) await page.waitForFunction(() => window.panel?.querySelector('.name'));
  if (rtl) await page.evaluate(() => window.toolmark.inspect());
  for (const words of steps) {
    await press(page, words);
    await page.waitForTimeout(200);
  }
  await page.waitForTimeout(300);
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
  await page.close();
  console.log(`${errors.length ? 'failed' : 'ok    '}  ${name}.png${errors.length ? `: ${errors.join('; ')}` : ''}`);
  if (errors.length) process.exitCode = 1;
}

const product = '/shop/trail-pack-28.html?toolmark=inspect';
await shoot('inspector-tools', product, { steps: ['get_product', 'Run'] });
await shoot('inspector-dark', product, { dark: true, steps: ['get_product', 'Run'] });
await shoot('inspector-entities', '/shop/?toolmark=inspect', { steps: ['Entities', 'Product', 'Show where'] });
await shoot('inspector-phone', product, { width: 390, height: 760, steps: ['About'] });
await shoot('inspector-rtl', product, { rtl: true, steps: ['Diagnostics'] });
await shoot('playground', '/playground.html#sample=broken', { width: 1280, height: 860 });
await shoot('playground-phone', '/playground.html#sample=shop', { width: 390, height: 860, dark: true });
await shoot('playground-where', '/playground.html#sample=results', { width: 1280, height: 1100, steps: ['Entities', 'Product', 'Show where'] });
await shoot('demo', '/', { panel: false });
await shoot('demo-phone', '/shop/', { width: 390, height: 760, panel: false });
await browser.close();
server.close();
