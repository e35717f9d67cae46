import {
  type Command,
  command,
  Prisma,
  type Sql,
  sql,
  type SqlRunner,
  type Statement,
  statement,
  t,
} from '@gangan/database';
import { dueAfter } from './lease-times.js';

/** Another worker has claimed the row since, or the row has ended. Do nothing more with it. */
export class LeaseLostError extends Error {
  constructor(message = 'The lease was lost: another worker has claimed the row, or it has ended') {
    super(message);
  }
}

/** The values of a claim that identify it and its row. */
export type LeaseClaim<Keys extends string> = Readonly<Record<Keys, string | number>>;

export interface LeaseTableOptions<Keys extends string> {
  readonly table: string;
  /**
   * The columns that identify the row and its claim, by property of the claim. The first is the key of the row. A column
   * for `attempt` is counted up by `claimDue`, so that each claim has its own number.
   */
  readonly claim: Readonly<Record<Keys, string>>;
  /** The column with the time when the row is due; while a worker holds the row, when its lease ends. */
  readonly expiresAt: string;
  /**
   * What else is true of a row while a worker holds it, such as its state. Compare the text, `state::text = 'running'`:
   * otherwise Postgres may look for the row in the partial index of that state instead of by its key.
   */
  readonly held?: Sql;
}

/**
 * Leases the rows of one table: a claim holds a row for a limited time, and a later change is stored only if the claim
 * still holds it. Statements add the condition themselves: sql`DELETE … WHERE ${lease.stillHeld(claim)}`.
 */
export class LeaseTable<Keys extends string> {
  protected readonly table: Sql;
  protected readonly key: Sql;
  protected readonly expiresAt: Sql;
  protected readonly columns: readonly (readonly [Keys, Sql])[];
  private readonly held: Sql;
  private readonly update: Command<[claim: LeaseClaim<Keys>, set: Sql]>;
  private readonly lock: Statement<[claim: LeaseClaim<Keys>], { held: typeof t.int }>;

  constructor({ table, claim, expiresAt, held }: LeaseTableOptions<Keys>) {
    this.table = Prisma.raw(table);
    this.expiresAt = Prisma.raw(expiresAt);
    this.columns = Object.entries<string>(claim).map(([key, column]) => [key as Keys, Prisma.raw(column)]);
    this.key = this.columns[0]?.[1] ?? Prisma.empty;
    this.held = held ? sql` AND ${held}` : Prisma.empty;
    this.update = command((own, set) => sql`UPDATE ${this.table} SET ${set} WHERE ${this.stillHeld(own)}`, {
      samples: [[{} as LeaseClaim<Keys>, sql`${this.expiresAt} = ${dueAfter(0)}`]],
    });
    this.lock = statement(
      { held: t.int },
      (own) => sql`SELECT 1 AS held FROM ${this.table} WHERE ${this.stillHeld(own)} FOR NO KEY UPDATE`,
    );
  }

  stillHeld(claim: LeaseClaim<Keys>): Sql {
    const conditions = this.columns.map(([key, column]) => sql`${column} = ${claim[key]}`);
    return sql`${Prisma.join(conditions, ' AND ')}${this.held}`;
  }

  /** Changes the row, if the claim still holds it. @returns whether it does */
  async change(runner: SqlRunner, claim: LeaseClaim<Keys>, set: Sql): Promise<boolean> {
    return (await runner.run(this.update, claim, set)) > 0;
  }

  /** Ends the lease: the row is due again after `delayMs`. @returns whether the claim still held it */
  release(runner: SqlRunner, claim: LeaseClaim<Keys>, delayMs = 0): Promise<boolean> {
    return this.change(runner, claim, sql`${this.expiresAt} = ${dueAfter(delayMs)}`);
  }

  /** Locks the row until the transaction ends, so that no other worker claims or changes it. @throws LeaseLostError */
  async confirm(transaction: SqlRunner, claim: LeaseClaim<Keys>): Promise<void> {
    const rows = await transaction.run(this.lock, claim);
    if (rows.length === 0) throw new LeaseLostError();
  }
}
