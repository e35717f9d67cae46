// `pnpm start`: builds what has changed without output, then runs the supervisor in this process.
import process from 'node:process';
import { URL } from 'node:url';
import { build, isBuilt } from './build.mjs';

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
All of them: docs/operate/configuration.md. To manage the running system: pnpm admin --help. First steps: docs/use/first-ten-minutes.md
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

if (!isBuilt('start')) {
  process.stdout.write('  Building what has changed\n');
  const failure = await build('start');
  if (failure !== undefined) {
    process.stderr.write(`${failure}\nThe build failed; see above.\n`);
    process.exit(1);
  }
}
await import(new URL('dist/main.js', import.meta.url));
