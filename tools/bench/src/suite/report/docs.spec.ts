import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { renderDocs, type Stored } from './docs.js';
import { replaceResults } from './docs-table.js';
import { parts } from '../scenarios.js';

const read = (name: string): Promise<string> =>
  readFile(new URL(`../../../../../docs/${name}`, import.meta.url), 'utf8');

describe('docs/performance.md', () => {
  it('shows the stored results and the current bars; pnpm bench --docs updates it', async () => {
    const stored = JSON.parse(await read('performance.json')) as Stored;
    const { text, svg } = renderDocs(
      parts.flatMap(({ scenarios }) => scenarios),
      stored,
    );
    const page = await read('performance.md');
    expect(replaceResults(page, text)).toBe(page);
    expect(await read('performance.svg')).toBe(svg);
  });
});
