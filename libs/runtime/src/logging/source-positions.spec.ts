import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { toSourcePositions } from './source-positions.js';

describe('positions in a stack', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'gangan-stack-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('are those in the source files, and a source map is read once', () => {
    const bundle = pathToFileURL(join(folder, 'main.js')).href;
    const source = pathToFileURL(join(folder, 'src/main.ts')).href;
    const map = join(folder, 'main.js.map');
    // The first line of the bundle is line 5, the second line 6.
    writeFileSync(map, JSON.stringify({ version: 3, sources: ['src/main.ts'], mappings: 'AAIA;AACA' }));
    expect(toSourcePositions(`at a (${bundle}:1:9)`)).toBe(`at a (${source}:5:1)`);
    // Were it read for every new position, an outage with many different stacks would block the event loop for seconds.
    rmSync(map);
    expect(toSourcePositions(`at b (${bundle}:2:3)`)).toBe(`at b (${source}:6:1)`);
  });

  it('stay as they are in a file without a source map', () => {
    const frame = `at a (${pathToFileURL(join(folder, 'plain.js')).href}:1:9)`;
    expect(toSourcePositions(frame)).toBe(frame);
  });
});
