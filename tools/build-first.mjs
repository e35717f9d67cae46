// `node tools/build-first.mjs <tool> …`: builds what has changed, then runs the tool in this process.
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import process from 'node:process';
import { clearTimeout, setTimeout } from 'node:timers';
import { fileURLToPath, URL } from 'node:url';
import { promisify } from 'node:util';

const [tool] = process.argv.splice(2, 1);
const nx = createRequire(import.meta.url).resolve('nx/bin/nx');
const remark = setTimeout(() => process.stderr.write('Building what has changed …\n'), 3_000);
try {
  await promisify(execFile)(process.execPath, [nx, 'build', `@gangan/${tool}`, '--outputStyle=static'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false', FORCE_COLOR: '0' },
    maxBuffer: 64 * 1_024 * 1_024,
  });
} catch ({ message, stdout = '', stderr = message }) {
  process.stderr.write(`${stdout}${stderr}\nThe build failed; see above.\n`);
  process.exit(1);
}
clearTimeout(remark);
await import(new URL(`${tool}/dist/main.js`, import.meta.url));
