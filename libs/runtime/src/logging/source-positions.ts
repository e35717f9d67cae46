import { readFileSync } from 'node:fs';
import { CompactSourceMap, type SourceMapFile } from './source-map.js';

/** A position in a file, as in the frames of a stack. */
const positions = /(file:\/\/[^\s()]+\.js):(\d+):(\d+)/g;
/**
 * Maps by file; undefined for files without one. They are kept: an outage causes dozens of different stacks within a
 * second, and the process must answer its requests meanwhile.
 */
const maps = new Map<string, CompactSourceMap | undefined>();

/**
 * Replaces positions in bundled files by positions in the source files, as Node does with --enable-source-maps. That would
 * read all source maps at each start; this reads one when an error is logged.
 */
export const toSourcePositions = (stack: string): string =>
  stack.replace(positions, (position, file: string, line: string, column: string) => {
    const found = mapOf(file)?.find(Number(line) - 1, Number(column) - 1);
    return found ? `${new URL(found.source, file).href}:${found.line + 1}:${found.column + 1}` : position;
  });

function mapOf(file: string): CompactSourceMap | undefined {
  if (!maps.has(file)) maps.set(file, readMap(file));
  return maps.get(file);
}

function readMap(file: string): CompactSourceMap | undefined {
  try {
    return new CompactSourceMap(JSON.parse(readFileSync(new URL(`${file}.map`), 'utf8')) as SourceMapFile);
  } catch {
    return undefined; // It was not bundled.
  }
}
