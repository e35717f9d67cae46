import { command, Database, type RowOf, sql, statement, t } from '@gangan/database';
import { LeaseLostError, LeaseTable, leaseUntil } from '@gangan/leases';
import { Injectable } from '@nestjs/common';
import type { ClaimScope } from './idempotency-key.js';
import { SealedResponses } from './sealed-responses.js';

/** The right to carry out a request until it is answered or the lease ends. */
export interface Claim extends ClaimScope {
  readonly operationId: string;
  readonly attempt: number;
  /** When the lease ends at the latest, by `performance.now()`. */
  readonly leaseEndsAt: number;
}

export interface StoredResponse {
  readonly status: number;
  readonly type: string | undefined;
  readonly body: Buffer;
  /** Set if the response is too large to be stored. */
  readonly isTooLarge?: boolean;
  /** Set if the response is stored sealed, even without `SEAL_MESSAGES`. */
  readonly isSecret?: boolean;
}

export type ClaimResult =
  | { readonly is: 'claimed'; readonly claim: Claim }
  | { readonly is: 'answered'; readonly response: StoredResponse }
  | { readonly is: 'running'; readonly leaseLeftMs: number }
  | { readonly is: 'another_request' };

export interface ClaimInput {
  readonly scope: ClaimScope;
  readonly operationId: string;
  readonly fingerprints: readonly Buffer[];
  readonly leaseMs: number;
}

const lease = new LeaseTable({
  table: 'idempotency_claim',
  claim: {
    organisationId: 'organisation_id',
    key: 'key',
    method: 'method',
    path: 'path',
    operationId: 'operation_id',
    attempt: 'attempt',
  },
  expiresAt: 'leased_until',
  held: sql`answer_status IS NULL`,
});

/**
 * The primary key lets one of many concurrent requests claim. `known` is read from a snapshot, so it can miss a claim that
 * was made while this statement waited for it. The row is then empty: another request has just begun.
 */
const claimKey = statement(
  {
    operationId: t.nullable(t.uuid),
    attempt: t.nullable(t.int),
    isSame: t.nullable(t.bool),
    leaseLeftMs: t.nullable(t.float),
    status: t.nullable(t.int),
    type: t.nullable(t.text),
    body: t.nullable(t.bytes),
    isSealed: t.nullable(t.bool),
  },
  ({ scope: { organisationId, key, method, path }, operationId, fingerprints, leaseMs }: ClaimInput) => sql`
    WITH known AS (
      SELECT fingerprint = ANY (${fingerprints}::bytea[]) AS same, leased_until > now() AS leased,
             (extract(epoch FROM leased_until - now()) * 1000)::float8 AS left_ms, answer_status, answer_type, answer_body,
             answer_sealed
      FROM idempotency_claim
      WHERE organisation_id = ${organisationId}::uuid AND key = ${key} AND method = ${method} AND path = ${path}
    ), claimed AS (
      INSERT INTO idempotency_claim AS claim
        (organisation_id, key, method, path, operation_id, fingerprint, leased_until)
      SELECT ${organisationId}::uuid, ${key}, ${method}, ${path}, ${operationId}::uuid, ${fingerprints[0]}::bytea,
             ${leaseUntil(leaseMs)}
      WHERE NOT EXISTS (SELECT FROM known WHERE leased OR NOT same OR answer_status IS NOT NULL)
      ON CONFLICT (organisation_id, key, method, path) DO UPDATE
        SET attempt = claim.attempt + 1, leased_until = excluded.leased_until
        WHERE claim.leased_until <= now() AND claim.answer_status IS NULL
          AND claim.fingerprint = ANY (${fingerprints}::bytea[])
      RETURNING claim.operation_id, claim.attempt
    )
    SELECT claimed.operation_id AS "operationId", claimed.attempt, known.same AS "isSame",
           known.left_ms AS "leaseLeftMs", known.answer_status AS status, known.answer_type AS type,
           known.answer_body AS body, known.answer_sealed AS "isSealed"
    FROM (SELECT) AS always LEFT JOIN claimed ON true LEFT JOIN known ON true`,
);

const deleteHeld = command(
  (claim: Claim) => sql`DELETE FROM idempotency_claim WHERE ${lease.stillHeld(claim)}`,
);

@Injectable()
export class ClaimRepository {
  constructor(
    private readonly database: Database,
    private readonly responses: SealedResponses,
  ) {}

  async claim(input: ClaimInput): Promise<ClaimResult> {
    const [row] = await this.database.run(claimKey, input);
    const body = row?.body && row.isSealed ? this.responses.open(row.body, input.scope) : row?.body;
    return resultOf(input, row && { ...row, body: body ?? null });
  }

  /** Extends the lease. @throws LeaseLostError */
  async renew(claim: Claim, leaseMs: number): Promise<void> {
    const extended = sql`leased_until = ${leaseUntil(leaseMs)}`;
    if (!(await lease.change(this.database, claim, extended))) throw new LeaseLostError();
  }

  /**
   * Stores the response, unless a later attempt has claimed the key.
   * @param fingerprint replaces that of the claim
   * @returns the bytes that it takes
   */
  async store(claim: Claim, response: StoredResponse, fingerprint?: Buffer): Promise<number> {
    const { status, type, body, isSecret = false } = response;
    const isSealed = this.responses.seals || isSecret;
    const stored = isSealed ? this.responses.seal(body, claim) : body;
    const isStored = await lease.change(
      this.database,
      claim,
      sql`leased_until = now(), answer_status = ${status}, answer_type = ${type}, answer_body = ${stored},
        answer_sealed = ${isSealed},
        fingerprint = coalesce(${fingerprint ?? null}::bytea, fingerprint)`,
    );
    return isStored ? stored.length : 0;
  }

  async delete(claim: Claim): Promise<void> {
    await this.database.run(deleteHeld, claim);
  }

  async release(claim: Claim): Promise<void> {
    await lease.release(this.database, claim);
  }
}

function resultOf({ scope, leaseMs }: ClaimInput, row: RowOf<typeof claimKey> | undefined): ClaimResult {
  if (row?.operationId != null && row.attempt !== null) {
    const { operationId, attempt } = row;
    const leaseEndsAt = performance.now() + leaseMs;
    return { is: 'claimed', claim: { ...scope, operationId, attempt, leaseEndsAt } };
  }
  if (row?.isSame === false) return { is: 'another_request' };
  if (row?.status != null && row.body !== null)
    return { is: 'answered', response: { status: row.status, type: row.type ?? undefined, body: row.body } };
  const leftMs = row?.leaseLeftMs ?? 0;
  // Without a known lease another request has just begun.
  return { is: 'running', leaseLeftMs: leftMs > 0 ? leftMs : leaseMs };
}
