import {
  type Command,
  command,
  isSuspended,
  Prisma,
  type Sql,
  sql,
  type SqlRunner,
  type Statement,
  statement,
  suspendedOrganisations,
  t,
} from '@gangan/database';
import { dueAfter, dueNow, leaseUntil } from './lease-times.js';

/** Another worker has claimed the row since, or the row has ended. Do nothing more with it. */
export class LeaseLostError extends Error {
  constructor(message = 'The lease was lost: another worker has claimed the row, or it has ended') {
    super(message);
  }
}

/** The values of a claim that identify its row and its holder. */
export type LeaseClaim<Keys extends string> = Readonly<Record<Keys, string | number>>;

export interface LeaseTableOptions<Keys extends string> {
  readonly table: string;
  /**
   * The columns that identify the row and its holder, by property of the claim. The first is the key of the row. A column
   * for `attempt` is counted up by `claimDue`, so that each claim has its own number.
   */
  readonly claim: Readonly<Record<Keys, string>>;
  /** The column with the time when the row is due; while a worker holds the row, when its lease ends. */
  readonly expiresAt: string;
  /** What else is true of a row while a worker holds it, such as its state. */
  readonly held?: Sql;
  /** The column with the id of the process that holds the row, if its leases can be taken over. */
  readonly holder?: string;
}

interface ClaimOptions {
  readonly limit: number;
  readonly leaseMs: number;
  /** The id of this process (`LeaseHolder`), for a table with a column for it. */
  readonly holder?: bigint;
  /** Further assignments, such as the new state. */
  readonly set?: Sql;
  readonly returning: Sql;
}

export interface ClaimDueOptions extends ClaimOptions {
  readonly where?: Sql;
  /** The order of rows that became due at the same time; arbitrary by default. */
  readonly thenBy?: Sql;
}

export interface ClaimActiveOptions extends ClaimOptions {
  /** The rows that wait while their organisation is suspended: the predicate of an index on organisation and due time. */
  readonly where: Sql;
  /** Rows that are claimed for suspended organisations too. */
  readonly always?: Sql;
}

export interface ClaimSuspendedOptions extends ClaimOptions {
  /** As for `claimActive`. */
  readonly where: Sql;
  readonly overdueMs: number;
}

export interface TakeOverOptions {
  /** The process that has died. */
  readonly holder: bigint;
  /** The predicate of an index of due rows. */
  readonly where?: Sql;
  /** Further assignments. */
  readonly set?: Sql;
}

/** How many organisations share a claim, so that workers that claim at the same time get different rows. */
const organisationsPerClaim = 16;

/**
 * Leases the rows of one table. A worker claims a due row for a limited time. When the lease expires, the row is due again,
 * and the next `claimDue` claims it. A later change is stored only if its claim still holds the row. Declare one per
 * table, as a module-level value:
 * ```ts
 * const importLease = new LeaseTable({
 *   table: 'contact_import',
 *   claim: { id: 'id', attempt: 'attempt' },
 *   expiresAt: 'next_attempt_at',
 *   held: sql`state = 'running'`,
 * });
 *
 * const claimImports = statement({ id: t.uuid, attempt: t.int }, (limit: number) =>
 *   importLease.claimDue({ limit, leaseMs: 60_000, returning: sql`id, attempt` }));
 *
 * await importLease.finish(database, claimed, sql`state = 'done', next_attempt_at = NULL`);
 * ```
 * Other statements add the condition themselves: sql`UPDATE … WHERE ${importLease.stillHeld(claimed)}`.
 */
export class LeaseTable<Keys extends string> {
  private readonly table: Sql;
  private readonly key: Sql;
  private readonly expiresAt: Sql;
  private readonly columns: readonly (readonly [Keys, Sql])[];
  private readonly held: Sql;
  private readonly holder: Sql | undefined;
  private readonly update: Command<[claim: LeaseClaim<Keys>, set: Sql]>;
  private readonly lock: Statement<[claim: LeaseClaim<Keys>], { held: typeof t.int }>;

