// `pnpm start`: builds what has changed, quietly, then becomes the supervisor.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import process from 'node:process';
import { fileURLToPath, URL } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`Gangan needs Node 20.19 or newer; this is ${process.versions.node}.\n`);
  process.exit(1);
}

const build = () =>
  new Promise((resolve) => {
    const nx = createRequire(import.meta.url).resolve('nx/bin/nx');
    const child = spawn(process.execPath, [nx, 'build', '@gangan/start', '--outputStyle=static'], {
      cwd: root,
      env: { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false', FORCE_COLOR: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const keep = (chunk) => (output += chunk);
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);
    child.on('close', (code, signal) => resolve({ code, signal, output }));
  });

process.stdout.write('  Building what has changed\n');
const { code, signal, output } = await build();
if (code !== 0) {
  process.stderr.write(signal ? '' : `${output}\nThe build failed; see above.\n`);
  process.exit(1);
}
if (!existsSync(new URL('dist/main.js', import.meta.url))) {
  process.stderr.write('The build made no tools/start/dist; run `npx pnpm@12 build` to see why.\n');
  process.exit(1);
}
await import(new URL('dist/main.js', import.meta.url));
