// `node tools/build-first.mjs <tool> …`: builds what has changed without output, then runs the tool in this process.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import process from 'node:process';
import { fileURLToPath, URL } from 'node:url';

const [tool] = process.argv.splice(2, 1);
const nx = createRequire(import.meta.url).resolve('nx/bin/nx');
const { status, stdout, stderr } = spawnSync(
  process.execPath,
  [nx, 'build', `@gangan/${tool}`, '--outputStyle=static'],
  {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false', FORCE_COLOR: '0' },
    encoding: 'utf8',
  },
);
if (status !== 0) {
  process.stderr.write(`${stdout}${stderr}\nThe build failed; see above.\n`);
  process.exit(1);
}
await import(new URL(`${tool}/dist/main.js`, import.meta.url));
