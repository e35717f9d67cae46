import { Prisma, type Sql, sql } from '@gangan/database';
import { inBytesOf, type Scope } from './scope.js';

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

export const inText =
  (text: string) =>
  ({ pattern }: Scope): Sql =>
    sql`coalesce(${Prisma.raw(text)} ~ ${pattern}, false)`;

/** The parts of a file end with a line. */
export const inFile =
  (parts: string, id: string) =>
  ({ pattern }: Scope): Sql =>
    sql`EXISTS (SELECT FROM ${Prisma.raw(parts)} AS part
    WHERE part.${Prisma.raw(id)} = own.id AND encode(part.data, 'escape') ~ ${inBytesOf(pattern)})`;
