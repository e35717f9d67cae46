import { erasedNumber } from '@gangan/contracts';
import { command, Prisma, type Sql, sql } from '@gangan/database';
import { inventory, type PlainRows, type Treatment } from '../inventory.js';
import { isNumber, type Scope, scopeSamples } from '../search/scope.js';
import { anyOf, inFile, inText } from '../search/text-search.js';
import { findIn, type Finding, type Source } from './source.js';

/** Each may have a large file. */
const fileLimit = 5;
const rowLimit = 500;
/** Rows that are read to find a number in their text. */
const textLimit = 2_000;

export const inOrganisation = ({ organisationId }: Scope): Sql =>
  sql`organisation_id = ${organisationId}::uuid`;

export const inContactTable = ({ organisationId }: Scope): Sql =>
  sql`table_id = (SELECT id FROM contact_table WHERE organisation_id = ${organisationId}::uuid)`;

interface Deleted extends Finding {
  readonly limit?: number;
}

/** A table whose rows are deleted, with those that depend on them. */
export function deletedRows(table: string, { limit = rowLimit, ...finding }: Deleted): Source {
  const { key = 'id' } = finding;
  const remove = command(
    (scope: Scope, ids: readonly string[]) => sql`
      DELETE FROM ${Prisma.raw(table)}
      WHERE ${finding.where(scope)} AND ${Prisma.raw(key)} = ANY (${ids}::${Prisma.raw(key === 'id' ? 'uuid' : 'text')}[])`,
    scopeSamples,
  );
  return {
    table,
    limit,
    find: findIn(table, finding),
    erase: (transaction, scope, ids) => transaction.run(remove, scope, ids),
  };
}

export interface PlainTable {
  readonly table: string;
  readonly treatment: Treatment;
  readonly rows: PlainRows;
  /** The rows of the organisation, and which of them have the number in their file. */
  readonly owned: (scope: Scope) => Sql;
  readonly hit: (scope: Scope) => Sql;
  readonly source: Source;
}

/** The tables of the inventory whose rows are exported and erased as they are. */
export const plainTables: readonly PlainTable[] = Object.entries(inventory).flatMap(
  ([table, { treatment, personal = [], rows }]) => {
    if (!rows) return [];
    const { key, parts = [], ofContacts } = rows;
    const owned = ofContacts ? inContactTable : inOrganisation;
    const texts = personal.map((column) => inText(`${column}::text`));
    const hit = anyOf(...texts, ...parts.map((part) => inFile(part)));
    const finding: Deleted = rows.parts
      ? { limit: fileLimit, where: (scope) => sql`${owned(scope)} AND ended_at IS NOT NULL`, hit }
      : {
          ...(key !== undefined && { key }),
          where: (scope) =>
            scope.phone === null
              ? owned(scope)
              : sql`${owned(scope)} AND ${isNumber(personal[0] ?? '', scope)}`,
        };
    return [{ table, treatment, rows, owned, hit, source: deletedRows(table, finding) }];
  },
);

/** Callbacks about the number, and those about a message to this number alone that mention it. */
export const callbacks = deletedRows('callback', {
  limit: textLimit,
  where: inOrganisation,
  hit: anyOf(
    ({ patterns: { exact } }) => sql`coalesce(coalesce(body::json #>> '{data,recipient}',
      body::json #>> '{data,sender}', body::json #>> '{data,phone}') ~ ${exact}, false)`,
    (scope) => sql`(${inText('body')(scope)} AND EXISTS (
      SELECT FROM message WHERE id = own.resource_id AND recipients <> '{}' AND ${erasedNumber} = ALL (recipients)))`,
  ),
});