  constructor({ table, claim, expiresAt, held, holder }: LeaseTableOptions<Keys>) {
    this.table = Prisma.raw(table);
    this.expiresAt = Prisma.raw(expiresAt);
    this.columns = Object.entries<string>(claim).map(([key, column]) => [key as Keys, Prisma.raw(column)]);
    this.key = this.columns[0]?.[1] ?? Prisma.empty;
    this.held = held ? sql` AND ${held}` : Prisma.empty;
    this.holder = holder === undefined ? undefined : Prisma.raw(holder);
    this.update = command((own, set) => sql`UPDATE ${this.table} SET ${set} WHERE ${this.stillHeld(own)}`, {
      samples: [[{} as LeaseClaim<Keys>, sql`${this.expiresAt} = ${dueAfter(0)}`]],
    });
    this.lock = statement(
      { held: t.int },
      (own) => sql`SELECT 1 AS held FROM ${this.table} WHERE ${this.stillHeld(own)} FOR NO KEY UPDATE`,
    );
  }

  /** The condition that the claim still holds its row. */
  stillHeld(claim: LeaseClaim<Keys>): Sql {
    const conditions = this.columns.map(([key, column]) => sql`${column} = ${claim[key]}`);
    return sql`${Prisma.join(conditions, ' AND ')}${this.held}`;
  }

  /** Claims the rows that have been due for longest; rows that another worker is claiming are skipped. */
  claimDue({ where, thenBy, ...options }: ClaimDueOptions): Sql {
    const due = sql`${this.selectDue(options.limit, where, thenBy)} FOR UPDATE SKIP LOCKED`;
    return this.claim(sql`SELECT id FROM (${due}) due`, options);
  }

  /**
   * As `claimDue`, but rows that match `where` are claimed only while their organisation (`organisation_id`) is active. It
   * looks for the first due row of each organisation, so the rows of a suspended one are not read, however many wait.
   */
  claimActive({ where, always, ...options }: ClaimActiveOptions): Sql {
    const { limit } = options;
    const byOrganisation = sql`
      SELECT due.id, due.due_at FROM (
        SELECT organisation_id FROM (${this.organisationsWith(where)}) organisations CROSS JOIN LATERAL (
          ${this.selectDue(1, sql`${where} AND organisation_id = organisations.organisation_id`)}) first
        WHERE NOT ${isSuspended(sql`organisations.organisation_id`)}
        ORDER BY first.due_at LIMIT ${organisationsPerClaim}) next
      CROSS JOIN LATERAL (
        ${this.selectDue(limit, sql`${where} AND organisation_id = next.organisation_id`)} FOR UPDATE SKIP LOCKED) due`;
    const rest = always
      ? sql`UNION ALL SELECT id, due_at FROM (${this.selectDue(limit, always)} FOR UPDATE SKIP LOCKED) rest`
      : Prisma.empty;
    return this.claim(
      sql`SELECT id FROM (${byOrganisation} ${rest}) due ORDER BY due_at LIMIT ${limit}`,
      options,
    );
  }

  /** Claims the rows of suspended organisations that have been due for `overdueMs`, in order to end them. */
  claimSuspended({ where, overdueMs, ...options }: ClaimSuspendedOptions): Sql {
    const { limit } = options;
    const own = sql`${where} AND organisation_id = suspended.id AND ${this.expiresAt} <= ${dueAfter(-overdueMs)}`;
    return this.claim(
      sql`
      SELECT due.id FROM (${suspendedOrganisations}) suspended CROSS JOIN LATERAL (
        ${this.selectDue(limit, own)} FOR UPDATE SKIP LOCKED) due LIMIT ${limit}`,
      options,
    );
  }

