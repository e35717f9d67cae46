// Checks the package of the SDK as customers install it: node .ci/sdk-package.mjs
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pnpm } from './pnpm.mjs';

const execFileAsync = promisify(execFile);
const maxBytes = 25_000;
const root = fileURLToPath(new URL('..', import.meta.url));
const sdk = join(root, 'libs/sdk');
const folder = mkdtempSync(join(tmpdir(), 'gangan-sdk-'));
const installed = join(folder, 'node_modules/@gangan/sdk');

/** Prints what a program prints only if it fails. */
async function run(name, ...args) {
  try {
    await execFileAsync(name, args, { cwd: folder });
  } catch ({ message, stdout }) {
    process.stderr.write(`${message}\n${stdout}\n`);
    process.exitCode = 1;
  }
}

function pack() {
  const options = ['--pack-gzip-level', '9', '--pack-destination', folder];
  const { status, stdout, stderr } = pnpm('--dir', sdk, 'pack', ...options);
  if (status !== 0) throw new Error(`pnpm pack failed:\n${stdout}${stderr}`);
  const [tarball] = readdirSync(folder);
  return join(folder, tarball);
}

/** Programs that import it as a module of either kind, and its declarations. */
function writeExamples() {
  const readme = readFileSync(join(installed, 'README.md'), 'utf8');
  const examples = [...readme.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code]) => code);
  const files = examples.map((code, index) => [`example-${index}.mts`, code]);
  files.push(['browser.mts', browser], ['required.cts', browser.replace('await ', 'void ')]);
  // The compiler does not check declarations in packages, which takes long.
  files.push(['declarations.ts', readFileSync(join(installed, 'dist/types/index.d.ts'), 'utf8')]);
  for (const [name, code] of files) writeFileSync(join(folder, name), code);
  return files.map(([name]) => name);
}

const browser = `
import { Gangan, type Schemas } from '@gangan/sdk';

const gangan = new Gangan({ baseUrl: 'https://sms.example.com', organisation: '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42' });
const message: Promise<Schemas['SmsMessage']> = gangan.messages.send({ recipients: '08031234567', content: 'Hello' });
await message;
// @ts-expect-error A message needs recipients.
void gangan.messages.send({ content: 'Hello' });
// @ts-expect-error A network of this name does not exist.
void gangan.airtime.buy({ network: 'Mtn', amount: 100, recipient: '08031234567' });
// @ts-expect-error Lists have no such filter.
void gangan.messages.list({ sender: 'Gangan' });
`;

const load = `const { Gangan } = sdk; new Gangan({ baseUrl: 'http://localhost:3000', apiKey: 'sk_test_demo' });`;

const compilerOptions = [
  ...['--strict', '--noEmit', '--skipLibCheck', '--target', 'es2022', '--module', 'nodenext'],
  ...['--lib', 'es2022,dom,dom.iterable,dom.asynciterable'],
];

try {
  const tarball = pack();
  const { size } = statSync(tarball);
  if (size > maxBytes) throw new Error(`The package has ${size} bytes; ${maxBytes} are allowed`);
  mkdirSync(installed, { recursive: true });
  await run('tar', 'xzf', tarball, '-C', installed, '--strip-components=1');
  const node = process.execPath;
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
  await Promise.all([
    run(node, '--input-type=module', '--eval', `import * as sdk from '@gangan/sdk'; ${load}`),
    run(node, '--input-type=commonjs', '--eval', `const sdk = require('@gangan/sdk'); ${load}`),
    run(join(sdk, 'node_modules/.bin/publint'), 'run', tarball, '--strict'),
    run(join(sdk, 'node_modules/.bin/attw'), tarball, '--no-color'),
    run(join(root, 'node_modules/.bin/tsc'), ...compilerOptions, ...types, ...writeExamples()),
  ]);
  if (!process.exitCode) process.stdout.write(`The package of the SDK has ${size} bytes and no faults\n`);
} finally {
  rmSync(folder, { recursive: true });
}
