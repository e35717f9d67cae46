import { Database, sql, type Sql } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import type { ClaimScope } from './idempotency-key.js';

/** The right to carry out a request until it is answered or the lease ends. */
export interface Claim {
  readonly scope: ClaimScope;
  readonly operationId: string;
  readonly attempt: number;
  /** The latest end, by `performance.now()`. */
  readonly leaseEndsAt: number;
}

export interface StoredResponse {
  readonly status: number;
  readonly type: string | undefined;
  readonly body: Buffer;
}

export type ClaimResult =
  | { readonly is: 'claimed'; readonly claim: Claim }
  | { readonly is: 'answered'; readonly response: StoredResponse }
  | { readonly is: 'running'; readonly leaseLeftMs: number }
  | { readonly is: 'another_request' };

interface ClaimInput {
  readonly scope: ClaimScope;
  readonly operationId: string;
  readonly fingerprints: readonly Buffer[];
  readonly leaseMs: number;
}

interface Row {
  readonly operationId: string | null;
  readonly attempt: number | null;
  readonly isSame: boolean | null;
  readonly leaseLeftMs: number | null;
  readonly status: number | null;
  readonly type: string | null;
  readonly body: Buffer | null;
}

@Injectable()
export class ClaimRepository {
  constructor(private readonly database: Database) {}

  /**
   * The primary key lets one of many concurrent requests claim. `known` is read from a snapshot, so it can miss a claim
   * that was made while this statement waited for it. The row is then empty: another request has just begun.
   */
  async claim({ scope, operationId, fingerprints, leaseMs }: ClaimInput): Promise<ClaimResult> {
    const { organisationId, key, method, path } = scope;
    const [row] = await this.database.query<Row>(sql`
      WITH known AS (
        SELECT fingerprint = ANY (${fingerprints}::bytea[]) AS same, leased_until > now() AS leased,
               (extract(epoch FROM leased_until - now()) * 1000)::float8 AS left_ms, answer_status, answer_type, answer_body
        FROM idempotency_claim WHERE ${withKey(scope)}
      ), taken AS (
        INSERT INTO idempotency_claim AS claim
          (organisation_id, key, method, path, operation_id, fingerprint, leased_until)
        SELECT ${organisationId}::uuid, ${key}, ${method}, ${path}, ${operationId}::uuid, ${fingerprints[0]}::bytea,
               now() + ${leaseMs}::integer * interval '1 millisecond'
        WHERE NOT EXISTS (SELECT FROM known WHERE leased OR NOT same OR answer_status IS NOT NULL)
        ON CONFLICT (organisation_id, key, method, path) DO UPDATE
          SET attempt = claim.attempt + 1, leased_until = excluded.leased_until
          WHERE claim.leased_until <= now() AND claim.answer_status IS NULL
            AND claim.fingerprint = ANY (${fingerprints}::bytea[])
        RETURNING claim.operation_id, claim.attempt
      )
      SELECT taken.operation_id AS "operationId", taken.attempt, known.same AS "isSame", known.left_ms AS "leaseLeftMs",
             known.answer_status AS status, known.answer_type AS type, known.answer_body AS body
      FROM (SELECT) AS always LEFT JOIN taken ON true LEFT JOIN known ON true`);
    return resultOf(scope, leaseMs, row);
  }

  /** Extends the lease. Returns false if it was lost. */
  async renew(claim: Claim, leaseMs: number): Promise<boolean> {
    const renewed = await this.database.execute(sql`
      UPDATE idempotency_claim SET leased_until = now() + ${leaseMs}::integer * interval '1 millisecond'
      WHERE ${stillHeld(claim)}`);
    return renewed > 0;
  }

  async store(claim: Claim, { status, type, body }: StoredResponse): Promise<void> {
    await this.database.execute(sql`
      UPDATE idempotency_claim
      SET leased_until = now(), answer_status = ${status}, answer_type = ${type}, answer_body = ${body}
      WHERE ${stillHeld(claim)}`);
  }

  async delete(claim: Claim): Promise<void> {
    await this.database.execute(sql`DELETE FROM idempotency_claim WHERE ${stillHeld(claim)}`);
  }

  async release(claim: Claim): Promise<void> {
    await this.database.execute(sql`
      UPDATE idempotency_claim SET leased_until = now() WHERE ${stillHeld(claim)}`);
  }

  /** Removes claims that are older than a day; returns how many. Gateways may run it concurrently. */
  async prune(limit: number): Promise<number> {
    return this.database.execute(sql`
      DELETE FROM idempotency_claim WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM idempotency_claim
        WHERE created_at < now() - interval '24 hours' AND leased_until <= now()
        ORDER BY created_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))`);
  }
}

const withKey = ({ organisationId, key, method, path }: ClaimScope): Sql =>
  sql`organisation_id = ${organisationId}::uuid AND key = ${key} AND method = ${method} AND path = ${path}`;

/** Matches no row if a later attempt has taken over the lease. */
const stillHeld = ({ scope, operationId, attempt }: Claim): Sql =>
  sql`${withKey(scope)} AND operation_id = ${operationId}::uuid AND attempt = ${attempt} AND answer_status IS NULL`;

function resultOf(scope: ClaimScope, leaseMs: number, row: Row | undefined): ClaimResult {
  if (row?.operationId != null && row.attempt !== null) {
    const { operationId, attempt } = row;
    return {
      is: 'claimed',
      claim: { scope, operationId, attempt, leaseEndsAt: performance.now() + leaseMs },
    };
  }
  if (row?.isSame === false) return { is: 'another_request' };
  if (row?.status == null || row.body === null) {
    // Without a known lease another request has just begun.
    return {
      is: 'running',
      leaseLeftMs: row?.leaseLeftMs != null && row.leaseLeftMs > 0 ? row.leaseLeftMs : leaseMs,
    };
  }
  return { is: 'answered', response: { status: row.status, type: row.type ?? undefined, body: row.body } };
}
