import type { ContactFilter, ContactPageQuery, ContactSort } from '@gangan/contracts';
import { sql } from '@gangan/database';
import { newContext } from '@gangan/protocol';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestContacts } from './support/test-contacts.js';

describe('sorting by a column', () => {
  let contacts: TestContacts;
  beforeAll(async () => {
    contacts = await TestContacts.open();
  });
  afterAll(() => contacts.close());

  it('accepts 100,000 rows that match filters, and rejects one more', async () => {
    const organisationId = await contacts.organisation();
    await contacts.tables.addColumn({ name: 'Size', type: 'NUMBER' }, newContext({ organisationId }));
    const { id: tableId, columns } = await contacts.table(organisationId);
    const size = columns.find(({ name }) => name === 'Size')?.id ?? '';
    // The sizes are 0 to 99,999, in another order than the rows.
    const add = (from: number, to: number) =>
      contacts.database.execute(sql`
        INSERT INTO contact_row (table_id, id, cells)
        SELECT ${tableId}::uuid, uuidv7(), jsonb_build_object(${size}::text, ((nth * 77777) % 100000)::text)
        FROM generate_series(${from}::bigint, ${to}::bigint) AS nth`);
    await add(0, 99_999);
    const filters: ContactFilter[] = [{ name: 'Size', operator: 'is_not_empty' }];
    const sort: ContactSort = { name: 'Size', order: 'desc' };
    const ask = (page: ContactPageQuery) =>
      contacts.queries.query({ rows: { sort, filters }, page }, newContext({ organisationId }));
    const { rows, meta } = await ask({ per_page: 3, page: 20_000 });
    expect(rows.map((row) => row.columns[size])).toEqual(['40002', '40001', '40000']);
    const { query_id, count_total } = meta.pagination;
    expect(count_total).toBe(100_000);
    const next = await ask({ query_id, page: 20_001 });
    expect(next.rows.map((row) => row.columns[size])).toEqual(['39999', '39998', '39997']);
    await add(100_000, 100_000);
    await expect(ask({})).rejects.toMatchObject({ fields: [{ field: 'sort', type: 'too_long' }] });
  });
});
