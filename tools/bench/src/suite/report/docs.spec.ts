import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { scenarios } from '../parts.js';
import { renderDocs, replaceResults, type Stored } from './docs.js';

const read = (name: string): Promise<string> =>
  readFile(new URL(`../../../../../docs/${name}`, import.meta.url), 'utf8');

describe('docs/inside/performance.md', () => {
  it('shows the stored results and the current bars; pnpm bench --docs updates it', async () => {
    const stored = JSON.parse(await read('inside/performance.json')) as Stored;
    const page = await read('inside/performance.md');
    expect(replaceResults(page, renderDocs(scenarios, stored))).toBe(page);
  });
});
