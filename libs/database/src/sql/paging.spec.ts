import { maxId } from '@gangan/protocol';
import { describe, expect, it } from '@jest/globals';
import { idBefore, readPage } from './paging.js';
import { sql } from './statement.js';

describe('a page', () => {
  const ids = ['e', 'd', 'c', 'b', 'a'];
  const read = (limit: number, before = 'z') =>
    readPage(limit, (size) =>
      Promise.resolve(
        ids
          .filter((id) => id < before)
          .slice(0, size)
          .map((id) => ({ id })),
      ),
    );

  it.each([
    [2, undefined, ['e', 'd'], 'd'],
    [2, 'd', ['c', 'b'], 'b'],
    [2, 'b', ['a'], undefined],
    [5, undefined, ids, undefined],
    [2, 'a', [], undefined],
  ])('of %s rows before %s has the right rows and cursor', async (limit, before, shown, next) => {
    expect(await read(limit, before)).toEqual({
      rows: shown.map((id) => ({ id })),
      pagination: { limit, ...(next !== undefined && { next }) },
    });
  });
});

describe('a page of a list that was not read to its end', () => {
  const read = (ids: readonly string[]) =>
    readPage(2, (size) => Promise.resolve(ids.slice(0, size).map((id) => ({ id }))), 'a');

  it('continues after its last row, or after the last row that was read', async () => {
    expect((await read(['d', 'c', 'b'])).pagination).toEqual({ limit: 2, next: 'c' });
    expect((await read(['d', 'c'])).pagination).toEqual({ limit: 2, next: 'a' });
    expect((await read([])).pagination).toEqual({ limit: 2, next: 'a' });
  });
});

describe('the cursor condition', () => {
  it('compares an id with the cursor, or with the largest id', () => {
    expect(idBefore('x')).toMatchObject({ text: 'id < $1::uuid', values: ['x'] });
    expect(idBefore(undefined, sql`change.id`)).toMatchObject({
      text: 'change.id < $1::uuid',
      values: [maxId],
    });
  });
});
