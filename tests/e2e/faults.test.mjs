// Each thing of the browser that the script touches is missing, throws or gives nonsense, alone and two at a time:
// nothing reaches the page, the script is ready, its calls answer, and what is off is said. See tests/faults/faults.mjs.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { ROOT, SURFACES } from './support.mjs';
import { amiss, faultsOf, lab, OLDER } from '../faults/faults.mjs';

/** Single faults that are tried, evenly over all of them; TOOLMARK_FAULT_SINGLES=all for every one, which takes a quarter of an hour. */
const SINGLES = process.env.TOOLMARK_FAULT_SINGLES === 'all' ? Infinity : Number(process.env.TOOLMARK_FAULT_SINGLES ?? 60);
/** Pairs that are tried; TOOLMARK_FAULT_PAIRS for more, TOOLMARK_FAULT_SEED for others. */
const PAIRS = Number(process.env.TOOLMARK_FAULT_PAIRS ?? 12);
let seed = Number(process.env.TOOLMARK_FAULT_SEED ?? 1);
const below = (limit) => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((seed / 2 ** 32) * limit);
};

/** The language itself. */
const LANGUAGE = /^(\w*Error|\w+Array|Promise|RegExp|Proxy|DataView)$/;
/** What a life does not come by, with the reason. */
const UNREACHED = {
  FocusEvent: 'a page without focus',
  WebSocket: 'data-relay, in a script of its own',
  WebAssembly: 'read() before anything started',
  DOMException: 'a caller that passes nonsense to the polyfill',
  MessageChannel: 'the polyfill',
  Observer: 'MutationObserver, by another name',
  Blob: 'the worker of a script from another origin; the relay, in a script of its own',
  XMLHttpRequest: 'read() before anybody asked',
};

for (const surface of SURFACES) {
  let browser;
  let faults;
  let touched;
  before(async () => {
    browser = await lab(surface);
    assert.deepEqual(amiss(await browser.sound()), []);
    const told = await browser.touched();
    const older = await browser.touched(OLDER);
    assert.deepEqual([...amiss(told), ...amiss(older, OLDER)], []);
    touched = new Map([...older.touched, ...told.touched]);
    faults = faultsOf(told.touched, older.touched);
  });
  after(() => browser.close());

  const tried = async (sets) => {
    const found = await Promise.all(sets.map(async (faults) => [faults, amiss(await browser.faulty(faults), faults)]));
    return found.filter(([, wrong]) => wrong.length).map(([faults, wrong]) => `${faults.map((fault) => fault.join(' ')).join(' and ')}: ${wrong.join('; ')}`);
  };

  test(`${surface}: what the sources make of the browser's classes is among what is broken`, () => {
    const sources = fs.readdirSync(path.join(ROOT, 'js')).filter((file) => file.endsWith('.js')).map((file) => fs.readFileSync(path.join(ROOT, 'js', file), 'utf8').replace(/^\s*(\/\/|\*|\/\*).*$/gm, '')).join('\n');
    const own = new Set([...sources.matchAll(/\bclass ([A-Z]\w+)/g)].map(([, name]) => name));
    const made = [...new Set([...sources.matchAll(/\bnew (?:this\.)?(?:view\.)?([A-Z]\w+)/g)].map(([, name]) => name))].filter((name) => !own.has(name) && !LANGUAGE.test(name));
    assert.ok(made.length > 10);
    const missed = made.filter((name) => !touched.has(`new ${name}`) && !(name in UNREACHED));
    assert.deepEqual(missed, [], 'a life (tests/faults/faults.mjs) must come by these, or UNREACHED say why not');
  });

  test(`${surface}: one fault at a time`, async () => {
    const step = Math.max(1, faults.length / SINGLES);
    const some = faults.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
    console.log(`# ${surface}: ${some.length} of ${faults.length} single faults of ${touched.size} things, ${PAIRS} pairs of faults (seed ${process.env.TOOLMARK_FAULT_SEED ?? 1})`);
    assert.deepEqual(await tried(some), []);
  });

  test(`${surface}: ${PAIRS} pairs of faults`, async () => {
    assert.deepEqual(await tried(Array.from({ length: PAIRS }, () => [...faults[below(faults.length)], ...faults[below(faults.length)]])), []);
  });
}
