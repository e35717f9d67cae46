import { command, Prisma, type Sql, sql } from '@gangan/database';
import { inventory, type PlainRows, type Treatment } from '../inventory.js';
import { noPatterns } from '../search/number-pattern.js';
import { isNumber, type Scope } from '../search/scope.js';
import { anyOf, inFile, inText } from '../search/text-search.js';
import { findIn, type Finding, type Source } from './source.js';

/** Each may have a large file. */
const fileLimit = 5;
const rowLimit = 500;

export const inOrganisation = ({ organisationId }: Scope): Sql =>
  sql`organisation_id = ${organisationId}::uuid`;

export const inContactTable = ({ organisationId }: Scope): Sql =>
  sql`table_id = (SELECT id FROM contact_table WHERE organisation_id = ${organisationId}::uuid)`;

interface Deleted extends Finding {
  readonly limit?: number;
}

/** A table whose rows are deleted, with those that depend on them. */
export function deletedRows(table: string, { limit = rowLimit, ...finding }: Deleted): Source {
  const { key = 'id', type = 'uuid' } = finding;
  const remove = command(
    (organisationId: string, ids: readonly string[]) => sql`
      DELETE FROM ${Prisma.raw(table)} WHERE ${finding.where({ organisationId, phone: null, patterns: noPatterns })}
        AND ${Prisma.raw(key)} = ANY (${ids}::${Prisma.raw(type)}[])`,
    { samples: [['00000000-0000-0000-0000-000000000000', []]] },
  );
  return {
    table,
    limit,
    find: findIn(table, finding),
    erase: (transaction, { organisationId }, ids) => transaction.run(remove, organisationId, ids),
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
          ...(key !== undefined && { key, type: 'text' }),
          where: (scope) =>
            scope.phone === null
              ? owned(scope)
              : sql`${owned(scope)} AND ${isNumber(personal[0] ?? '', scope)}`,
        };
    return [{ table, treatment, rows, owned, hit, source: deletedRows(table, finding) }];
  },
);
