import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RejectedLines } from './rejected-lines.js';

describe('bad lines', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gangan-rejected-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const told: string[] = [];
  const add = (lines: RejectedLines, from: number, to: number) => {
    for (let line = from; line <= to; line += 1)
      lines.add(line, 'the second column, the operator, is missing');
  };

  it('are told when they are few, and leave no file', async () => {
    const lines = new RejectedLines(join(folder, 'few.csv'), (line) => told.push(line));
    add(lines, 1, 100);
    await lines.flush(false);
    expect(told).toHaveLength(100);
    await expect(readFile(lines.path)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('are all in a file when they are many, also those of a run that was cut off', async () => {
    told.length = 0;
    const path = join(folder, 'many.csv');
    const lines = new RejectedLines(path, (line) => told.push(line));
    add(lines, 1, 60);
    await lines.flush(false);
    add(lines, 61, 150);
    await lines.flush(false);
    add(lines, 151, 160);
    await lines.flush(false);
    expect(told).toHaveLength(101);
    expect(told.at(-1)).toContain(path);
    const resumed = new RejectedLines(path, () => undefined);
    add(resumed, 161, 300);
    await resumed.flush(true);
    const [heading, ...rows] = (await readFile(path, 'utf8')).trimEnd().split('\n');
    expect(heading).toBe('line,reason');
    expect(rows.map((row) => Number(row.split(',')[0]))).toEqual(
      Array.from({ length: 300 }, (_, n) => n + 1),
    );
    expect(rows[0]).toBe('1,"the second column, the operator, is missing"');
  });
});
