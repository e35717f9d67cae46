import { type CellAlphabet, cellAlphabets, gsmPatterns } from '@gangan/contracts';
import { Database, sql, type Statements } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import type { Filter } from '../filters/filter.js';
import { atOneMoment } from '../query/moment.js';
import { type Count, countRows, findRows, matchingCells } from '../query/row-search.js';
import { reading } from '../reading.js';
import type { Row } from '../rows/row.js';
import type { Audience } from './audience.js';

/** What is known of all cells of a column. */
export interface Measured {
  readonly longest: number;
  readonly alphabet: CellAlphabet;
  readonly links: number;
}

export interface Moment {
  readonly snapshot: string;
  readonly count: Count;
  /** Of the columns that were asked for, in their order; none where there are more rows than are counted. */
  readonly measured: readonly Measured[];
}

/** What a cell is made of, as the place of its alphabet in the list of them. */
const astral = '[\\U00010000-\\U0010FFFF]';
const alphabetOfCell = sql`
  CASE WHEN cell ~ ${gsmPatterns.basic} THEN 0 WHEN cell ~ ${gsmPatterns.extended} THEN 1 WHEN cell !~ ${astral} THEN 2 ELSE 3 END`;

@Injectable()
export class AudienceRepository {
  constructor(private readonly database: Database) {}

  /** All of it is of one moment. */
  look(
    tableId: string,
    filters: readonly Filter[],
    columnIds: readonly string[],
    most: number,
  ): Promise<Moment> {
    return reading(
      atOneMoment(this.database, async (transaction, snapshot) => {
        const count = await countRows(transaction, tableId, filters);
        const few = !count.bounded && count.total <= most && columnIds.length > 0;
        const measured = few ? await measure(transaction, tableId, filters, columnIds) : [];
        return { snapshot, count, measured };
      }),
    );
  }

  rows(
    tableId: string,
    { filters, snapshot, rare }: Audience,
    after: string | undefined,
    limit: number,
  ): Promise<Row[]> {
    const part = { after, upTo: undefined, skip: 0, limit, rare };
    return reading(
      this.database.transaction((transaction) => findRows(transaction, { tableId, filters, snapshot }, part)),
    );
  }
}

async function measure(
  transaction: Statements,
  tableId: string,
  filters: readonly Filter[],
  columnIds: readonly string[],
): Promise<Measured[]> {
  const rows = await transaction.query<{
    place: number;
    longest: number;
    alphabet: number;
    links: number;
  }>(sql`
    SELECT place, max(char_length(cell)) AS longest, max(${alphabetOfCell}) AS alphabet,
      max(regexp_count(cell, 'https?://', 1, 'i')) AS links
    FROM (${await matchingCells(transaction, tableId, filters)}) AS matching
    CROSS JOIN LATERAL (
      SELECT (place - 1)::int AS place, matching.cells ->> id AS cell
      FROM unnest(${columnIds}::text[]) WITH ORDINALITY AS wanted (id, place)) AS wanted
    WHERE cell IS NOT NULL GROUP BY place`);
  return columnIds.map((_, place) => {
    const { longest = 0, alphabet = 0, links = 0 } = rows.find((row) => row.place === place) ?? {};
    return { longest, alphabet: cellAlphabets[alphabet] ?? 'astral', links };
  });
}
