import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const script = fileURLToPath(new URL('../dist/main.js', import.meta.url));

describe('pnpm bench callbacks', () => {
  it('compares healthy hosts with and without hanging ones', async () => {
    const args = 'callbacks --seconds 1 --rounds 1 --hosts 5 --rate 2'.split(' ');
    const { stdout } = await promisify(execFile)(process.execPath, [script, ...args]);
    expect(stdout).toMatch(
      /round 1\/1: without hanging hosts median [\d.]+ ms, p99 \d+ ms; with them median [\d.]+ ms/,
    );
    expect(stdout).toMatch(/with hanging ones ÷ without: median [\d.]+ ×, p99 [\d.]+ ×/);
  });
});
