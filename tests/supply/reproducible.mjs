// npm run reproducible -- [--keep | DIST DIST]: builds what is committed in two folders of different names and lengths, as a stranger
// would, and compares every byte of dist/. Takes two builds' time. Two folders that were built already are only compared.
import { execFileSync } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const given = process.argv.slice(2).filter((one) => !one.startsWith('--'));
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'toolmark-'));
const folders = ['a', 'another folder, with a longer name/b'].map((name) => path.join(work, name));
const say = (text) => console.error(`toolmark: ${text}`);

try {
  const read = (dist) => new Map(fs.readdirSync(dist).filter((name) => !name.startsWith('.')).sort().map((name) => [name, fs.readFileSync(path.join(dist, name))]));
  const commit = execFileSync('git', ['-C', ROOT, 'rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const built = given.length === 2 ? given.map(read) : folders.map((folder) => {
    fs.mkdirSync(path.dirname(folder), { recursive: true });
    execFileSync('git', ['clone', '--quiet', '--no-hardlinks', ROOT, folder]);
    // The packages are pinned by the lock file: another copy of them would show nothing.
    fs.cpSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'), { recursive: true, verbatimSymlinks: true });
    say(`building ${commit} in ${folder}`);
    const env = { ...process.env };
    for (const name of ['CARGO_TARGET_DIR', 'RUSTFLAGS']) delete env[name];
    // The size table fails over budget; that is another question.
    execFileSync('bash', ['-c', '. ./build.sh; setup_build; build; build_nowasm'], { cwd: folder, env, stdio: ['ignore', 'inherit', 'inherit'] });
    return read(path.join(folder, 'dist'));
  });
  const [one, two] = built;
  let different = 0;
  for (const name of new Set([...one.keys(), ...two.keys()])) {
    const [a, b] = [one.get(name), two.get(name)];
    if (!a || !b) {
      say(`${name} is built in one folder only`);
      different += 1;
    } else if (a.equals(b)) {
      say(`${name.padEnd(24)} ${String(a.length).padStart(9)} sha384-${crypto.createHash('sha384').update(a).digest('base64')}`);
    } else {
      let at = 0;
      while (a[at] === b[at]) at += 1;
      const around = (bytes) => JSON.stringify(bytes.subarray(Math.max(0, at - 40), at + 40).toString('latin1'));
      say(`${name} differs first at byte ${at} of ${a.length} and ${b.length}:\n  ${around(a)}\n  ${around(b)}`);
      different += 1;
    }
    for (const folder of [...folders, ROOT, os.homedir()]) {
      if ([a, b].some((bytes) => bytes?.includes(folder.replace(/\/$/, '')))) {
        say(`${name} names the folder ${folder}`);
        different += 1;
      }
    }
  }
  say(different ? 'NOT reproducible' : `${one.size} files, byte for byte the same`);
  process.exitCode = different ? 1 : 0;
} finally {
  if (!process.argv.includes('--keep')) fs.rmSync(work, { recursive: true, force: true });
}
