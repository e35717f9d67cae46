import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const script = fileURLToPath(new URL('../dist/main.js', import.meta.url));

describe('pnpm bench otp', () => {
  it('measures requests and verifications, compared with the direct way', async () => {
    const args = 'otp --seconds 0.5 --rounds 1 --connections 4'.split(' ');
    const { stdout } = await promisify(execFile)(process.execPath, [script, ...args]);
    for (const operation of ['request', 'verify']) {
      for (const way of ['gateway, queue, otp', 'direct SQL, no queue']) {
        expect(stdout).toMatch(new RegExp(`${operation}, 4 at a time, ${way} +\\d+ +[\\d.]+ +[\\d.]+`));
      }
    }
  });
});
