import { readdirSync, readFileSync } from 'node:fs';
import { createRequire, SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { CompactSourceMap } from './source-map.js';

describe('a compact source map', () => {
  it('finds the same positions as the source map of Node', () => {
    // rxjs, because it is published with source maps.
    const folder = join(dirname(createRequire(import.meta.url).resolve('rxjs/package.json')), 'dist/cjs');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.js.map'),
    );
    expect(files.length).toBeGreaterThan(100);
    for (const file of files) {
      const payload = JSON.parse(readFileSync(join(folder, file), 'utf8')) as SourceMapPayload;
      const [compact, reference] = [new CompactSourceMap(payload), new SourceMap(payload)];
      const places = payload.mappings
        .split(';')
        .flatMap((_, line) => [0, 1, 7, 40, 1_000].map((column) => [line, column] as const));
      const found = places.map((place) => compact.find(...place));
      expect([file, found]).toEqual([file, places.map((place) => expectedIn(reference, ...place))]);
    }
  });

  /** Node falls back to earlier lines where a line has no mapping. */
  function expectedIn(map: SourceMap, line: number, column: number): object | undefined {
    const entry = map.findEntry(line, column);
    if (!('originalSource' in entry) || entry.generatedLine !== line) return undefined;
    return { source: entry.originalSource, line: entry.originalLine, column: entry.originalColumn };
  }
});
