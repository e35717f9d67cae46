import {
  distinctKeys,
  isSuspended,
  Prisma,
  type Sql,
  sql,
  type SqlRunner,
  suspendedOrganisations,
} from '@gangan/database';
import { type LeaseClaim, LeaseLostError, LeaseTable } from './lease-table.js';
import { dueAfter, dueNow, type Lease, leaseUntil } from './lease-times.js';

interface ClaimOptions extends Lease {
  readonly limit: number;
  /** Columns that a claim sets in addition to the lease, such as the new state. */
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
  /** The rows that wait while their organisation is suspended, as for `claimActive`. */
  readonly where: Sql;
  readonly overdueMs: number;
}

export interface TakeOverOptions extends Lease {
  /** The predicate of the index that finds the due rows. */
  readonly where?: Sql;
}

/** How many organisations share a claim, so that workers that claim at the same time get different rows. */
const organisationsPerClaim = 16;

/**
 * A table whose due rows are claimed by workers. A claim writes the end of the lease and the process that holds it
 * (`lease_holder`); when the lease expires, or the process dies, the row is due again. Declare one per table, as a
 * module-level value:
 * ```ts
 * const importLease = new ClaimTable({
 *   table: 'contact_import',
 *   claim: { id: 'id', attempt: 'attempt' },
 *   expiresAt: 'next_attempt_at',
 *   held: sql`state::text = 'running'`,
 * });
 *
 * const claimImports = statement({ id: t.uuid, attempt: t.int }, (limit: number, lease: Lease) =>
 *   importLease.claimDue({ ...lease, limit, returning: sql`id, attempt` }));
 * const takeOver = command((lease: Lease) => importLease.takeOver(lease));
 *
 * await importLease.finish(database, claimed, sql`state = 'done', next_attempt_at = NULL`);
 * ```
 */
export class ClaimTable<Keys extends string> extends LeaseTable<Keys> {
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
        WITH RECURSIVE ${distinctKeys('organisations', ['organisation_id'], sql`${this.table} WHERE ${where}`)}
        SELECT organisation_id FROM organisations CROSS JOIN LATERAL (
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
   * Whether there is a row that matches `where`, due or not, for the condition of a sweep that claims with `claimActive`: the
   * index of its rows is by organisation.
   */
  isAnyOpen(where: Sql): Sql {
    return sql`(
      SELECT count(*) > 0 FROM (
        SELECT FROM ${this.table} WHERE ${where} ORDER BY organisation_id LIMIT 1) AS first)`;
  }

  /** Makes the rows of a dead process due. The bounds of the due time let an index find them. */
  takeOver({ holder, leaseMs, where }: TakeOverOptions): Sql {
    return sql`
      UPDATE ${this.table} SET ${this.expiresAt} = ${dueNow}, lease_holder = NULL
      WHERE ${this.key} = ANY (ARRAY(
        SELECT ${this.key} FROM ${this.table}
        WHERE ${this.expiresAt} > now() AND ${this.expiresAt} <= ${leaseUntil(leaseMs)}
          AND lease_holder = ${holder}${where ? sql` AND ${where}` : Prisma.empty}
        ORDER BY ${this.key} FOR UPDATE))`;
  }

  /** The assignments that lease a row. */
  assign({ holder, leaseMs }: Lease): Sql {
    return sql`${this.expiresAt} = ${leaseUntil(leaseMs)}, lease_holder = ${holder}::bigint`;
  }

  /** @throws LeaseLostError */
  async renew(runner: SqlRunner, claim: LeaseClaim<Keys>, lease: Lease): Promise<void> {
    if (!(await this.change(runner, claim, this.assign(lease)))) throw new LeaseLostError();
  }

  override release(runner: SqlRunner, claim: LeaseClaim<Keys>, delayMs = 0): Promise<boolean> {
    return this.finish(runner, claim, sql`${this.expiresAt} = ${dueAfter(delayMs)}`);
  }

  /**
   * Stores the end of the work, if the claim still holds the row, and clears the holder. @returns whether it did
   * @param set the assignments, with the last value of the lease column
   */
  finish(runner: SqlRunner, claim: LeaseClaim<Keys>, set: Sql): Promise<boolean> {
    return this.change(runner, claim, sql`${set}, lease_holder = NULL`);
  }

  /** @param ids a query for the keys of the rows */
  private claim(ids: Sql, { set, returning, ...lease }: ClaimOptions): Sql {
    const attempt = this.columns.find(([key]) => key === 'attempt')?.[1];
    const assignments = [
      this.assign(lease),
      ...(attempt ? [sql`${attempt} = ${attempt} + 1`] : []),
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
}
