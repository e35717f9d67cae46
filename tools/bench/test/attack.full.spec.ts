import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const script = fileURLToPath(new URL('../dist/main.js', import.meta.url));

describe('pnpm bench attack', () => {
  it('makes every attack and compares another organisation with and without it', async () => {
    const args =
      'attack --seconds 0.5 --rounds 1 --rate 5 --attacks 5 --keys 5 --uploads 20 --hosts 50'.split(' ');
    const { stdout } = await promisify(execFile)(process.execPath, [script, ...args]);
    expect(stdout).toMatch(/1 MiB of spaces: requests p99 [\d.]+ → [\d.]+ ms.*the attacker got .*\d × 400/);
    expect(stdout).toMatch(/JSON 100,000 deep: .*\d × 400/);
    expect(stdout).toMatch(/unknown keys: .*\d × 401/);
    expect(stdout).toMatch(/slow uploads: .*the attacker got (\d+ × 429|nothing)/);
    expect(stdout).toMatch(/dead callback hosts: .*50 × cleared/);
    expect(stdout).toMatch(/dead callback hosts +[\d.]+ ms +[\d.]+ ms +[\d.]+ ×/);
  });
});
