import { Prisma } from '../generated/client.js';
import { type Sql, sql } from './statement.js';

/**
 * A part of a WITH RECURSIVE clause: the distinct keys of rows, in order. It is a loose index scan, which reads one row for
 * each key, however many rows have it. For that, the table needs an index on the columns that are compared with `=`, and
 * then the keys.
 * @param rows a table and its conditions: sql`delivery WHERE state = 'queued'`
 */
export function distinctKeys(
  name: string,
  keys: readonly string[],
  rows: Sql,
  order: 'ASC' | 'DESC' = 'ASC',
): Sql {
  const [columns, last] = [keys.join(', '), keys.map((key) => `${name}.${key}`).join(', ')];
  const next = (condition: string): Sql => sql`(
    SELECT ${Prisma.raw(columns)} FROM ${rows} ${Prisma.raw(condition)}
    ORDER BY ${Prisma.raw(keys.map((key) => `${key} ${order}`).join(', '))} LIMIT 1)`;
  return sql`${Prisma.raw(name)} AS (
    ${next('')} UNION ALL SELECT following.* FROM ${Prisma.raw(name)}
    CROSS JOIN LATERAL ${next(`AND (${columns}) ${order === 'ASC' ? '>' : '<'} (${last})`)} AS following)`;
}
