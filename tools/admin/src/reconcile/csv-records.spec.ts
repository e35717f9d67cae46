import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { csvLine } from '../reports/csv.js';
import { readColumns, readRecords } from './csv-records.js';

async function* inParts(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield await Promise.resolve(text.slice(at, at + size));
}
async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
const recordsOf = (text: string, size = 3, separator = ',') =>
  collect(readRecords(inParts(text, size), separator));

describe('the records of a file', () => {
  it('are read in the same way for any chunks of the file', async () => {
    const cell = fc.stringMatching(/^[a-z",; \n]{0,6}$/);
    const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 1, max: 9 }), async (given, size) => {
        const records = await recordsOf(given.map(csvLine).join(''), size);
        const filled = given.filter((cells) => cells.some((text) => text !== ''));
        expect(records.map(({ cells }) => cells)).toEqual(filled);
      }),
    );
  });

  it('have the number of their first line; empty lines and a final line break are optional', async () => {
    expect(await recordsOf('a;"b\nc"\r\n\r\nd;e', 2, ';')).toEqual([
      { line: 1, cells: ['a', 'b\nc'] },
      { line: 4, cells: ['d', 'e'] },
    ]);
  });

  it('have their first line in an editor, after lines of commas and breaks within quotes too', async () => {
    expect(await recordsOf('\n,,\n"a\r\nb",c\n\r\n"",\nd,e\n')).toEqual([
      { line: 3, cells: ['a\r\nb', 'c'] },
      { line: 7, cells: ['d', 'e'] },
    ]);
  });

  it('are found by the names of their columns', async () => {
    const read = (...price: string[]) => {
      const text = '\uFEFFID,Cost,State\n 7 ,1.5,sent\n8\n';
      const columns = { reference: ['number', 'id'], price, status: ['state'], time: ['time'] };
      return collect(readColumns(readRecords(inParts(text, 5), ','), columns, [['reference'], ['price']]));
    };
    expect(await read('amount', 'cost')).toEqual([
      { line: 2, reference: '7', price: '1.5', status: 'sent' },
      { line: 3, reference: '8', price: '', status: '' },
    ]);
    await expect(read('amount')).rejects.toThrow('no column amount. Its columns are ID, Cost, State.');
  });

  it('are refused if a quote is not closed', async () => {
    await expect(recordsOf('a\n\nb,"c\nd')).rejects.toThrow('A quote on line 3 or later is not closed.');
    await expect(recordsOf(`a\nb,"${'c'.repeat(100_001)}`, 1_000)).rejects.toThrow('Line 2 is too long');
  });
});
