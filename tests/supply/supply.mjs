// npm run supply: licences, advisories and sources of what we build on, and that no install or build step fetches code.
// What this machine cannot ask is said, and does not count as passed.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
let failed = 0;
let unasked = 0;
const told = (state, what, more = '') => {
  console.log(`${state.padEnd(9)} ${what}${more && `: ${more}`}`);
  failed += state === 'FAILED';
  unasked += state === 'not asked';
};
const run = (command, input, cwd = ROOT) => {
  const { status, stdout, stderr, error } = spawnSync(command, input, { cwd, encoding: 'utf8', timeout: 300_000, maxBuffer: 2 ** 28 });
  return { ok: status === 0, text: `${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}` };
};

/** Lock files name a registry's file and a checksum for each package, and nothing else. */
for (const folder of ['.', 'companion']) {
  const lock = JSON.parse(fs.readFileSync(path.join(ROOT, folder, 'package-lock.json'), 'utf8'));
  const odd = Object.entries(lock.packages).filter(([name, one]) => name && !one.link && (!/^sha512-/.test(one.integrity ?? '') || (one.resolved && !/^https:.*\.tgz$/.test(one.resolved))));
  told(odd.length ? 'FAILED' : 'passed', `${folder}/package-lock.json: ${Object.keys(lock.packages).length - 1} packages, each with a checksum`, odd.map(([name]) => name).join(', '));
  const scripted = Object.entries(lock.packages).filter(([, one]) => one.hasInstallScript && !one.optional).map(([name]) => name.replace('node_modules/', ''));
  // esbuild's only checks the binary that came as a package of its own.
  const unknown = scripted.filter((name) => name !== 'esbuild');
  told(unknown.length ? 'FAILED' : 'passed', `${folder}: packages with an install script`, scripted.join(', ') || 'none');
  const audit = run('npm', ['audit', '--json'], path.join(ROOT, folder));
  const report = (() => {
    try {
      return JSON.parse(audit.text.slice(audit.text.indexOf('{'), audit.text.lastIndexOf('}') + 1));
    } catch {
      return {};
    }
  })();
  const found = report.metadata?.vulnerabilities;
  if (found) told(found.total ? 'FAILED' : 'passed', `${folder}: npm audit`, JSON.stringify(found));
  else told('not asked', `${folder}: npm audit`, 'the registry has no audit endpoint here');
}

const lock = fs.readFileSync(path.join(ROOT, 'Cargo.lock'), 'utf8').split('[[package]]').slice(1);
const without = lock.filter((one) => /^source/m.test(one) && (!/^checksum/m.test(one) || !/^source = "registry\+/m.test(one)));
told(without.length ? 'FAILED' : 'passed', `Cargo.lock: ${lock.length} packages, each from the registry with a checksum`, without.join(' '));

/** A build script that fetches names an address, a client, or a socket. */
const metadata = run('cargo', ['metadata', '--format-version', '1', '--locked', '--all-features']);
if (metadata.ok) {
  const { packages } = JSON.parse(metadata.text.slice(metadata.text.indexOf('{"packages"')));
  // As deny.toml allows; cargo deny asks the same and more.
  const allowed = new Set(/^allow = (\[.*\])$/m.exec(fs.readFileSync(path.join(ROOT, 'deny.toml'), 'utf8'))[1].match(/[^",[\]]+(?=")/g));
  const fits = (license) => license.replace(/[()]/g, '').replaceAll('/', ' OR ').split(' AND ').every((part) => part.split(' OR ').some((one) => allowed.has(one.trim())));
  const strange = packages.filter(({ license }) => !license || !fits(license)).map(({ name, license }) => `${name} (${license})`);
  told(strange.length ? 'FAILED' : 'passed', `licences of ${packages.length} crates, each among ${allowed.size} that are allowed`, strange.join(', '));
  const scripts = packages.flatMap(({ name, targets }) => targets.filter(({ kind }) => kind.includes('custom-build')).map(({ src_path: file }) => [name, file]));
  const NETWORK = /\b(TcpStream|UdpSocket|reqwest|ureq|hyper::|curl::|attohttpc)\b|Command::new\(\s*"(curl|wget|powershell|pwsh)"|"(clone|fetch|pull|ls-remote)"/;
  const fetching = scripts.filter(([, file]) => fs.existsSync(file) && NETWORK.test(fs.readFileSync(file, 'utf8'))).map(([name]) => name);
  told(fetching.length ? 'FAILED' : 'passed', `${scripts.length} build scripts of crates, none opens a connection or starts a download`, fetching.join(', '));
} else told('not asked', 'build scripts of crates', metadata.text.trim().split('\n').at(-1));

const deny = run('cargo', ['deny', '--version']);
if (!deny.ok) told('not asked', 'cargo deny', 'install it: cargo install cargo-deny');
else {
  const checks = run('cargo', ['deny', '--offline', 'check', 'licenses', 'bans', 'sources']);
  told(checks.ok ? 'passed' : 'FAILED', 'cargo deny check licenses bans sources', checks.ok ? '' : `\n${checks.text}`);
  const advisories = run('cargo', ['deny', 'check', 'advisories']);
  if (/failed to (fetch|clone|acquire)|unable to (fetch|clone)|could not (resolve|connect)|error (trying to connect|sending request)/i.test(advisories.text)) told('not asked', 'cargo deny check advisories', 'the advisory database cannot be fetched here');
  else told(advisories.ok ? 'passed' : 'FAILED', 'cargo deny check advisories', advisories.ok ? '' : `\n${advisories.text}`);
}
console.log(`${failed} failed, ${unasked} not asked`);
process.exit(failed ? 1 : 0);
