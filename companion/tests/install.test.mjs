import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import test from 'node:test';
import { BINARY, HOME, run, start } from './support.mjs';

let homes = 0;
/** A home of its own for each test, and the programs in it. */
function home(links = true) {
  const folder = path.join(HOME, `home-${(homes += 1)}`);
  fs.mkdirSync(path.join(folder, 'bin'), { recursive: true });
  if (links) fs.symlinkSync(fs.realpathSync(BINARY), path.join(folder, 'bin/toolmark'));
  return { folder, env: { HOME: folder, USERPROFILE: folder, PATH: path.join(folder, 'bin'), TOOLMARK_HOME: path.join(folder, 'toolmark'), XDG_CONFIG_HOME: path.join(folder, '.config'), CODEX_HOME: '' } };
}
const PLACES = {
  claude: '.config/Claude/claude_desktop_config.json',
  cursor: '.cursor/mcp.json',
  codex: '.codex/config.toml',
  windsurf: '.codeium/windsurf/mcp_config.json',
  cline: '.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
};
const program = fs.realpathSync(BINARY);

test('each client gets its settings where it looks for them', { skip: process.platform !== 'linux' && 'places of Linux' }, async () => {
  const { folder, env } = home();
  for (const [client, place] of Object.entries(PLACES)) {
    const file = path.join(folder, place);
    const dry = await run(['install', client, '--dry-run'], { env });
    assert.equal(dry.code, 0, dry.stderr);
    assert.match(dry.stdout, /would change[^]*\+ .*toolmark/);
    assert.ok(!fs.existsSync(path.dirname(file)), 'a dry run made a folder');
    const { code, stderr } = await run(['install', client], { env });
    assert.equal(code, 0, stderr);
    const text = fs.readFileSync(file, 'utf8');
    assert.equal(fs.statSync(file).mode & 0o777, 0o600);
    if (client === 'codex') assert.equal(text, `[mcp_servers.toolmark]\ncommand = "${program}"\nargs = ["relay"]\n`);
    else assert.deepEqual(JSON.parse(text), { mcpServers: { toolmark: { command: program, args: ['relay'] } } });
    const again = await run(['install', client], { env });
    assert.match(again.stdout, /has it already/);
    assert.deepEqual(fs.readdirSync(path.dirname(file)), [path.basename(file)]);
  }
});

test('all else in the file stays, with a backup, through links, with its rights', async () => {
  const { folder, env } = home();
  const [real, file] = [path.join(folder, 'dotfiles.json'), path.join(folder, 'mcp.json')];
  const before = '{\n    // mine\n    "big": 12345678901234567890123,\n    "mcpServers": {\n        "other": { "command": "x", "env": { "KEY": "1" } },\n        "toolmark": { "command": "old", "disabled": true, "args": [] }\n    }\n}\n';
  fs.writeFileSync(real, before, { mode: 0o640 });
  fs.symlinkSync(real, file);
  const { code, stderr } = await run(['install', file, '--', 'serve', 'https://shop.example/', '--no-actions'], { env });
  assert.equal(code, 0, stderr);
  const after = fs.readFileSync(real, 'utf8');
  assert.ok(fs.lstatSync(file).isSymbolicLink());
  assert.equal(fs.statSync(real).mode & 0o777, 0o640);
  assert.equal(fs.readFileSync(`${real}.bak`, 'utf8'), before);
  assert.equal(fs.statSync(`${real}.bak`).mode & 0o777, 0o600);
  const [start, end] = [before.indexOf('"toolmark"'), before.lastIndexOf(' }\n    }\n}')];
  assert.equal(after.slice(0, start), before.slice(0, start));
  assert.ok(after.endsWith(before.slice(end).trimStart()), after);
  const ours = JSON.parse(after.replace('// mine', '')).mcpServers.toolmark;
  assert.deepEqual(ours, { command: program, disabled: true, args: ['serve', 'https://shop.example/', '--no-actions'] });
  await run(['install', file], { env });
  assert.equal(fs.readFileSync(`${real}.bak`, 'utf8'), before, 'the first backup was written over');
  assert.equal(fs.readFileSync(`${real}.bak-2`, 'utf8'), after);
});

