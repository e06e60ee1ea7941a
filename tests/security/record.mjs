// What the long security runs gave, written down by the runs themselves and not by hand:
//   node tests/security/record.mjs NAME OUTPUT   reads a run's output (NAME as in RUNS), notes its figures, writes the document
//   node tests/security/record.mjs               writes the document from what is noted
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NOTED = path.join(ROOT, 'tests', 'security', 'results.json');
const DOCUMENT = path.join(ROOT, 'docs', 'security-tests.md');
const [BEGIN, END] = ['<!-- figures -->', '<!-- /figures -->'];
const number = (value) => Number(value).toLocaleString('en');

const fuzzed = (what, target) => ({
  what: `${what}, fuzzed`,
  command: `cd tests && cargo fuzz run --fuzz-dir fuzz -s none ${target} -- -max_total_time=1200 -print_final_stats=1`,
  /** libFuzzer's last words; a run that broke off has no DONE. */
  read(text) {
    const [, runs, covered, corpus] = /#(\d+)\s+DONE\s+cov: (\d+).*?corp: (\d+)/.exec(text) ?? [];
    const [, seconds] = /Done \d+ runs in (\d+) second/.exec(text) ?? [];
    if (!runs || !seconds) throw new Error('this run did not come to its end');
    return `${Math.round(seconds / 60)} minutes, ${number(runs)} inputs, ${number(covered)} places reached, no fault`;
  },
});
const lived = (surface) => ({
  what: `a page's life at random, compared with a fresh start on the same DOM, ${surface}`,
  command: `npm run soak -- --minutes 30 --surface ${surface} --json FILE`,
  read(text) {
    const { minutes, steps, checkpoints, heap, heldGrown, grown, failures } = JSON.parse(text);
    if (failures.length) throw new Error(failures.join('\n'));
    return `${minutes} minutes, ${number(steps)} steps, ${number(checkpoints)} checkpoints, no difference; heap ${number(heap[2])} → ${number(heap.at(-1))} bytes (${number(grown)} between quiet moments), of which scripts hold ${number(heldGrown)} more`;
  },
});
/** Lines that a test says of itself: `# …`. */
const said = (what, command, pattern) => ({
  what,
  command,
  read(text) {
    if (!/^# fail 0$|^ℹ fail 0$/m.test(text) || /^(# cancelled|# fail) [1-9]/m.test(text)) throw new Error('this run did not pass');
    const found = [...text.matchAll(new RegExp(pattern.replace('^# ', '^# (?:\\\\# )?'), 'gm'))].map((match) => match[1]);
    if (!found.length) throw new Error('this run does not tell its figures');
    return found.join('; ');
  },
});

const RUNS = {
  hostile: {
    what: 'hostile pages: definitions and answers of every tool, natively',
    command: 'TOOLMARK_HOSTILE_PAGES=10000 cargo test --profile hostile --no-default-features --test hostile_pages -- --nocapture',
    read(text) {
      const [, pages, definitions, calls, requests] = /(\d+) hostile pages: (\d+) definitions, (\d+) calls, (\d+) requests/.exec(text) ?? [];
      if (!/test result: ok/.test(text)) throw new Error('this run did not pass');
      return `${number(pages)} pages, ${number(definitions)} definitions, ${number(calls)} calls, ${number(requests)} requests, no fault`;
    },
  },
  faults: {
    what: 'faults of the browser: missing, throwing, nonsense, alone and in pairs',
    command: 'TOOLMARK_FAULT_SINGLES=all TOOLMARK_FAULT_PAIRS=N node --test tests/e2e/faults.test.mjs',
    read(text) {
      const passed = [...text.matchAll(/^ok \d+ - .*\bfaults?\b/gm)].length;
      if (passed < 4 || /^not ok \d+ - .*\bfaults?\b/m.test(text)) throw new Error('a fault reached the page, or the run did not end');
      return `${[...text.matchAll(/^# (?:\\# )?(.* single faults .*)$/gm)].map((match) => match[1]).join('; ')}; none reached the page or took something away without a word`;
    },
  },
  destinations: said('hostile templates, pages and values, with a server for the site and one for all other hosts', 'node --test tests/e2e/destinations.test.mjs', '^# (.*requests.*)$'),
  saved: said("saved pages with their own scripts, with the tag and without", 'TOOLMARK_SAVED_PAGES=N node --test tests/e2e/saved-pages.test.mjs', '^# (.*pages compared.*)$'),
  firefox: said('Firefox through the polyfill', 'npm run test:firefox', '^# (Mozilla Firefox .*)$'),
  'soak-native': lived('native'),
  'soak-polyfill': lived('polyfill'),
  'fuzz-json_ld': fuzzed('JSON-LD blocks', 'json_ld'),
  'fuzz-html': fuzzed('HTML to items to tools', 'html'),
  'fuzz-url_template': fuzzed('URL templates and values', 'url_template'),
  'fuzz-render': fuzzed('markup to answers', 'render'),
  'fuzz-guard': fuzzed('the last gate', 'guard'),
  supply: {
    what: 'licences, advisories, sources, install scripts of what we build on',
    command: 'npm run supply',
    read(text) {
      const [, failed, unasked] = /^(\d+) failed, (\d+) not asked$/m.exec(text) ?? [];
      if (failed !== '0') throw new Error('this run did not pass');
      const missing = [...text.matchAll(/^not asked (.*)$/gm)].map((match) => match[1].trim());
      return `none failed; ${unasked} not asked${missing.length ? ` (${missing.join('; ')})` : ''}`;
    },
  },
  reproducible: {
    what: 'two builds in two folders',
    command: 'npm run reproducible',
    read(text) {
      const [, files] = /(\d+) files, byte for byte the same/.exec(text) ?? [];
      if (!files) throw new Error('the builds differ');
      return `${files} files, byte for byte the same`;
    },
  },
};

const noted = fs.existsSync(NOTED) ? JSON.parse(fs.readFileSync(NOTED, 'utf8')) : {};

/** The document's table. */
export function table() {
  const cell = (text) => text.replace(/\|/g, '\\|');
  const rows = Object.entries(RUNS).map(([name, { what, command }]) => `| ${cell(what)} | \`${cell(command)}\` | ${cell(noted[name] ?? 'not run to its end')} |`);
  return [BEGIN, '| what | command, run by hand | last full run |', '| --- | --- | --- |', ...rows, END].join('\n');
}
export const document = () => fs.readFileSync(DOCUMENT, 'utf8');

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [name, output] = process.argv.slice(2);
  if (name) {
    if (!RUNS[name]) throw new Error(`There is no run '${name}': ${Object.keys(RUNS).join(', ')}.`);
    noted[name] = RUNS[name].read(fs.readFileSync(output, 'latin1'));
    fs.writeFileSync(NOTED, `${JSON.stringify(noted, Object.keys(RUNS), 1)}\n`);
    console.log(`${name}: ${noted[name]}`);
  }
  const text = document();
  const [before, rest] = [text.slice(0, text.indexOf(BEGIN)), text.slice(text.indexOf(END) + END.length)];
  fs.writeFileSync(DOCUMENT, before + table() + rest);
}
