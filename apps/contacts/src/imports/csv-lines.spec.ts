import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Line, readLines, maxLineLength } from './csv-lines.js';

const start = { bytes: 0, line: 0 };

async function* cut(file: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  let at = 0;
  for (let part = 0; at < file.length; part += 1) {
    const size = sizes[part % sizes.length] ?? 1;
    await Promise.resolve();
    yield file.subarray(at, at + size);
    at += size;
  }
}

async function read(file: Buffer, sizes: readonly number[], from = start): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const some of readLines(cut(file.subarray(from.bytes), sizes), ',', from)) lines.push(...some);
  return lines;
}

const written = (lines: readonly (readonly string[])[], lineBreak: string): Buffer =>
  Buffer.from(
    lines.map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')).join(lineBreak),
  );

const cell = fc.string({
  unit: fc.constantFrom('a', 'é', '漢', '🙂', '"', ',', '\n', '\r\n', '\r', ' ', ';'),
});
const file = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 12 });
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });

describe('the lines of a file', () => {
  it('are the same for any parts of the file and any line to continue from', async () => {
    await fc.assert(
      fc.asyncProperty(
        file,
        sizes,
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.nat(),
        async (cells, parts, lineBreak, at) => {
          const bytes = written(cells, lineBreak);
          const whole = await read(bytes, [bytes.length]);
          expect(whole.map((line) => line.cells)).toEqual(cells);
          expect(whole.map(({ raw }) => raw.toString())).toEqual(
            cells.map((line) => written([line], '').toString()),
          );
          expect(await read(bytes, parts)).toEqual(whole);
          const index = at % whole.length;
          expect(await read(bytes, parts, whole[index]?.end)).toEqual(whole.slice(index + 1));
          expect(whole.at(-1)?.end.bytes).toBe(bytes.length);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('are numbered as in an editor', async () => {
    const lines = await read(Buffer.from('a\r\n\r\n"b\r\nb\nb"\r\n\nc\n""\n'), [3]);
    expect(lines.map(({ number, cells }) => [number, ...cells])).toEqual([
      [1, 'a'],
      [3, 'b\r\nb\nb'],
      [7, 'c'],
      [8, ''],
    ]);
  });

  it('are kept as they are in the file, without the line breaks around them', async () => {
    const file = Buffer.from('\n\na , b\r\n\r\n"x\n""y",5" tube\r\r=1 é🙂,\n \nlast');
    for (const size of [1, 2, 3, 1_000])
      expect((await read(file, [size])).map(({ raw }) => raw.toString())).toEqual([
        'a , b',
        '"x\n""y",5" tube',
        '=1 é🙂,',
        ' ',
        'last',
      ]);
  });

  it('may have different line ends, and quotes inside unquoted cells', async () => {
    const lines = await read(Buffer.from('a,b\r\n5" tube,"x"y\nc,d\re,f'), [1_000]);
    expect(lines.map(({ cells }) => cells)).toEqual([
      ['a', 'b'],
      ['5" tube', '"x"y'],
      ['c', 'd'],
      ['e', 'f'],
    ]);
  });

  it('precede the error about an unclosed quote', async () => {
    const seen: string[][] = [];
    const reading = async () => {
      for await (const some of readLines(cut(Buffer.from('a\nb\n"c\nd\n'), [3]), ',', start))
        seen.push(...some.map(({ cells }) => [...cells]));
    };
    await expect(reading()).rejects.toThrow('A quote that opens on line 3 or later is not closed');
    expect(seen).toEqual([['a'], ['b']]);
  });

  it.each(['\n', '\r\n', '\r'])('may be separated by any number of empty lines ending in %j', async (end) => {
    const bytes = Buffer.from(`a\n${end.repeat(3 * maxLineLength)}b\n${end.repeat(3 * maxLineLength)}`);
    const lines = await read(bytes, [65_536]);
    expect(lines.map(({ number, cells }) => [number, ...cells])).toEqual([
      [1, 'a'],
      [3 * maxLineLength + 2, 'b'],
    ]);
  });

  it('are refused if one after empty lines is too long', async () => {
    const bytes = Buffer.from(`a\n${'\n'.repeat(9 * maxLineLength)}"${'x'.repeat(3 * maxLineLength)}`);
    await expect(read(bytes, [65_536])).rejects.toThrow(`Line ${9 * maxLineLength + 2} is longer than`);
  });

  it.each([',', 'x', '"'])('are refused if one repeats %j without end', async (text) => {
    const endless = Buffer.from(`a\n"${text.repeat(3 * maxLineLength)}`);
    const commas = Buffer.from(`a\n${text.repeat(3 * maxLineLength)}`);
    for (const bytes of [endless, commas]) {
      await expect(read(bytes, [65_536])).rejects.toThrow('Line 2 is longer than');
    }
  });
});
