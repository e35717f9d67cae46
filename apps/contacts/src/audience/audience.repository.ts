import { type CellAlphabet, cellAlphabets, gsmPatterns } from '@gangan/contracts';
import { Database, int, sql, statement, type Statements } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import type { Filter } from '../filters/filter.js';
import {
  type Count,
  countRows,
  findRows,
  matchesAll,
  hasTerms,
  preparePath,
  sampleFilters,
} from '../query/row-search.js';
import type { Row } from '../rows/row.js';
import { inSnapshot, readOnly } from '../transactions.js';
import type { Audience } from './audience.js';

/** Bounds of all cells of a column. */
export interface ColumnBounds {
  readonly longest: number;
  readonly alphabet: CellAlphabet;
  readonly links: number;
}

export interface Survey {
  readonly snapshot: string;
  readonly count: Count;
  /** Of the requested columns, in their order. Empty if the audience is too large. */
  readonly columns: readonly ColumnBounds[];
}

@Injectable()
export class AudienceRepository {
  constructor(private readonly database: Database) {}

  /** Count and bounds are of one moment, the snapshot. */
  survey(
    tableId: string,
    filters: readonly Filter[],
    columnIds: readonly string[],
    maxRows: number,
  ): Promise<Survey> {
    return readOnly(
      inSnapshot(this.database, async (transaction, snapshot) => {
        const count = await countRows(transaction, tableId, filters);
        const measurable = !count.bounded && count.total <= maxRows && columnIds.length > 0;
        const columns = measurable ? await measure(transaction, tableId, filters, columnIds) : [];
        return { snapshot, count, columns };
      }),
    );
  }

  rows(
    tableId: string,
    { filters, snapshot, rare }: Audience,
    after: string | undefined,
    limit: number,
  ): Promise<Row[]> {
    const range = { after, upTo: undefined, skip: 0, limit, rare };
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
  filters: readonly Filter[],
  columnIds: readonly string[],
): Promise<ColumnBounds[]> {
  await preparePath(transaction, hasTerms(filters));
  const rows = await transaction.run(measureColumns, tableId, filters, columnIds);
  return columnIds.map((_, position) => {
    const { longest = 0, alphabet = 0, links = 0 } = rows.find((row) => row.position === position) ?? {};
    return { longest, alphabet: cellAlphabets[alphabet] ?? 'astral', links };
  });
}

const astral = '[\\U00010000-\\U0010FFFF]';

/** `alphabet` is an index of `cellAlphabets`. Columns without cells are left out. */
const measureColumns = statement(
  { position: int, longest: int, alphabet: int, links: int },
  (tableId: string, filters: readonly Filter[], columnIds: readonly string[]) => sql`
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