  /**
   * Makes the rows due whose leases a dead process has. The condition on the due time lets an index find them: a lease
   * ends in the future, and rows that wait for their turn are overdue.
   */
  takeOver({ holder, where, set }: TakeOverOptions): Sql {
    const column = this.holder ?? Prisma.empty;
    return sql`
      UPDATE ${this.table} SET ${this.expiresAt} = ${dueNow}, ${column} = NULL${set ? sql`, ${set}` : Prisma.empty}
      WHERE ${this.key} = ANY (ARRAY(
        SELECT ${this.key} FROM ${this.table}
        WHERE ${this.expiresAt} > now() AND ${column} = ${holder}${where ? sql` AND ${where}` : Prisma.empty}
        ORDER BY ${this.key} FOR UPDATE))`;
  }

  /** Extends the lease. @throws LeaseLostError */
  async renew(runner: SqlRunner, claim: LeaseClaim<Keys>, leaseMs: number): Promise<void> {
    const renewed = await runner.run(this.update, claim, sql`${this.expiresAt} = ${leaseUntil(leaseMs)}`);
    if (renewed === 0) throw new LeaseLostError();
  }

  /** Ends the lease: the row is due again after `delayMs`. @returns whether the claim still held it */
  release(runner: SqlRunner, claim: LeaseClaim<Keys>, delayMs = 0): Promise<boolean> {
    return this.finish(runner, claim, sql`${this.expiresAt} = ${dueAfter(delayMs)}`);
  }

  /** Locks the row until the transaction ends, so that no other worker claims or changes it. @throws LeaseLostError */
  async confirm(transaction: SqlRunner, claim: LeaseClaim<Keys>): Promise<void> {
    const rows = await transaction.run(this.lock, claim);
    if (rows.length === 0) throw new LeaseLostError();
  }

  /**
   * Writes the end of the work, if the claim still holds the row: it has no holder any more. @returns whether it did
   * @param set the assignments, with the last value of the lease column
   */
  async finish(runner: SqlRunner, claim: LeaseClaim<Keys>, set: Sql): Promise<boolean> {
    const release = this.holder ? sql`, ${this.holder} = NULL` : Prisma.empty;
    return (await runner.run(this.update, claim, sql`${set}${release}`)) > 0;
  }

  /** @param ids a query for the keys of the rows */
  private claim(ids: Sql, { leaseMs, holder, set, returning }: ClaimOptions): Sql {
    const attempt = this.columns.find(([key]) => key === 'attempt')?.[1];
    const assignments = [
      sql`${this.expiresAt} = ${leaseUntil(leaseMs)}`,
      ...(attempt ? [sql`${attempt} = ${attempt} + 1`] : []),
      ...(this.holder ? [sql`${this.holder} = ${holder}`] : []),
      ...(set ? [set] : []),
    ];
    return sql`
      UPDATE ${this.table} SET ${Prisma.join(assignments)}
      WHERE ${this.key} = ANY (ARRAY(${ids}))
      RETURNING ${returning}`;
  }

  private selectDue(limit: number, where?: Sql, thenBy?: Sql): Sql {
    return sql`
      SELECT ${this.key} AS id, ${this.expiresAt} AS due_at FROM ${this.table}
      WHERE ${this.expiresAt} <= ${dueNow}${where ? sql` AND ${where}` : Prisma.empty}
      ORDER BY ${this.expiresAt}${thenBy ? sql`, ${thenBy}` : Prisma.empty} LIMIT ${limit}`;
  }

  /** A loose index scan: one lookup for each organisation that has such rows. */
  private organisationsWith(where: Sql): Sql {
    return sql`
      WITH RECURSIVE found AS (
        (SELECT organisation_id FROM ${this.table} WHERE ${where} ORDER BY organisation_id LIMIT 1)
        UNION ALL
        SELECT (SELECT organisation_id FROM ${this.table} WHERE ${where} AND organisation_id > found.organisation_id
          ORDER BY organisation_id LIMIT 1)
        FROM found WHERE found.organisation_id IS NOT NULL)
      SELECT organisation_id FROM found WHERE organisation_id IS NOT NULL`;
  }
}
