import { stringify } from 'csv-stringify/sync';

const chunkLength = 131_072;

export const formatLine = (cells: string[]): string =>
  stringify([cells], {
    record_delimiter: '\r\n',
    quoted_match: /[\r\n]/,
    // Without quotes a single empty cell would be an empty line, which an import skips.
    quoted_empty: cells.length === 1,
  });

/** Joins lines to chunks that are slightly longer than `chunkLength`. */
export function toChunks(lines: Iterable<string>): string[] {
  const chunks: string[] = [];
  let chunk = '';
  for (const line of lines) {
    chunk += line;
    if (chunk.length < chunkLength) continue;
    chunks.push(chunk);
    chunk = '';
  }
  return chunk === '' ? chunks : [...chunks, chunk];
}
