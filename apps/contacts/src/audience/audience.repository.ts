import { cellAlphabets, gsmPatterns, type SmartlistColumn } from '@gangan/contracts';
import { Database, sql, statement, type Statements, t } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import type { FilterNode } from '../filters/filter.js';
import {
  countRows,
  findRows,
  forceAccessPath,
  hasTerms,
  matchesAll,
  sampleFilters,
} from '../query/row-search.js';
import type { Row } from '../rows/row.js';
import { inSnapshot, readOnly } from '../transactions.js';
import type { Audience, NamedColumn } from './audience.js';

@Injectable()
export class AudienceRepository {
  constructor(private readonly database: Database) {}

  /** Count and bounds of cells are of one moment, the snapshot. Columns of too large an audience are not measured. */
  analyse(tableId: string, filters: readonly FilterNode[], columns: readonly NamedColumn[], maxRows: number) {
    return readOnly(
      inSnapshot(this.database, async (transaction, snapshot) => {
        const count = await countRows(transaction, tableId, filters);
        const measurable = !count.bounded && count.total <= maxRows && columns.length > 0;
        const measured = measurable ? await measure(transaction, tableId, filters, columns) : [];
        return { snapshot, count, measured };
      }),
    );
  }

  rows(tableId: string, audience: Audience, after: string | undefined, limit: number): Promise<Row[]> {
    const { filters, snapshot, rare } = audience;
    const range = { after, limit, rare };
    return readOnly(
      this.database.transaction((transaction) =>
        findRows(transaction, { tableId, filters, snapshot }, range),
      ),
    );
  }
}

async function measure(
  transaction: Statements,
  tableId: string,
  filters: readonly FilterNode[],
  columns: readonly NamedColumn[],
): Promise<SmartlistColumn[]> {
  await transaction.run(forceAccessPath, hasTerms(filters));
  const ids = columns.map(({ id }) => id);
  const rows = await transaction.run(measureColumns, tableId, filters, ids);
  return columns.map(({ name }, position) => {
    const { longest = 0, alphabet = 0, links = 0 } = rows.find((row) => row.position === position) ?? {};
    return { name, longest, alphabet: cellAlphabets[alphabet] ?? 'astral', links };
  });
}

const astral = '[\\U00010000-\\U0010FFFF]';

/** `alphabet` is an index of `cellAlphabets`. Columns without cells are left out. */
const measureColumns = statement(
  { position: t.int, longest: t.int, alphabet: t.int, links: t.int },
  (tableId: string, filters: readonly FilterNode[], columnIds: readonly string[]) => sql`
    SELECT position, max(char_length(cell)) AS longest, max(regexp_count(cell, 'https?://', 1, 'i')) AS links,
      max(CASE WHEN cell ~ ${gsmPatterns.basic} THEN 0 WHEN cell ~ ${gsmPatterns.extended} THEN 1
        WHEN cell !~ ${astral} THEN 2 ELSE 3 END) AS alphabet
    FROM (SELECT cells FROM contact_row WHERE ${matchesAll(tableId, filters)}) AS matching
    CROSS JOIN LATERAL (
      SELECT (position - 1)::int AS position, matching.cells ->> id AS cell
      FROM unnest(${columnIds}::text[]) WITH ORDINALITY AS wanted (id, position)) AS wanted
    WHERE cell IS NOT NULL GROUP BY position`,
  { samples: [['', sampleFilters, []]] },
);
