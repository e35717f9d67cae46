import type { LookupBatch as Batch } from '@gangan/database';
import { command, Database, type Sql, sql, statement, type Statements, t } from '@gangan/database';
import { dueNow, type Lease, LeaseHolder, LeaseLostError } from '@gangan/leases';
import { AppError, notFound } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { LookupConfig } from '../lookup.config.js';
import { keptBatchesMs } from '../lookup.retention.js';
import { batchLease, type ClaimedBatch, claimNext, leaseMs, takeOverBatches } from './batch-lease.js';

/** The most batches of an organisation, because their files fill the database. */
const maxBatches = 20;

export interface NewBatch {
  readonly id: string;
  readonly organisationId: string;
  /** Either the numbers or a smartlist. */
  readonly phones: readonly string[] | null;
  readonly list: string | null;
  readonly total: number | null;
  readonly createdAt: Date;
}

/** The next lines of the file. */
export interface BatchPortion {
  readonly text: string;
  readonly numbers: number;
  /** The last row of the smartlist that was read. */
  readonly lastRowId: string | null;
}

@Injectable()
export class BatchesRepository {
  private readonly lease: Lease;
  private readonly keptMs: number;

  constructor(
    private readonly database: Database,
    holder: LeaseHolder,
    config: LookupConfig,
  ) {
    this.keptMs = keptBatchesMs(config);
    this.lease = holder.lease(leaseMs);
    holder.onTakeover('lookup_batch', (transaction, dead) =>
      transaction.run(takeOverBatches, { holder: dead, leaseMs }),
    );
  }

  /** Does nothing if the batch exists. @throws AppError 429 */
  async create(batch: NewBatch, header: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.run(lockOrganisation, batch.organisationId);
      const stored = await transaction.run(findStored, batch.organisationId, this.keptMs);
      if (stored.length >= maxBatches && stored.every(({ id }) => id !== batch.id))
        throw tooManyBatches(stored.flatMap(({ secondsLeft }) => secondsLeft ?? []));
      await transaction.run(insertBatch, batch, Buffer.from(header));
    });
  }

  async find(organisationId: string, id: string): Promise<Batch> {
    const found = await this.database.lookupBatch.findFirst({ where: { id, organisationId } });
    if (!found) throw notFound('The batch');
    return found;
  }

  list(organisationId: string, before: string | undefined, limit: number): Promise<Batch[]> {
    const where = { organisationId, ...(before !== undefined && { id: { lt: before } }) };
    return this.database.lookupBatch.findMany({ where, orderBy: { id: 'desc' }, take: limit });
  }

  async findPart(batchId: string, number: number): Promise<string | undefined> {
    const where = { batchId_number: { batchId, number } };
    const part = await this.database.lookupBatchPart.findUnique({ where });
    return part ? Buffer.from(part.data).toString() : undefined;
  }

  async claimNext(): Promise<ClaimedBatch | undefined> {
    const [claimed] = await this.database.run(claimNext, this.lease);
    return claimed;
  }

  /** @throws LeaseLostError */
  async read({ id, attempt }: ClaimedBatch): Promise<Batch> {
    const where = { id, attempt, state: 'running' as const };
    const found = await this.database.lookupBatch.findFirst({ where });
    if (!found) throw new LeaseLostError();
    return found;
  }

  /** Writes lines and the new position in one transaction. @throws LeaseLostError */
  async advance(claimed: ClaimedBatch, portion: BatchPortion): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await batchLease.confirm(transaction, claimed);
      await this.write(transaction, claimed, portion);
    });
  }

  async release(claimed: ClaimedBatch, delayMs = 0): Promise<void> {
    await batchLease.release(this.database, claimed, delayMs);
  }

  /** @throws LeaseLostError */
  finish(claimed: ClaimedBatch): Promise<void> {
    return this.end(claimed, sql`state = 'done'`);
  }

  /** Lines that were written before stay. @throws LeaseLostError */
  fail(claimed: ClaimedBatch, reason: string): Promise<void> {
    return this.end(claimed, sql`state = 'failed', reason = ${reason}`);
  }

  /** The numbers of customers are not kept longer than they are needed. */
  private async end(claimed: ClaimedBatch, set: Sql): Promise<void> {
    const ended = sql`${set}, phones = NULL, list = NULL, next_attempt_at = NULL, ended_at = now()`;
    if (!(await batchLease.finish(this.database, claimed, ended))) throw new LeaseLostError();
  }

  private async write(transaction: Statements, { id }: ClaimedBatch, portion: BatchPortion): Promise<void> {
    const data = Buffer.from(portion.text);
    await transaction.run(insertPart, id, data);
    await transaction.run(writeProgress, id, this.lease, portion, data.length);
  }
}

/** @param secondsLeft until each of them is deleted */
const tooManyBatches = (secondsLeft: readonly number[]): AppError =>
  new AppError(
    'too_many_batches',
    429,
    `${maxBatches} batches are stored. Retry when the oldest has been deleted.`,
    { retryAfter: Math.max(1, Math.ceil(Math.min(60, ...secondsLeft))) },
  );

const lockOrganisation = command(
  (organisationId: string) =>
    sql`SELECT pg_advisory_xact_lock(hashtextextended(${`lookup_batch ${organisationId}`}, 0))`,
);

/** `secondsLeft` until an ended one is deleted. */
const findStored = statement(
  { id: t.uuid, secondsLeft: t.nullable(t.float) },
  (organisationId: string, keptMs: number) => sql`
    SELECT id, extract(epoch FROM ended_at + ${keptMs}::float8 * interval '1 ms' - now())::float8 AS "secondsLeft"
    FROM lookup_batch WHERE organisation_id = ${organisationId}`,
);

const insertBatch = command(
  ({ id, organisationId, phones, list, total, createdAt }: NewBatch, header: Buffer) => sql`
    WITH created AS (
      INSERT INTO lookup_batch (id, organisation_id, phones, list, total, parts, bytes, created_at, next_attempt_at)
      VALUES (${id}, ${organisationId}, ${phones}::text[], ${list}, ${total}::int, 1, ${header.length}, ${createdAt},
        ${dueNow})
      ON CONFLICT DO NOTHING RETURNING id)
    INSERT INTO lookup_batch_part (batch_id, number, data) SELECT id, 0, ${header}::bytea FROM created`,
);

const insertPart = command(
  (id: string, data: Buffer) => sql`
    INSERT INTO lookup_batch_part (batch_id, number, data)
    SELECT id, parts, ${data}::bytea FROM lookup_batch WHERE id = ${id}`,
);

const writeProgress = command(
  (id: string, own: Lease, { numbers, lastRowId }: BatchPortion, bytes: number) => sql`
    UPDATE lookup_batch SET parts = parts + 1, bytes = bytes + ${bytes}::int, numbers = numbers + ${numbers}::int,
      last_row_id = coalesce(${lastRowId}::uuid, last_row_id), ${batchLease.assign(own)}, stalls = 0
    WHERE id = ${id}`,
);
