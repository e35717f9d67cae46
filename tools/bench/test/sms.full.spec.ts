import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const script = fileURLToPath(new URL('../dist/main.js', import.meta.url));

describe('pnpm bench sms', () => {
  it('measures messages both ways, checks the ledger, and measures the delay by a backlog', async () => {
    const args =
      'sms --seconds 0.3 --rounds 1 --connections 8 --recipients 1,60 --organisations 1,5 --backlog 200'.split(
        ' ',
      );
    const { stdout } = await promisify(execFile)(process.execPath, [script, ...args]);
    expect(stdout).toMatch(
      /1 recipient a request, 5 organisations, the system while it delivers +[\d.,]+ +[\d,]+/,
    );
    expect(stdout).toMatch(/60 recipients a request, 1 organisation, direct SQL, no queue +[\d.,]+ +[\d,]+/);
    expect(stdout).toMatch(/60 recipients a request, 5 organisations: [\d.]+ ×/);
    expect(stdout).toMatch(/200 recipients waiting, another sends: its messages leave after \d+ ms/);
  });
});
