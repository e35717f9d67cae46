import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LogOutput } from './log-output.js';

describe('LogOutput', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gangan-log-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('writes every line in order, and reports when all are written', async () => {
    const file = openSync(join(folder, 'log'), 'w');
    const output = new LogOutput(file);
    const lines = Array.from({ length: 1_000 }, (_, index) => `line ${index} äöü\n`);
    for (const line of lines) output.write(line);
    await output.flush();
    expect(readFileSync(join(folder, 'log'), 'utf8')).toBe(lines.join(''));
    await output.flush();
    closeSync(file);
  });

  it('ignores an output that cannot be written', async () => {
    const file = openSync(join(folder, 'log'), 'r');
    const output = new LogOutput(file);
    output.write('first\n');
    await output.flush();
    output.write('second\n');
    await output.flush();
    closeSync(file);
  });
});
