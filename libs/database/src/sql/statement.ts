import { Prisma } from '../generated/client.js';
import type { Column } from './columns.js';

export type Sql = Prisma.Sql;

/** Writes SQL: sql`… ${value} …`. A value is always a parameter; a `Sql` inside another is spliced in. */
export const sql = Prisma.sql;

export type Shape = Readonly<Record<string, Column<unknown>>>;

type Row<S extends Shape> = { readonly [Name in keyof S]: S[Name] extends Column<infer T> ? T : never };

/** `organisation_id` for `organisationId`. */
export const columnName = (property: string): string =>
  property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The names of the columns of a shape, for an INSERT. */
export const columnNames = (shape: Shape): Sql => Prisma.raw(Object.keys(shape).map(columnName).join(', '));

/**
 * The select list of a shape that several statements share: sql`SELECT ${columnsOf(messageShape)} FROM message`. Each column
 * has the name of its property in snake case, or is what `t.from` says.
 * @param table before the names of columns
 */
export function columnsOf(shape: Shape, table?: string): Sql {
  const prefix = table === undefined ? '' : `${table}.`;
  const columns = Object.entries(shape).map(([property, { from = columnName(property) }]) => {
    const source = typeof from === 'string' ? Prisma.raw(prefix + from) : from;
    return sql`${source} AS ${Prisma.raw(`"${property}"`)}`;
  });
  return Prisma.join(columns, ', ');
}

export interface StatementOptions<Args extends readonly unknown[]> {
  /**
   * Arguments with which the test builds the statement, one list for each variant. Needed where the builder branches
   * on an argument, or uses one as SQL; otherwise a placeholder stands for every argument.
   */
  readonly samples?: readonly Args[];
}

interface Declaration<Args extends readonly unknown[]> extends StatementOptions<Args> {
  readonly build: (...args: Args) => Sql;
}

export interface Statement<Args extends readonly unknown[], S extends Shape> extends Declaration<Args> {
  readonly shape: S;
}

/** A statement of which only the number of changed rows matters. */
export interface Command<Args extends readonly unknown[]> extends Declaration<Args> {
  readonly shape?: undefined;
}

/** The type of one row: `type DueRow = RowOf<typeof findDue>`. */
export type RowOf<T extends { readonly shape: Shape }> = Row<T['shape']>;

/** What `describeStatements` (libs/testing) checks. */
export interface DeclaredStatement {
  readonly shape?: Shape | undefined;
  readonly build: (...args: never) => Sql;
  readonly samples?: readonly (readonly unknown[])[];
  /** The stack of this error shows where the statement was declared. */
  readonly declared: Error;
}

const declarations: DeclaredStatement[] = [];

export const declaredStatements = (): readonly DeclaredStatement[] => declarations;

/**
 * Declares a statement that returns rows. The shape names its columns; the type of a row is inferred from it. The
 * builder is a pure function of its arguments.
 *
 * Declare statements as constants of a module, never inside a function: each is registered, and the project's
 * `test/statements.spec.ts` compares the columns that Postgres reports for it with the shape.
 *
 * @example
 * const findDue = statement(
 *   { id: uuid, attempt: int, callbackUrl: nullable(text) },
 *   (limit: number) => sql`
 *     SELECT id, attempt, callback_url AS "callbackUrl" FROM callback
 *     WHERE next_attempt_at <= now() ORDER BY next_attempt_at LIMIT ${limit}`,
 * );
 * type DueCallback = RowOf<typeof findDue>;
 *
 * const due = await database.run(findDue, 10); // DueCallback[]
 */
export function statement<S extends Shape, Args extends readonly unknown[]>(
  shape: S,
  build: (...args: Args) => Sql,
  options: StatementOptions<NoInfer<Args>> = {},
): Statement<Args, S> {
  return declare({ shape, build, ...options }, statement);
}

/** Declares a statement whose rows, if any, do not matter; running it returns how many rows it changed. */
export function command<Args extends readonly unknown[]>(
  build: (...args: Args) => Sql,
  options: StatementOptions<NoInfer<Args>> = {},
): Command<Args> {
  return declare({ build, ...options }, command);
}

function declare<T extends Omit<DeclaredStatement, 'declared'>>(declaration: T, caller: object): T {
  const declared = new Error('declared here');
  Error.captureStackTrace(declared, caller as () => void);
  declarations.push({ ...declaration, declared });
  return declaration;
}
