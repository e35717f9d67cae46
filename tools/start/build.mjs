import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** What a build reads: see the inputs in nx.json and in the package.json of tools/bundle and libs/database. */
const files = ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', 'tsconfig.json', 'nx.json', '.swcrc'];
const unread = /^(?:generated|node_modules|dist|test)$|\.spec\.ts$/;

/** Notes the time of the newest change of a file, and the paths. A copied file may have an old mtime, but not an old ctime. */
function visit(path, seen) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return;
  if (!stat.isDirectory()) {
    seen.changedAt = Math.max(seen.changedAt, stat.ctimeMs);
    seen.paths.push(path);
    return;
  }
  for (const name of readdirSync(path)) if (!unread.test(name)) visit(join(path, name), seen);
}

function sourcesOf(root) {
  const seen = { changedAt: 0, paths: [] };
  for (const name of [...files, 'prisma.config.ts', 'prisma', 'apps', 'libs', 'tools'])
    visit(join(root, name), seen);
  const paths = createHash('sha256').update(seen.paths.join('\n')).digest('hex');
  return { changedAt: seen.changedAt, paths };
}

/** The folders that builds have written. Executables need their own, that of shared code, and `start` those of the apps. */
const outputsOf = (root) =>
  ['apps', 'tools']
    .filter((group) => existsSync(join(root, group)))
    .flatMap((group) => readdirSync(join(root, group)).map((name) => join(group, name, 'dist')))
    .filter((folder) => existsSync(join(root, folder)));

const recordOf = (tool, root) => join(root, 'node_modules', '.cache', 'gangan', 'built', `${tool}.json`);

/** Whether nothing has changed since the last recorded build. This takes 50 ms, Nx two seconds. */
export function isBuilt(tool, root = repository) {
  try {
    const { startedAt, paths: known, outputs } = JSON.parse(readFileSync(recordOf(tool, root), 'utf8'));
    const { changedAt, paths: found } = sourcesOf(root);
    const isNewest = changedAt < startedAt && startedAt <= Date.now();
    const needed = [...outputs, join('tools', tool, 'dist', 'main.js')];
    // A deleted or moved file has no new time.
    return isNewest && found === known && needed.every((path) => existsSync(join(root, path)));
  } catch {
    return false;
  }
}

/** @param startedAt before the build read its first file: what changes meanwhile is newer */
export function recordBuild(tool, startedAt, root = repository) {
  const path = recordOf(tool, root);
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(
      path,
      JSON.stringify({ startedAt, paths: sourcesOf(root).paths, outputs: outputsOf(root) }),
    );
  } catch {
    // This user may only read the repository: the next run asks Nx again.
  }
}

/** Builds a tool with Nx. Returns its output if the build failed. A signal stops the build and this process. */
export async function build(tool) {
  const startedAt = Date.now();
  const nx = createRequire(import.meta.url).resolve('nx/bin/nx');
  const child = spawn(process.execPath, [nx, 'build', `@gangan/${tool}`, '--outputStyle=static'], {
    cwd: repository,
    env: { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false', FORCE_COLOR: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk) => (output += chunk));
  const stop = (signal) => {
    child.kill(signal);
    child.once('close', () => process.exit(0));
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.once(signal, stop);
  const code = await new Promise((resolve) => child.once('close', resolve));
  for (const signal of signals) process.off(signal, stop);
  if (code !== 0) return output;
  recordBuild(tool, startedAt);
  return undefined;
}
