import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';

/** A position in a file, as in the frames of a stack. */
const positions = /(file:\/\/[^\s()]+\.js):(\d+):(\d+)/g;
/** By their positions in bundled files; kept, because reading a source map takes up to 50 ms and 20 MB. */
const known = new Map<string, string>();
const maxKnown = 10_000;

/**
 * Replaces positions in bundled files by positions in the source files, as Node does with --enable-source-maps. That would
 * read all source maps at each start; this reads one when an error is logged.
 */
export function toSourcePositions(stack: string): string {
  const maps = new Map<string, SourceMap | undefined>();
  const mapOf = (url: string): SourceMap | undefined => {
    if (!maps.has(url)) maps.set(url, readMap(url));
    return maps.get(url);
  };
  return stack.replace(positions, (position, url: string, line: string, column: string) => {
    let source = known.get(position);
    if (source === undefined) {
      source = sourceOf(mapOf(url), url, Number(line), Number(column)) ?? position;
      if (known.size >= maxKnown) known.clear();
      known.set(position, source);
    }
    return source;
  });
}

function readMap(url: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(new URL(`${url}.map`), 'utf8')) as SourceMapPayload);
  } catch {
    return undefined; // It was not bundled.
  }
}

function sourceOf(map: SourceMap | undefined, url: string, line: number, column: number): string | undefined {
  const entry = map?.findEntry(line - 1, column - 1);
  if (!entry || !('originalSource' in entry)) return undefined;
  const { originalSource, originalLine, originalColumn } = entry;
  return `${new URL(originalSource, url).href}:${originalLine + 1}:${originalColumn + 1}`;
}
