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

  const printed: string[] = [];
  const add = (lines: RejectedLines, from: number, to: number) => {
    for (let line = from; line <= to; line += 1)
      lines.add(line, 'the second column, the operator, is missing');
  };
  const listed = async (path: string): Promise<number[]> => {
    const [heading, ...rows] = (await readFile(path, 'utf8')).trimEnd().split('\n');
    expect(heading).toBe('line,reason');
    return rows.map((row) => Number(row.split(',')[0]));
  };

  it('create no file if there are none', async () => {
    const lines = new RejectedLines(join(folder, 'none.csv'), (line) => printed.push(line));
    await lines.flush();
    await expect(readFile(lines.path)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(printed).toEqual([]);
  });

  it('are all written to a file, and the first hundred are printed', async () => {
    const lines = new RejectedLines(join(folder, 'many.csv'), (line) => printed.push(line));
    add(lines, 1, 60);
    await lines.flush();
    expect(await listed(lines.path)).toHaveLength(60);
    add(lines, 61, 150);
    await lines.flush();
    await lines.flush();
    expect(await listed(lines.path)).toEqual(Array.from({ length: 150 }, (_, n) => n + 1));
    expect(printed.filter((line) => line.startsWith('line '))).toHaveLength(100);
    expect(printed).toContain(`All bad lines are listed in ${lines.path}`);
  });

  it('replace those of an earlier run', async () => {
    const lines = new RejectedLines(join(folder, 'many.csv'), () => undefined);
    add(lines, 7, 8);
    await lines.flush();
    expect(await listed(lines.path)).toEqual([7, 8]);
  });
});
