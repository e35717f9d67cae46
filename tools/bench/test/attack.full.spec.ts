import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const script = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const some =
  'ordinary-sends,field-names,webhook-numbers,unknown-paths,slow-uploads,idle-connections,large-webhooks,dead-hosts';

describe('pnpm bench attack', () => {
  it('measures what hostile requests cost, and compares another organisation with and without them', async () => {
    const args = ['attack', '--only', some, ...'--seconds 0.5 --rounds 1 --size 0.02'.split(' ')];
    const { stdout } = await promisify(execFile)(process.execPath, [script, ...args]);
    expect(stdout).toMatch(
      /1,400 unknown fields: processor time of gateway [\d.]+ ms → [\d.]+ ms .*answered \d+ × 200 → \d+ × 400\n/,
    );
    expect(stdout).toMatch(/webhooks \+1 0xx: .*answered \d+ × 200 → \d+ × 200\n/);
    expect(stdout).toMatch(/unknown paths: .*answered \d+ × 401 → \d+ × 404\n/);
    expect(stdout).toMatch(/unknown paths: requests p99 [\d.]+ → [\d.]+ ms.*the attacker got \d+ × 404\n/);
    expect(stdout).toMatch(/slow uploads: .*the attacker got (\d+ × 429|\d+ × open)/);
    expect(stdout).toMatch(/idle connections: .*the attacker got 100 × open\n/);
    expect(stdout).toMatch(/3 MiB webhooks: .*gateway \d+ → \d+ MB/);
    expect(stdout).toMatch(/dead callback hosts: .*2000 × cleared/);
    expect(stdout).toMatch(
      /\| unknown paths +\| gateway +\| [\d.]+ ms +\| [\d.]+ ms +\| [\d.]+ × +\| 3 × +\|\n/,
    );
    expect(stdout).toMatch(/\| dead callback hosts +\| [\d.]+ ms +\| [\d.]+ ms +\| [\d.]+ ×/);
    expect(stdout).toMatch(/ordinary sends: requests p99 .*the attacker got \d+ × 200\n/);
    expect(stdout).not.toMatch(/ordinary sends: processor time/);
  });
});
