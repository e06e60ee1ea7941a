// What a client says over standard input: to a program that serves it, and through one that joined another.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { relay } from './relays.mjs';
import { HOME, shop, start } from './support.mjs';

const FILE = path.join(HOME, 'stdio.html');
fs.writeFileSync(FILE, shop('https://shop.example'));

/** How the program is started, with what it says of itself over and above MCP. */
const KINDS = {
  serve: async () => start(['serve', '--quiet', FILE]),
  relay: async () => start(['relay', '--port', '0'], { TOOLMARK_HOME: path.join(HOME, 'stdio-relay') }),
  'a relay that joined another': async () => {
    const { port, folder } = await relay();
    return start(['relay', '--port', String(port)], { TOOLMARK_HOME: folder });
  },
};

/** What a client says and hears, line by line. */
function talking(child) {
  const heard = [];
  let wake;
  let rest = '';
  child.stdout.on('data', (data) => {
    const lines = (rest + data).split('\n');
    rest = lines.pop();
    heard.push(...lines.map((line) => JSON.parse(line)));
    wake?.();
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const answer = async (id) => {
    for (;;) {
      const found = heard.find((one) => one.id === id && !one.method);
      if (found) return found;
      const more = await Promise.race([new Promise((resolve) => (wake = () => resolve(true))), ended.then(() => false)]);
      if (!more) throw new Error(`ended before ${id} was answered`);
    }
  };
  const raw = (bytes) => new Promise((resolve) => child.stdin.write(bytes, resolve));
  const say = (message) => raw(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const hello = async (protocolVersion = '2025-06-18') => {
    await say({ id: 'hello', method: 'initialize', params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } } });
    const { result } = await answer('hello');
    await say({ method: 'notifications/initialized' });
    return result;
  };
  return { raw, say, answer, hello, heard };
}

for (const [kind, started] of Object.entries(KINDS)) {
  test(`${kind}: lines that are no messages cost themselves`, async () => {
    const { raw, say, answer, hello } = talking(await started());
    await hello();
    for (const bad of ['{', '[]', '"x"', '', ' ', '{"jsonrpc":"1.0","id":5,"method":"x"}', '{"id":6}', `${'['.repeat(100_000)}`, Buffer.from([0xff, 0xfe, 0x7b])]) {
      await raw(bad);
      await raw('\n');
    }
    await say({ id: 7, method: 'tools/list' });
    assert.ok((await answer(7)).result.tools.length > 0);
    await say({ id: 8, method: 'none/such' });
    assert.equal((await answer(8)).error.code, -32601);
  });

  test(`${kind}: a line without end takes no memory, and the next one is answered`, { skip: process.platform !== 'linux' && 'reads /proc' }, async () => {
    const child = await started();
    const { raw, say, answer, hello } = talking(child);
    await hello();
    const peak = () => Number(/VmHWM:\s+(\d+)/.exec(fs.readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) / 1024;
    const before = peak();
    const much = Buffer.alloc(1_000_000, 'x');
    for (let i = 0; i < 150; i += 1) await raw(much);
    await raw('\n');
    await say({ id: 1, method: 'ping' });
    assert.deepEqual((await answer(1)).result, {});
    assert.ok(peak() - before < 60, `${before} MiB, then ${peak()}`);
  });

  test(`${kind}: another version is answered with ours, and who asks before hello is told`, async () => {
    const { say, answer, hello } = talking(await started());
    await say({ id: 1, method: 'tools/list' });
    assert.ok((await answer(1)).error);
    assert.equal((await hello('1999-01-01')).protocolVersion, '2025-11-25');
    await say({ id: 2, method: 'tools/list' });
    assert.ok((await answer(2)).result.tools.length > 0);
  });
}
