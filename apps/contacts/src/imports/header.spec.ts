import { AppError } from '@gangan/protocol';
import { describe, expect, it } from '@jest/globals';
import type { Column } from '../tables/column.js';
import { type HeaderWish, headerOf } from './header.js';

const column = (id: string, name: string): Column => ({ id, name, type: 'TEXT', options: [] });
const columns = [column('id-1', 'Name'), column('id-2', 'E-mail'), column('id-3', '=Total')];

const header = (text: string, wish: Partial<HeaderWish> = {}) =>
  headerOf({ text, whole: true, delimiter: ',', upsert: undefined, ...wish }, columns);

const faults = (text: string, wish: Partial<HeaderWish> = {}): string[] => {
  try {
    header(text, wish);
  } catch (error) {
    if (error instanceof AppError) return error.fields.map(({ field, message }) => `${field}: ${message}`);
  }
  return [];
};

describe('the first line of a file', () => {
  it('names columns by name, whatever the case, or by id', () => {
    expect(header(' name ,ID-2,"\'=total"\nAda,x,y\n')).toEqual({
      columns: ['id-1', 'id-2', 'id-3'],
      upsertColumnId: undefined,
      end: { bytes: 22, line: 1 },
    });
  });

  it('may come after a byte order mark and empty lines, and have another delimiter', () => {
    expect(header('\uFEFF\r\n\r\nName;e-mail\r\nA;b', { delimiter: ';', upsert: 'E-MAIL' })).toEqual({
      columns: ['id-1', 'id-2'],
      upsertColumnId: 'id-2',
      end: { bytes: 20, line: 3 },
    });
  });

  it('is refused with everything that is wrong with it', () => {
    expect(faults('Name,Phone,name,\nx', { upsert: 'E-mail' })).toEqual([
      'header.1: "Phone" is no column of the table: they are Name, E-mail, =Total',
      'header.2: Name is named twice',
      'header.3: "" is no column of the table: they are Name, E-mail, =Total',
      'upsert: upsert must name a column of the file',
    ]);
    expect(faults('Name\nx', { upsert: 'nobody' })).toHaveLength(1);
  });

  it('has to be there, and to end', () => {
    expect(faults('')).toEqual(['body: The file has no first line that names columns']);
    expect(faults('\n\n')).toEqual(['body: The file has no first line that names columns']);
    expect(faults('"Name\nx')).toEqual(['body: The file has a quote in its first line that is not closed']);
    expect(faults('Name', { whole: false })).toEqual(['body: The file has a first line that is too long']);
    expect(faults('Name')).toEqual([]);
  });
});
