// What stays after much work: nothing that grows.
import assert from 'node:assert/strict';
import test from 'node:test';
import { html, ld, look, open, product, tag } from './support.mjs';

/** Remaps and restarts; enough for a leak of a page's own size to show many times over. */
const REMAPS = 1000;
const RESTARTS = 100;
/** Bytes that may be more afterwards: one page's worth of garbage that nobody collected yet. */
const SLACK = 1_500_000;

test(`memory is flat over ${REMAPS} remaps and ${RESTARTS} rounds of stop() and start()`, async () => {
  const page = await open({ page: html(ld(product()) + tag('data-page="off" data-watch="off"')) });
  await look(page);
  const session = await page.context().newCDPSession(page);
  const heap = async () => {
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize, embedderHeapUsedSize = 0, backingStorageSize = 0 } = await session.send('Runtime.getHeapUsage');
    return usedSize + embedderHeapUsedSize + backingStorageSize;
  };
  const remap = (rounds) => page.evaluate(async (rounds) => {
    const handle = await window.toolmark.ready;
    const script = document.querySelector('script[type="application/ld+json"]');
    for (let i = 0; i < rounds; i += 1) {
      script.textContent = script.textContent.replace(/"price":"[^"]*"/, `"price":"${i}.00"`);
      await handle.refresh();
    }
    return JSON.stringify(handle.entities()).includes(`${rounds - 1}.00`);
  }, rounds);
  const restart = (rounds) => page.evaluate(async (rounds) => {
    for (let i = 0; i < rounds; i += 1) {
      (await window.toolmark.ready).stop();
      await window.toolmark.start({ page: false, watch: false });
    }
    return (await document.modelContext.getTools()).length;
  }, rounds);
  assert.equal(await remap(50), true);
  assert.equal(await restart(5), 1);
  const before = await heap();
  assert.equal(await remap(REMAPS), true);
  const afterRemaps = await heap();
  assert.equal(await restart(RESTARTS), 1);
  const after = await heap();
  console.log(`# heap ${before} bytes, after remaps ${afterRemaps}, after restarts ${after}`);
  assert.ok(afterRemaps - before < SLACK, `remaps left ${afterRemaps - before} bytes`);
  assert.ok(after - before < SLACK, `restarts left ${after - before} bytes`);
  assert.deepEqual(page.errors, []);
  await page.done();
});

/** Big pages after each other, none like the one before. */
const VISITS = 8;

test('what one big page took is enough for all big pages after it', async () => {
  const page = await open({
    page: html(ld(product()) + '<main></main>' + tag('data-worker="off" data-watch="off"')),
    // The one thing that tells how much a module has is what instantiates it.
    init: () => {
      const { Instance } = WebAssembly;
      window.memories = [];
      WebAssembly.Instance = class extends Instance {
        constructor(...input) {
          super(...input);
          window.memories.push(this.exports.memory);
        }
      };
    },
  });
  await look(page);
  const visit = (number, items) => page.evaluate(async ({ number, items }) => {
    const one = (i) => `<div itemscope itemtype="https://schema.org/Product"><a itemprop=url href="/${number}/${i}"><b itemprop=name>Lamp ${number} ${'x'.repeat((i * number) % 97)} ${i}</b></a><p itemprop=description>${`Words ${number * i} `.repeat(20)}</p></div>`;
    document.querySelector('main').innerHTML = Array.from({ length: items }, (_, i) => one(i)).join('');
    const handle = await window.toolmark.ready;
    await handle.refresh();
    const page = await handle.tools().find((tool) => tool.name === 'search_page')?.execute({ query: `Lamp ${number}` });
    return [handle.tools().length, JSON.stringify(page ?? null).length, window.memories.reduce((sum, memory) => Math.max(sum, memory.buffer.byteLength), 0)];
  }, { number, items });
  const [, , small] = await visit(1, 1);
  const [, , first] = await visit(2, 3000);
  let last;
  for (let number = 3; number < 3 + VISITS; number += 1) {
    await visit(number, 1);
    [, , last] = await visit(number, 2000 + 100 * number);
  }
  console.log(`# wasm memory: ${small} bytes on a small page, ${first} on a big one, ${last} after ${VISITS} more`);
  assert.ok(first > small, 'the big page is big');
  assert.ok(last <= 2 * first, `${last} bytes after ${first}`);
  assert.deepEqual(page.errors, []);
  await page.done();
});
