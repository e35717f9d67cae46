import { LeaseRenewal } from '@gangan/leases';
import { withTimeout } from '@gangan/protocol';
import { AppLogger, Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { returnedError } from '../http/errors/error-response.js';
import { readWithTimeout } from '../http/errors/read-with-timeout.js';
import { contextOf } from '../http/request/request-context.js';
import { declaredAccess } from '../http/routes/access.js';
import { claimEndOf, claimTimeoutMs, leaseMsOf } from './claim-policy.js';
import { type Claim, ClaimRepository, type ClaimResult, type StoredResponse } from './claim.repository.js';
import { Fingerprints } from './fingerprint.js';
import { claimScopeOf, idempotencyKeyOf } from './idempotency-key.js';
import { idempotencyMismatch, inProgress } from './idempotency.errors.js';

/** How long a response waits to be stored. If that fails, a duplicate runs again and finds the row that the work made. */
const storeTimeoutMs = 1_000;
const pruneIntervalMs = 60_000;
const maxPruned = 500;

/** The response of a request whose claim came too late. */
const unavailableResponse: StoredResponse = { status: 503, type: undefined, body: Buffer.alloc(0) };

interface HeldClaim {
  claim: Claim;
  renewal?: LeaseRenewal;
}

/** Carries out a request with an Idempotency-Key once, however often it is sent. */
@Injectable()
export class IdempotencyService {
  private readonly claims = new WeakMap<FastifyRequest, HeldClaim>();

  constructor(
    private readonly repository: ClaimRepository,
    private readonly fingerprints: Fingerprints,
    private readonly logger: AppLogger,
  ) {}

  /** Returns the claim of the request, or the response of an earlier one. @throws AppError 400, 409, 422, 503 */
  async begin(request: FastifyRequest): Promise<Claim | StoredResponse | undefined> {
    const key = idempotencyKeyOf(request.headers);
    const { organisationId, operationId } = contextOf(request);
    if (key === undefined || organisationId === undefined) return undefined;
    const claiming = this.repository.claim({
      scope: claimScopeOf(request, organisationId, key),
      operationId,
      fingerprints: this.fingerprints.of(queryOf(request.url), request.body),
      leaseMs: leaseMsOf(request.routeOptions.config),
    });
    const result = await readWithTimeout(claimTimeoutMs, claiming).catch((error: unknown) => {
      this.releaseLate(claiming);
      throw error;
    });
    switch (result.is) {
      case 'claimed':
        this.hold(request, result.claim);
        return result.claim;
      case 'answered':
        return result.response;
      case 'running':
        throw inProgress(result.leaseLeftMs);
      case 'another_request':
        throw idempotencyMismatch();
    }
  }

  isHeld(request: FastifyRequest): boolean {
    return this.claims.has(request);
  }

  /** Ends the claim; never fails. Returns how long duplicates are still rejected: 0 unless the outcome is unknown. */
  async end(request: FastifyRequest, response: StoredResponse | undefined): Promise<number> {
    const held = this.claims.get(request);
    if (!held) return 0;
    await held.renewal?.stop();
    this.claims.delete(request);
    const { claim } = held;
    const outcomeUnknown = returnedError(request)?.code === 'outcome_unknown';
    await this.endClaim(claim, response, outcomeUnknown);
    return outcomeUnknown ? Math.max(0, claim.leaseEndsAt - performance.now()) : 0;
  }

  /** Stored responses contain personal data, so they are removed after a day. Returns whether there may be more. */
  @Periodic('removing old idempotency claims', pruneIntervalMs)
  async prune(): Promise<boolean> {
    return (await this.repository.prune(maxPruned)) === maxPruned;
  }

  /** A file may take longer to arrive than the lease lasts, so the lease is renewed. */
  private hold(request: FastifyRequest, claim: Claim): void {
    const { config } = request.routeOptions;
    const held: HeldClaim = { claim };
    this.claims.set(request, held);
    if (declaredAccess(config)?.takes === undefined) return;
    const leaseMs = leaseMsOf(config);
    held.renewal = new LeaseRenewal(leaseMs / 3, () => this.renew(held, leaseMs));
  }

  private async renew(held: HeldClaim, leaseMs: number): Promise<void> {
    const { claim } = held;
    const leaseEndsAt = performance.now() + leaseMs;
    try {
      await withTimeout(claimTimeoutMs, this.repository.renew(claim, leaseMs));
      held.claim = { ...claim, leaseEndsAt };
    } catch (error) {
      this.warn(error, claim, 'lease of an idempotency claim was not renewed');
    }
  }

  /** A claim that arrives after its request was rejected does no work, so it is ended. */
  private releaseLate(claiming: Promise<ClaimResult>): void {
    claiming.then(
      (late) => (late.is === 'claimed' ? this.endClaim(late.claim, unavailableResponse, false) : undefined),
      () => undefined,
    );
  }

  private async endClaim(
    claim: Claim,
    response: StoredResponse | undefined,
    outcomeUnknown: boolean,
  ): Promise<void> {
    const end = response ? claimEndOf(response.status, outcomeUnknown, claim.attempt) : 'release';
    try {
      if (end === 'store' && response)
        await withTimeout(storeTimeoutMs, this.repository.store(claim, response));
      if (end === 'delete') await withTimeout(storeTimeoutMs, this.repository.delete(claim));
      if (end === 'release') await withTimeout(storeTimeoutMs, this.repository.release(claim));
    } catch (error) {
      this.warn(error, claim, 'idempotency claim was not ended; its lease will expire');
    }
  }

  private warn(error: unknown, { operationId }: Claim, message: string): void {
    this.logger.warn({ err: error, operationId }, message);
  }
}

const queryOf = (url: string): string => url.replace(/^[^?]*\??/, '');
