import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '@gangan/testing';

const script = fileURLToPath(new URL('../dist/main.js', import.meta.url));
/** Of one measurement with its servers. */
const timeout = 180_000;
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gangan-suite-'));
  // Under root, Postgres runs as another user, who needs access.
  await chmod(folder, 0o755);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Starts the built bench as a user does. */
const start = (args: string): ChildProcess =>
  spawn(process.execPath, [script, ...args.split(' ')], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

async function run(args: string) {
  const child = start(args);
  const [printed, errors, [code]] = await Promise.all([
    child.stdout ? text(child.stdout) : '',
    child.stderr ? text(child.stderr) : '',
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, printed, errors };
}

/** A server that was interrupted is removed by its guard process, some time later. */
const untilNothingIsLeft = () => until('no file is left', async () => (await readdir(folder)).length === 0);

describe('pnpm bench without a name', () => {
  it('lists the scenarios', async () => {
    const { printed } = await run('--list');
    expect(printed).toMatch(/^send +POST \/sms\/send, .* ÷ direct SQL, .*: ≥ 1\.2 ×$/m);
  });

  it('prints the options if one is unknown', async () => {
    const { code, errors } = await run('--fast');
    expect(code).toBe(2);
    expect(errors).toContain('--fast');
    expect(errors).toContain('--warm-up');
  });

  it(
    'measures scenarios, prints a table, writes the results, and leaves nothing',
    async () => {
      const file = join(folder, 'results.json');
      const { printed } = await run(
        `--only send-postgres,send-latency-postgres --seconds 1 --rounds 1 --warm-up 100 --out ${file}`,
      );
      expect(printed).toMatch(
        /64 connections, 50 organisations \| [\d.,]+ req\/s +\| direct SQL, .* ≥ 0\.95 ×/,
      );
      const results = JSON.parse(await readFile(file, 'utf8')) as { outcome: { pairs: object[] } }[];
      expect(results.map(({ outcome }) => outcome.pairs.length)).toEqual([1, 1]);
      await rm(file);
      await untilNothingIsLeft();
    },
    timeout,
  );

  it(
    'stops on Ctrl-C and leaves nothing',
    async () => {
      const child = start('--only send-postgres --seconds 1 --warm-up 100');
      child.stdout?.on('data', (chunk: Buffer) => {
        if (chunk.includes('warming up')) child.kill('SIGINT');
      });
      const [code] = (await once(child, 'close')) as [number | null];
      expect(code).toBe(130);
      await untilNothingIsLeft();
    },
    timeout,
  );
});
