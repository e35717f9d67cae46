import {
  command,
  type Database,
  Prisma,
  type RetentionKind,
  type Sql,
  sql,
  statement,
  type Statements,
  t,
} from '@gangan/database';

const defaultLimit = 500;

/** The rows of a table that are deleted when they are old. `Config` has the settings of the app. */
export interface OldRows<Config> {
  readonly table: string;
  readonly keptMs: number | ((config: Config) => number);
  /** Set if organisations may keep the rows for less time. */
  readonly kind?: RetentionKind;
  /** The column with the time from which the age of a row is counted; by default, the time of its id. */
  readonly since?: string;
  /** A condition in addition to their age. `kept` has the time limit: `before`, and `before_id` as an id. */
  readonly where?: Sql;
  /** The condition for the rows of `kept.organisation_id`, if the table has no such column. */
  readonly owned?: Sql;
  /** What identifies a row: its only key, or `ctid`. It is `id` by default. */
  readonly key?: string;
  /** How many rows one statement deletes. */
  readonly limit?: number;
  /** How often old rows are looked for; every ten minutes by default. */
  readonly intervalMs?: number;
  /** Set to false if the app may not update the table: Postgres then does not let it lock rows. */
  readonly locks?: boolean;
  /** Assignments that clear old values. The rows are kept. */
  readonly set?: Sql;
  /** Deletes these rows, which are locked, together with rows of other tables. */
  readonly remove?: (transaction: Statements, ids: readonly string[]) => Promise<Removed>;
}

export interface Removed {
  readonly count: number;
  /** Whether there may be more to delete. */
  readonly hasMore: boolean;
}

/** Deletes one portion of the rows that are older than `keptMs`. */
type Removal = (database: Database, keptMs: number) => Promise<Removed>;

/** How long rows are kept. With `owned`, it differs between organisations: `ages` has a row for each of them. */
interface Limits {
  readonly ages: (keptMs: number) => Sql;
  readonly owned?: Sql;
}

/** Declares the statements that delete old rows: of all organisations, and of those that keep them for less time. */
export function removalsOf<Config>(rows: OldRows<Config>): Removal[] {
  const { kind, owned = sql`organisation_id = kept.organisation_id` } = rows;
  const ages = (keptMs: number): Sql => sql`SELECT ${keptMs}::float8 * interval '1 ms' AS age`;
  const shorterAges = (keptMs: number): Sql => sql`
    SELECT organisation_id, days * interval '1 day' AS age FROM organisation_retention
    WHERE kind = ${kind}::retention_kind AND days * interval '1 day' < ${keptMs}::float8 * interval '1 ms'`;
  return [removal(rows, { ages }), ...(kind ? [removal(rows, { ages: shorterAges, owned })] : [])];
}

function removal<Config>(rows: OldRows<Config>, limits: Limits): Removal {
  const { table, key = 'id', limit = defaultLimit, set, remove } = rows;
  const selectOld = (keptMs: number): Sql => oldRows(rows, limits, keptMs, limit);
  if (remove) {
    const lockOld = statement({ id: t.uuid }, selectOld);
    return (database, keptMs) =>
      database.transaction(async (transaction) => {
        const ids = (await transaction.run(lockOld, keptMs)).map(({ id }) => id);
        if (ids.length === 0) return { count: 0, hasMore: false };
        const { count, hasMore } = await remove(transaction, ids);
        return { count, hasMore: hasMore || ids.length === limit };
      });
  }
  const action = set ? sql`UPDATE ${Prisma.raw(table)} SET ${set}` : sql`DELETE FROM ${Prisma.raw(table)}`;
  // The rows are chosen once, as an array: a subquery could run again for each row and choose others.
  const removeOld = command(
    (keptMs: number) => sql`${action} WHERE ${Prisma.raw(key)} = ANY (ARRAY(${selectOld(keptMs)}))`,
  );
  return async (database, keptMs) => {
    const count = await database.run(removeOld, keptMs);
    return { count, hasMore: count === limit };
  };
}

/** Selects and locks the oldest rows, except those that are locked. An index finds them by their age, or by owner and id. */
function oldRows<Config>(
  { table, key = 'id', since, where, locks = true }: OldRows<Config>,
  { ages, owned }: Limits,
  keptMs: number,
  limit: number,
): Sql {
  const time = since === undefined ? undefined : Prisma.raw(since);
  const lock = locks ? sql`FOR UPDATE SKIP LOCKED` : Prisma.empty;
  const conditions = [
    ...(owned ? [owned] : []),
    ...(owned || !time ? [sql`id < kept.before_id`] : []),
    ...(time ? [sql`${time} < kept.before`] : []),
    ...(where ? [where] : []),
  ];
  return sql`
    SELECT found.${Prisma.raw(key)} FROM (
      SELECT *, uuidv7(-age) AS before_id, now() - age AS before FROM (${ages(keptMs)}) AS ages) AS kept
    CROSS JOIN LATERAL (
      SELECT ${Prisma.raw(key)} FROM ${Prisma.raw(table)} WHERE ${Prisma.join(conditions, ' AND ')}
      ORDER BY ${owned || !time ? sql`id` : time} LIMIT ${limit} ${lock}) AS found
    LIMIT ${limit}`;
}
