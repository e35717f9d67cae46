// `pnpm start`: builds what has changed without output, then runs the supervisor in this process.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import process from 'node:process';
import { fileURLToPath, URL } from 'node:url';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`Gangan needs Node 20.19 or newer; this is ${process.versions.node}.\n`);
  process.exit(1);
}

const usage = `pnpm start [--compact]

Starts Gangan on this machine: its own Postgres, a demo organisation with the key sk_test_demo, and the seven apps.
The data is kept in .data/, with the logs and keys. Ctrl-C stops everything.

  --compact  for small servers: the six workers run in one process, which takes less than half the memory

Settings are environment variables, for example:
  PORT=3001 pnpm start                    another port
  GANGAN_DATA_DIR=/tmp/gangan pnpm start  another folder for the data
  SIMULATE_LIVE=false pnpm start          live organisations use their providers, not the simulator
  DATABASE_URL=postgresql://… pnpm start  your own Postgres
  REDIS_URL=redis://… pnpm start          queues in your own Redis
All of them: docs/configuration.md. To manage the running system: pnpm admin --help. First steps: docs/first-ten-minutes.md
`;

const args = process.argv.slice(2).filter((arg) => arg !== '--');
const unknown = args.filter((arg) => !['--compact', '--help', '-h', 'help'].includes(arg));
if (unknown.length > 0) {
  process.stderr.write(`Unknown argument: ${unknown.join(' ')}\n\n${usage}`);
  process.exit(2);
}
if (args.some((arg) => arg !== '--compact')) {
  process.stdout.write(usage);
  process.exit(0);
}

/** Returns the output of Nx if the build failed. A signal stops the build and this process. */
const build = () =>
  new Promise((resolve) => {
    const nx = createRequire(import.meta.url).resolve('nx/bin/nx');
    const child = spawn(process.execPath, [nx, 'build', '@gangan/start', '--outputStyle=static'], {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      env: { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false', FORCE_COLOR: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk) => (output += chunk));
    }
    const stop = (signal) => {
      child.kill(signal);
      child.once('close', () => process.exit(0));
    };
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    for (const signal of signals) process.once(signal, stop);
    child.once('close', (code) => {
      for (const signal of signals) process.off(signal, stop);
      resolve(code === 0 ? undefined : output);
    });
  });

process.stdout.write('  Building what has changed\n');
const failure = await build();
if (failure !== undefined) {
  process.stderr.write(`${failure}\nThe build failed; see above.\n`);
  process.exit(1);
}
await import(new URL('dist/main.js', import.meta.url));
