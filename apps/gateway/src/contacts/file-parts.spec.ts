import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { type FilePart, partBytes, partsOf } from './file-parts.js';

async function read(chunks: readonly Buffer[], maxPartAgeMs: number): Promise<FilePart[]> {
  const parts: FilePart[] = [];
  for await (const part of partsOf(Readable.from(chunks), maxPartAgeMs)) parts.push(part);
  return parts;
}

const text = `${'é'.repeat(partBytes / 2)}é one é two é three`;
const bytes = Buffer.from(text);
/** Each of the last two begins within a character. */
const chunks = [0, 1_000, partBytes + 1, partBytes + 8].map((from, index, all) =>
  bytes.subarray(from, all[index + 1] ?? bytes.length),
);

describe('the parts of a file', () => {
  it('are full if the file arrives fast', async () => {
    const parts = await read(chunks, 60_000);
    expect(parts.map(({ begins }) => begins)).toEqual([0, partBytes]);
    expect(parts.map((part) => part.text).join('')).toBe(text);
  });

  it('are sent before they are full if the file arrives slowly, except the first, which contains the header line', async () => {
    const parts = await read(chunks, 0);
    expect(parts.map(({ begins }) => begins)).toEqual([0, partBytes, partBytes + 7, bytes.length]);
    expect(parts.map((part) => part.text).join('')).toBe(text);
    expect(parts.map(({ last }) => last)).toEqual([false, false, false, true]);
  });
});
