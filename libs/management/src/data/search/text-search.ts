import { Prisma, type Sql, sql } from '@gangan/database';
import { inBytesOf } from './number-pattern.js';
import type { Scope } from './scope.js';

/** Which rows have the number in one of these places; without a number, every row. */
export const anyOf =
  (...places: readonly ((scope: Scope) => Sql)[]) =>
  (scope: Scope): Sql =>
    scope.phone === null
      ? sql`true`
      : sql`(${Prisma.join(
          places.map((place) => place(scope)),
          ' OR ',
        )})`;

const contains = (text: Sql, digits: string, pattern: string): Sql =>
  sql`CASE WHEN ${text} ~ ${digits} THEN ${text} ~ ${pattern} ELSE false END`;

export const inText =
  (text: string) =>
  ({ patterns }: Scope): Sql =>
    contains(Prisma.raw(text), patterns.digits, patterns.text);

/** A backslash is written as two, other bytes as their octal number. */
const escaped = String.raw`\\(?:\\|[0-7]{3})`;

/** Bytes as text, with a space for each byte that is not ASCII. Unlike `convert_from`, it accepts any bytes. */
export const inBytes =
  (bytes: string) =>
  ({ patterns }: Scope): Sql => {
    const text = sql`regexp_replace(encode(${Prisma.raw(bytes)}, 'escape'), ${escaped}, ' ', 'g')`;
    return contains(text, inBytesOf(patterns.digits), inBytesOf(patterns.text));
  };

/** The parts of a file end with a line. @param part their table, and their column for the row */
export const inFile = (part: string) => {
  const [table = '', column = ''] = part.split('.');
  return (scope: Scope): Sql =>
    sql`EXISTS (SELECT FROM ${Prisma.raw(table)} AS part
      WHERE part.${Prisma.raw(column)} = own.id AND ${inBytes('part.data')(scope)})`;
};