test('what cannot be understood is refused, and left as it is', async () => {
  const { folder, env } = home();
  for (const [name, text] of [
    ['cut.json', '{"mcpServers": {'], ['list.json', '[]'], ['wrong.json', '{"mcpServers": 1}'], ['ours.json', '{"mcpServers": {"toolmark": []}}'],
    ['deep.json', '['.repeat(100_000)], ['text.json', Buffer.from([0xff, 0xfe, 0x7b, 0x00])], ['cut.toml', '[mcp_servers'], ['wrong.toml', 'mcp_servers = 1'], ['large.json', `{"a": "${'x'.repeat(6_000_000)}"}`],
  ]) {
    const file = path.join(folder, name);
    fs.writeFileSync(file, text);
    const { code, stderr } = await run(['install', file], { env });
    assert.equal(code, 1, name);
    assert.match(stderr, /Nothing was changed/, name);
    assert.ok(fs.readFileSync(file).equals(Buffer.from(text)), name);
    assert.ok(!fs.existsSync(`${file}.bak`), name);
  }
  assert.equal((await run(['install', 'netscape'], { env })).code, 2);
});

const status = async (env, args = []) => {
  const { code, stdout } = await run(['status', '--json', ...args], { env });
  return { code, ...Object.fromEntries(JSON.parse(stdout).map(({ link, state, message }) => [link, { state, message }])) };
};
/** A port that nobody listens at. */
const free = async () => {
  const server = http.createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.on('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return String(port);
};

test('status names each broken link, and what mends it', { skip: process.platform !== 'linux' && 'places of Linux' }, async (t) => {
  const { folder, env } = home(false);
  const [relay, browser] = [await free(), await free()];
  const ports = ['--relay-port', relay, '--browser-port', browser];
  let now = await status(env, ports);
  assert.equal(now.code, 1);
  assert.deepEqual(['program', 'token', 'relay', 'client', 'page'].filter((link) => now[link].state !== 'broken'), []);
  assert.equal(now.browser.state, 'unused');
  assert.match(now.client.message, /toolmark install/);

  await run(['install', 'cursor'], { env });
  now = await status(env, ports);
  assert.deepEqual([now.client.state, now.program.state, now.relay.state, now.code], ['ok', 'unused', 'broken', 1]);

  const running = start(['relay', '--http', '--port', relay], env);
  await new Promise((resolve) => running.stderr.on('data', (data) => /pages connect/.test(data) && resolve()));
  now = await status(env, ports);
  assert.deepEqual([now.token.state, now.relay.state, now.page.state, now.code], ['ok', 'ok', 'broken', 1]);
  assert.match(now.page.message, /data-relay/);
  fs.chmodSync(path.join(env.TOOLMARK_HOME, 'token'), 0o644);
  now = await status(env, ports);
  assert.match(now.token.message, /can be read by others/);
  fs.chmodSync(path.join(env.TOOLMARK_HOME, 'token'), 0o600);

  // Another program at the port is not ours, and never sees the token.
  const heard = [];
  const stranger = http.createServer((request, response) => {
    heard.push(JSON.stringify(request.headers));
    response.end('[]');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => stranger.on('listening', resolve));
  t.after(() => stranger.close());
  now = await status(env, ['--relay-port', String(stranger.address().port), '--browser-port', browser]);
  assert.deepEqual([now.relay.state, now.code], ['broken', 1]);
  assert.match(now.relay.message, /another program/);
  const token = fs.readFileSync(path.join(env.TOOLMARK_HOME, 'token'), 'utf8');
  assert.ok(heard.length > 0 && heard.every((one) => !one.includes(token)));

  // Settings that lead nowhere, and settings that cannot be read.
  const file = path.join(folder, PLACES.cursor);
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(program, '/nowhere/toolmark'));
  assert.match((await status(env, ports)).client.message, /is no program: run 'toolmark install cursor' again/);
  fs.writeFileSync(file, '{');
  assert.match((await status(env, ports)).client.message, /cannot be understood/);
});

test('status is content once every link that is used is there', { skip: process.platform !== 'linux' && 'places of Linux' }, async (t) => {
  const { env } = home();
  let tabs = [{ type: 'page', url: 'about:blank' }];
  const browser = http.createServer((_, response) => response.end(JSON.stringify(tabs))).listen(0, '127.0.0.1');
  await new Promise((resolve) => browser.on('listening', resolve));
  t.after(() => browser.close());
  const ports = ['--relay-port', await free(), '--browser-port', String(browser.address().port)];
  await run(['install', 'codex', '--', 'connect'], { env });
  let now = await status(env, ports);
  assert.deepEqual([now.browser.state, now.relay.state, now.page.state, now.code], ['ok', 'unused', 'broken', 1]);
  tabs = [{ type: 'page', url: 'https://shop.example/' }];
  now = await status(env, ports);
  assert.deepEqual([now.client.state, now.page.state, now.code], ['ok', 'ok', 0]);
  await run(['install', 'codex', '--', 'serve', 'https://shop.example/'], { env });
  now = await status(env, ['--relay-port', await free(), '--browser-port', await free()]);
  assert.deepEqual([now.browser.state, now.page.state, now.code], ['unused', 'unused', 0]);
});
