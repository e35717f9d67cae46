import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const script = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const timeout = 120_000;
const run = (args: string) =>
  promisify(execFile)(process.execPath, [script, ...args.split(' ')], { timeout: timeout - 10_000 });

describe('pnpm bench without a name', () => {
  it('lists the scenarios', async () => {
    const { stdout } = await run('--list');
    expect(stdout).toMatch(/^send +POST \/sms\/send, .* ÷ direct SQL, .*: ≥ 1\.2 ×$/m);
  });

  it(
    'measures scenarios, prints a table and writes the results',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'gangan-suite-'));
      try {
        const file = join(folder, 'results.json');
        const { stdout } = await run(
          `--only send-postgres,send-latency-postgres --seconds 1 --rounds 1 --warm-up 100 --out ${file}`,
        );
        expect(stdout).toMatch(/64 connections, 50 organisations +[\d.,]+ req\/s +direct SQL, .* ≥ 0\.95 ×/);
        const results = JSON.parse(await readFile(file, 'utf8')) as { outcome: { pairs: object[] } }[];
        expect(results.map(({ outcome }) => outcome.pairs.length)).toEqual([1, 1]);
      } finally {
        await rm(folder, { recursive: true });
      }
    },
    timeout,
  );
});
