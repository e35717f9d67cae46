import { Prisma, type Sql, sql, type Statements } from '@gangan/database';
import type { Row } from '../rows/row.js';

/** What is read and written together: at most so many rows, of about so many bytes. */
export interface Portion {
  readonly rows: number;
  readonly bytes: number;
}

/** A row may have two megabytes: of those it is known only afterwards, so few are asked for at once. */
const fewest = 5;
const most = 20;

/** The first rows of a query, as many as a portion holds, and whether those were all of them. */
export async function readPortion(
  transaction: Statements,
  query: Sql,
  portion: Portion,
): Promise<{ rows: Row[]; ended: boolean }> {
  await transaction.execute(sql`DECLARE portion NO SCROLL CURSOR FOR ${query}`);
  const rows: Row[] = [];
  let bytes = 0;
  for (let step = fewest; rows.length < portion.rows && bytes < portion.bytes; step = most) {
    const wanted = Math.min(step, portion.rows - rows.length);
    const fetched = await transaction.query<Row>(sql`FETCH ${Prisma.raw(String(wanted))} FROM portion`);
    rows.push(...fetched);
    bytes += fetched.reduce((sum, { cells }) => sum + bytesOf(cells), 0);
    if (fetched.length < wanted) return { rows, ended: true };
  }
  return { rows, ended: false };
}

const bytesOf = (cells: Row['cells']): number =>
  Object.values(cells).reduce((sum, cell) => sum + Buffer.byteLength(cell), 0);
