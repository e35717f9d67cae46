import { randomInt } from 'node:crypto';
import type { Statements } from '@gangan/database';
import type { OnModuleInit } from '@nestjs/common';
import type { Lease } from '../lease-times.js';

/**
 * Makes all rows of a table that an ended process holds due. @returns how many
 * @param hasDied false if the process stopped in an orderly way
 */
export type TakeOver = (transaction: Statements, holder: bigint, hasDied: boolean) => Promise<number>;

/** This process as a holder of leases: rows that it claims have its id in their column `lease_holder`. */
export class LeaseHolder implements OnModuleInit {
  /** 48 random bits, so that no two processes share an id. */
  readonly id = BigInt(randomInt(1, 2 ** 48 - 1));
  private readonly byTable = new Map<string, TakeOver>();

  constructor(readonly app: string) {}

  /** A repository that claims rows calls this in its constructor. `takeOver` runs after a process of the app has died or stopped. */
  onTakeover(table: string, takeOver: TakeOver): void {
    if (this.byTable.has(table)) throw new Error(`The takeover of ${table} is registered twice`);
    this.byTable.set(table, takeOver);
  }

  onModuleInit(): void {
    if (this.byTable.size === 0) throw new Error(`${this.app} holds leases but registers no takeover`);
  }

  get tables(): readonly string[] {
    return [...this.byTable.keys()];
  }

  lease(leaseMs: number): Lease {
    return { holder: this.id, leaseMs };
  }

  /** Takes over the leases of an ended process in all tables. @returns how many rows, by table */
  async takeOver(transaction: Statements, holder: bigint, hasDied = true): Promise<Record<string, number>> {
    const rows: Record<string, number> = {};
    for (const [table, takeOver] of this.byTable) rows[table] = await takeOver(transaction, holder, hasDied);
    return rows;
  }
}
