import { Database, sql, type Sql } from '@gangan/database';
import { Injectable } from '@nestjs/common';

/** What one key stands for. */
export interface ClaimScope {
  readonly organisationId: string;
  readonly method: string;
  readonly path: string;
  readonly key: string;
}

/** The right to carry a request out, until it is answered or the lease has run out. */
export interface Claim {
  readonly scope: ClaimScope;
  readonly operationId: string;
  readonly attempt: number;
  /** At the latest, by `performance.now()`. */
  readonly leaseEndsAt: number;
}

export interface KeptAnswer {
  readonly status: number;
  readonly type: string | undefined;
  readonly body: Buffer;
}

export type ClaimResult =
  | { readonly is: 'taken'; readonly claim: Claim }
  | { readonly is: 'answered'; readonly answer: KeptAnswer }
  | { readonly is: 'running'; readonly leftMs: number }
  | { readonly is: 'another_request' };

interface Wanted {
  readonly scope: ClaimScope;
  readonly operationId: string;
  readonly fingerprints: readonly Buffer[];
  readonly leaseMs: number;
}

interface Row {
  readonly operationId: string | null;
  readonly attempt: number | null;
  readonly same: boolean | null;
  readonly leftMs: number | null;
  readonly status: number | null;
  readonly type: string | null;
  readonly body: Buffer | null;
}

@Injectable()
export class ClaimRepository {
  constructor(private readonly database: Database) {}

  /**
   * One of many who ask at once gets the claim: the primary key decides. `known` is read from a snapshot, so it can
   * miss a claim that was made while this waited for it. Then the row is empty, and somebody else has just begun.
   */
  async take({ scope, operationId, fingerprints, leaseMs }: Wanted): Promise<ClaimResult> {
    const { organisationId, key, method, path } = scope;
    const [row] = await this.database.query<Row>(sql`
      WITH known AS (
        SELECT fingerprint = ANY (${fingerprints}::bytea[]) AS same, leased_until > now() AS leased,
               (extract(epoch FROM leased_until - now()) * 1000)::float8 AS left_ms, answer_status, answer_type, answer_body
        FROM idempotency_claim WHERE ${keyed(scope)}
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
      SELECT taken.operation_id AS "operationId", taken.attempt, known.same, known.left_ms AS "leftMs",
             known.answer_status AS status, known.answer_type AS type, known.answer_body AS body
      FROM (SELECT) AS always LEFT JOIN taken ON true LEFT JOIN known ON true`);
    return resultOf(scope, leaseMs, row);
  }

  /** For who takes longer. Gives whether the claim is still theirs. */
  async renew(claim: Claim, leaseMs: number): Promise<boolean> {
    const renewed = await this.database.execute(sql`
      UPDATE idempotency_claim SET leased_until = now() + ${leaseMs}::integer * interval '1 millisecond'
      WHERE ${held(claim)}`);
    return renewed > 0;
  }

  async keep(claim: Claim, { status, type, body }: KeptAnswer): Promise<void> {
    await this.database.execute(sql`
      UPDATE idempotency_claim
      SET leased_until = now(), answer_status = ${status}, answer_type = ${type}, answer_body = ${body}
      WHERE ${held(claim)}`);
  }

  async forget(claim: Claim): Promise<void> {
    await this.database.execute(sql`DELETE FROM idempotency_claim WHERE ${held(claim)}`);
  }

  async handBack(claim: Claim): Promise<void> {
    await this.database.execute(sql`
      UPDATE idempotency_claim SET leased_until = now() WHERE ${held(claim)}`);
  }

  /** Removes some of those that have been kept for long enough; gives how many. Several may do so at once. */
  async prune(most: number): Promise<number> {
    return this.database.execute(sql`
      DELETE FROM idempotency_claim WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM idempotency_claim
        WHERE created_at < now() - interval '24 hours' AND leased_until <= now()
        ORDER BY created_at LIMIT ${most} FOR UPDATE SKIP LOCKED))`);
  }
}

const keyed = ({ organisationId, key, method, path }: ClaimScope): Sql =>
  sql`organisation_id = ${organisationId}::uuid AND key = ${key} AND method = ${method} AND path = ${path}`;

/** Whoever has lost the lease to a later attempt has nothing to say any more. */
const held = ({ scope, operationId, attempt }: Claim): Sql =>
  sql`${keyed(scope)} AND operation_id = ${operationId}::uuid AND attempt = ${attempt} AND answer_status IS NULL`;

function resultOf(scope: ClaimScope, leaseMs: number, row: Row | undefined): ClaimResult {
  if (row?.operationId != null && row.attempt !== null) {
    const { operationId, attempt } = row;
    return { is: 'taken', claim: { scope, operationId, attempt, leaseEndsAt: performance.now() + leaseMs } };
  }
  if (row?.same === false) return { is: 'another_request' };
  if (row?.status == null || row.body === null) {
    // Where no lease is known, somebody else has just begun.
    return { is: 'running', leftMs: row?.leftMs != null && row.leftMs > 0 ? row.leftMs : leaseMs };
  }
  return { is: 'answered', answer: { status: row.status, type: row.type ?? undefined, body: row.body } };
}
