import { readFile } from 'node:fs/promises';
import { sql } from '@gangan/database';
import { describe, expect, it } from '@jest/globals';
import { inventory } from '@gangan/management';
import { AdminFixture } from '../support/admin-fixture.js';

describe('the inventory of personal data', () => {
  const fixture = AdminFixture.use();

  it('lists every column that can hold text, JSON or bytes', async () => {
    const stored = await fixture.database.query<{ column: string }>(sql`
      SELECT table_name || '.' || column_name AS column FROM information_schema.columns
      WHERE table_schema = 'public' AND udt_name ~ '^_?(text|varchar|bpchar|jsonb?|bytea)$'`);
    const decided = Object.entries(inventory).flatMap(([table, { personal = [], other = [] }]) =>
      [...personal, ...other].map((column) => `${table}.${column}`),
    );
    expect(decided.toSorted()).toEqual(stored.map(({ column }) => column).toSorted());
  });

  it('has a treatment for every table with personal columns, and the page says which', async () => {
    const page = await readFile(
      new URL('../../../../docs/operate/personal-data.md', import.meta.url),
      'utf8',
    );
    const rows = page.split('\n').filter((line) => line.startsWith('| '));
    for (const [table, { treatment, personal }] of Object.entries(inventory)) {
      expect([table, treatment === 'none']).toEqual([table, personal === undefined]);
      if (treatment === 'none') continue;
      const row = rows.find((line) => line.split('|')[1]?.includes(`\`${table}\``)) ?? '';
      expect([
        table,
        row
          .split('|')[4]
          ?.trim()
          .split(/[ :,;]/, 1)[0],
      ]).toEqual([table, treatment]);
    }
  });
});
