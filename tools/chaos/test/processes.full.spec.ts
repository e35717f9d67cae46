import { isAlive, until, untilGone } from '@gangan/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The built command, in a folder for temporary files of its own. */
describe('pnpm chaos', () => {
  let temporary: string;
  let command: ChildProcess;
  let output = '';

  beforeEach(() => {
    temporary = mkdtempSync(join(tmpdir(), 'gangan-chaos-test-'));
    // The user of Postgres has to enter it.
    chmodSync(temporary, 0o755);
  });
  afterEach(() => {
    command.kill('SIGKILL');
    rmSync(temporary, { recursive: true });
  });

  const start = (...args: string[]): void => {
    const script = fileURLToPath(new URL('../dist/main.js', import.meta.url));
    const env = { ...process.env, TMPDIR: temporary };
    output = '';
    command = spawn(process.execPath, [script, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [command.stdout, command.stderr])
      stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  };
  /** The ids of the processes that it has started. */
  const pids = (): number[] =>
    readdirSync(temporary, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.pid'))
      .map((path) => Number.parseInt(readFileSync(join(temporary, path), 'utf8')))
      .filter((pid) => pid > 0);
  const details = (): string => output;

  it.each(['SIGINT', 'SIGKILL'] as const)('leaves no process and no folder after %s', async (signal) => {
    start('--seconds', '600', '--rate', '1', '--workers', '1', '--faults', 'stop-process,disk-full');
    const running = await until('the apps run', () => pids().length >= 8 && pids(), {
      details,
    });
    expect(running.every(isAlive)).toBe(true);
    command.kill(signal);
    await untilGone(running);
    await until('the folder is removed', () => readdirSync(temporary).length === 0, {
      details,
    });
  });

  it('explains itself, and rejects what it does not know', async () => {
    start('--faults', 'flood');
    await until('it ends', () => command.exitCode !== null, { details });
    expect(command.exitCode).toBe(2);
    expect(output).toContain('--faults must be one of kill-process');
    expect(existsSync(temporary)).toBe(true);
  });
});
