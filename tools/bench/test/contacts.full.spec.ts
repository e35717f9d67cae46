import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const script = fileURLToPath(new URL('../dist/main.js', import.meta.url));

describe('pnpm bench contacts', () => {
  it('compares queries among many rows and among few', async () => {
    const args = 'contacts --rows 3000 --few 500 --rounds 2'.split(' ');
    const { stdout } = await promisify(execFile)(process.execPath, [script, ...args]);
    expect(stdout).toMatch(/3000 rows and 500; written at \d+ rows\/s; .* of indexes/);
    for (const query of ['first page', 'contain, 10 rows', 'page 30 by query_id', 'lie together'])
      expect(stdout).toMatch(
        new RegExp(`${query}.*: [\\d.]+ ms, [\\d.]+ ms among few: [\\d.]+ × \\(in the worker [\\d.]+ ms`),
      );
  });
});
