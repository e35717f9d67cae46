import { AppError } from '@gangan/protocol';
import { describe, expect, it } from '@jest/globals';
import type { Column } from '../tables/table.js';
import { type HeaderInput, parseHeader } from './header.js';

const column = (id: string, name: string): Column => ({ id, name, type: 'TEXT', options: [] });
const columns = [column('id-1', 'Name'), column('id-2', 'E-mail'), column('id-3', '=Total')];

const header = (text: string, input: Partial<HeaderInput> = {}) =>
  parseHeader({ text, complete: true, delimiter: ',', upsert: undefined, ...input }, columns);

const faults = (text: string, input: Partial<HeaderInput> = {}): string[] => {
  try {
    header(text, input);
  } catch (error) {
    if (error instanceof AppError) return error.fields.map(({ field, message }) => `${field}: ${message}`);
  }
  return [];
};

describe('the first line of a file', () => {
  it('names columns by name in any case, or by id', () => {
    expect(header(' name ,ID-2,"\'=total"\nAda,x,y\n')).toEqual({
      columns: ['id-1', 'id-2', 'id-3'],
      upsertColumnId: undefined,
      end: { bytes: 22, line: 1 },
    });
  });

  it('may follow a byte order mark and empty lines, and use another delimiter', () => {
    expect(header('\uFEFF\r\n\r\nName;e-mail\r\nA;b', { delimiter: ';', upsert: 'E-MAIL' })).toEqual({
      columns: ['id-1', 'id-2'],
      upsertColumnId: 'id-2',
      end: { bytes: 20, line: 3 },
    });
  });

  it('is refused with all of its errors', () => {
    expect(faults('Name,Phone,name,\nx', { upsert: 'E-mail' })).toEqual([
      'header.1: "Phone" does not match a column of this table: Name, E-mail, =Total',
      'header.2: Name appears twice',
      'header.3: "" does not match a column of this table: Name, E-mail, =Total',
      'upsert: upsert must be a column of the file',
    ]);
    expect(faults('Name\nx', { upsert: 'Missing' })).toHaveLength(1);
  });

  it('must exist and be complete', () => {
    expect(faults('')).toEqual(['body: The file has no first line with column names']);
    expect(faults('\n\n')).toEqual(['body: The file has no first line with column names']);
    expect(faults('"Name\nx')).toEqual(['body: The file has an unclosed quote in its first line']);
    expect(faults('Name', { complete: false })).toEqual(['body: The file has a first line that is too long']);
    expect(faults('Name')).toEqual([]);
  });
});
