import { command, type Sql, sql, statement, t } from '@gangan/database';
import { type Scope, scopeSamples } from '../search/scope.js';
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

const deleteRows = command(
  (scope: Scope, ids: readonly string[]) => sql`
    DELETE FROM contact_row AS own WHERE ${inContactTable(scope)} AND id = ANY (${ids}::uuid[])
      AND ${anyOf(isPerson)(scope)}`,
  scopeSamples,
);

const clearCells = command(
  (scope: Scope, ids: readonly string[]) => sql`
    UPDATE contact_row AS own SET cells = cells - ${columnsWith(scope)}, matched = matched - ${columnsWith(scope)},
      updated_at = now()
    WHERE ${inContactTable(scope)} AND id = ANY (${ids}::uuid[]) AND ${columnsWith(scope)} <> '{}'`,
);

/** A row whose phone number it is is deleted. In other rows, the cells that contain the number are emptied. */
export const contactRows: Source = {
  table: 'contact_row',
  limit: 2_000,
  find: findIn('contact_row', {
    where: inContactTable,
    hit: anyOf(
      (
        scope,
      ) => sql`CASE WHEN cells::text ~ ${scope.patterns.digits} OR strpos(matched::text, ${scope.phone}) > 0
        THEN ${isPerson(scope)} OR ${columnsWith(scope)} <> '{}' ELSE false END`,
    ),
  }),
  erase: async (transaction, scope, ids) => {
    const deleted = await transaction.run(deleteRows, scope, ids);
    return scope.phone === null ? deleted : deleted + (await transaction.run(clearCells, scope, ids));
  },
};

export const findSmartlists = statement(
  { organisationId: t.uuid, name: t.text },
  (scope: Scope, organisationIds: readonly string[]) => sql`
    SELECT (SELECT organisation_id FROM contact_table WHERE id = table_id) AS "organisationId", name FROM smartlist
    WHERE table_id = ANY (ARRAY(SELECT id FROM contact_table WHERE organisation_id = ANY (${organisationIds}::uuid[])))
      AND ${inText('filters::text')(scope)} ORDER BY 1, 2`,
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
