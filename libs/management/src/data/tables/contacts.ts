import { command, type Sql, sql, statement, t } from '@gangan/database';
import type { Scope } from '../search/scope.js';
import { anyOf, inText } from '../search/text-search.js';
import { deletedRows, inContactTable } from './deleted-rows.js';
import { findIn, type Source } from './source.js';

/** The number in a column for phone numbers: the row is about the person. The matched value is in E.164. */
export const isPerson = ({ phone }: Scope): Sql => sql`EXISTS (SELECT FROM contact_column AS phones
  WHERE phones.table_id = own.table_id AND phones.type = 'PHONE NUMBER'
    AND coalesce(own.matched ->> phones.id::text, own.cells ->> phones.id::text) = ${phone})`;

/** The columns whose text contains the number. Digits of amounts and dates are no phone number. */
export const columnsWith = (scope: Scope): Sql => sql`ARRAY(
  SELECT cell.key FROM jsonb_each_text(own.cells) AS cell WHERE ${inText('cell.value')(scope)} AND NOT EXISTS (
    SELECT FROM contact_column AS typed WHERE typed.table_id = own.table_id AND typed.id::text = cell.key
      AND typed.type IN ('PHONE NUMBER', 'NUMBER', 'DATE')))`;

const readRows = statement(
  { id: t.uuid, isPerson: t.bool, cells: t.array(t.text) },
  (scope: Scope, ids: readonly string[]) => sql`
    SELECT own.id, ${isPerson(scope)} AS "isPerson", ${columnsWith(scope)} AS cells
    FROM contact_row AS own WHERE ${inContactTable(scope)} AND own.id = ANY (${ids}::uuid[]) FOR UPDATE`,
);

const deleteRows = command(
  (scope: Scope, ids: readonly string[]) =>
    sql`DELETE FROM contact_row WHERE ${inContactTable(scope)} AND id = ANY (${ids}::uuid[])`,
);

const clearCells = command(
  (scope: Scope, id: string, cells: readonly string[]) => sql`
    UPDATE contact_row SET cells = cells - ${cells}::text[], matched = matched - ${cells}::text[], updated_at = now()
    WHERE ${inContactTable(scope)} AND id = ${id}::uuid`,
);

/** A row whose phone number it is is deleted. In other rows, the cells that contain the number are emptied. */
export const contactRows: Source = {
  table: 'contact_row',
  limit: 2_000,
  find: findIn('contact_row', {
    where: inContactTable,
    hit: (scope) =>
      scope.phone === null
        ? sql`true`
        : sql`CASE WHEN cells::text ~ ${scope.patterns.digits} OR strpos(matched::text, ${scope.phone}) > 0
            THEN ${isPerson(scope)} OR ${columnsWith(scope)} <> '{}' ELSE false END`,
  }),
  erase: async (transaction, scope, ids) => {
    if (scope.phone === null) return transaction.run(deleteRows, scope, ids);
    const rows = await transaction.run(readRows, scope, ids);
    const own = rows.filter(({ isPerson }) => isPerson).map(({ id }) => id);
    const others = rows.filter(({ isPerson, cells }) => !isPerson && cells.length > 0);
    for (const { id, cells } of others) await transaction.run(clearCells, scope, id, cells);
    return others.length + (own.length > 0 ? await transaction.run(deleteRows, scope, own) : 0);
  },
};

/** Filters are settings of the organisation: it changes them itself. */
export const findSmartlists = statement(
  { name: t.text },
  (scope: Scope) => sql`
    SELECT name FROM smartlist WHERE ${inContactTable(scope)} AND ${inText('filters::text')(scope)} ORDER BY name`,
);

/** Of an organisation that is erased. The list of all contacts, which every table has, stays. */
export const smartlists = deletedRows('smartlist', {
  where: (scope) => sql`${inContactTable(scope)} AND NOT everyone`,
});

/** Their filters are stored as a digest only, and their pages may end with a number. */
export const contactScrolls = deletedRows('contact_scroll', {
  where: inContactTable,
  hit: anyOf(
    (scope) => sql`EXISTS (SELECT FROM contact_scroll_page AS page
      WHERE page.scroll_id = own.id AND ${inText('page.last_key')(scope)})`,
  ),
});
