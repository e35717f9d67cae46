import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const script = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const some =
  'field-names,webhook-numbers,unknown-paths,slow-uploads,idle-connections,large-webhooks,dead-hosts';

describe('pnpm bench attack', () => {
  it('measures what hostile requests cost, and compares another organisation with and without them', async () => {
    const args = [
      ...['attack', '--only', some, '--seconds', '0.5', '--rounds', '1', '--rate', '5', '--attacks', '5'],
      ...'--anonymous 5 --uploads 20 --connections 20 --webhooks 5 --hosts 50'.split(' '),
    ];
    const { stdout } = await promisify(execFile)(process.execPath, [script, ...args]);
    expect(stdout).toMatch(
      /1,400 unknown fields: processor time of gateway [\d.]+ ms → [\d.]+ ms .*answered \d+ × 200 → \d+ × 200\n/,
    );
    expect(stdout).toMatch(/webhooks \+1 0xx: .*answered \d+ × 200 → \d+ × 200\n/);
    expect(stdout).toMatch(/unknown paths: .*answered \d+ × 401 → \d+ × 404\n/);
    expect(stdout).toMatch(/unknown paths: requests p99 [\d.]+ → [\d.]+ ms.*the attacker got \d+ × 404\n/);
    expect(stdout).toMatch(/slow uploads: .*the attacker got (\d+ × 429|\d+ × open)/);
    expect(stdout).toMatch(/idle connections: .*the attacker got 20 × open\n/);
    expect(stdout).toMatch(/3 MiB webhooks: .*gateway \d+ → \d+ MB/);
    expect(stdout).toMatch(/dead callback hosts: .*50 × cleared/);
    expect(stdout).toMatch(/unknown paths +gateway +[\d.]+ ms +[\d.]+ ms +[\d.]+ × +3 ×\n/);
    expect(stdout).toMatch(/dead callback hosts +[\d.]+ ms +[\d.]+ ms +[\d.]+ ×/);
  });
});
