import { withTimeout } from '@gangan/protocol';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { declaredAccess } from '../http/access.js';
import { readInTime } from '../http/read-in-time.js';
import { givenRefusal } from '../http/given-refusal.js';
import { contextOf } from '../http/request-context.js';
import { claimScopeOf, queryOf } from './claim-scope.js';
import { type Claim, ClaimRepository, type ClaimResult, type KeptAnswer } from './claim.repository.js';
import { fateOf } from './fate.js';
import { Fingerprints } from './fingerprint.js';
import { idempotencyKeyOf } from './idempotency-key.js';
import { idempotencyMismatch, inProgress } from './idempotency.errors.js';
import { LeaseRenewal } from './lease-renewal.js';
import { claimPatienceMs, leaseMsOf } from './lease.js';

/** How long an answer waits to be kept. Without it nothing is lost but the exact words: a repetition meets its own row. */
const keepPatienceMs = 1_000;

/** What a caller got whose claim was not given in time. */
const unavailableAnswer: KeptAnswer = { status: 503, type: undefined, body: Buffer.alloc(0) };

/** Lets a request with an Idempotency-Key be carried out once, however often it is sent. */
@Injectable()
export class Idempotency {
  private readonly claims = new WeakMap<FastifyRequest, Claim>();
  private readonly renewals = new WeakMap<FastifyRequest, LeaseRenewal>();

  constructor(
    private readonly repository: ClaimRepository,
    private readonly fingerprints: Fingerprints,
    private readonly logger: AppLogger,
  ) {}

  /**
   * Claims the request's key, and gives the claim that it has to be carried out under; or the answer it got before.
   * @throws AppError 400, 409, 422, or 503 when the database is away
   */
  async begin(request: FastifyRequest): Promise<Claim | KeptAnswer | undefined> {
    const key = idempotencyKeyOf(request.headers);
    const { organisationId, operationId } = contextOf(request);
    if (key === undefined || organisationId === undefined) return undefined;
    const claiming = this.repository.take({
      scope: claimScopeOf(request, organisationId, key),
      operationId,
      fingerprints: this.fingerprints.of(queryOf(request.url), request.body),
      leaseMs: leaseMsOf(request.routeOptions.config),
    });
    const result = await readInTime(claimPatienceMs, claiming).catch((error: unknown) => {
      this.releaseLate(claiming);
      throw error;
    });
    switch (result.is) {
      case 'taken':
        this.hold(request, result.claim);
        return result.claim;
      case 'answered':
        return result.answer;
      case 'running':
        throw inProgress(result.leftMs);
      case 'another_request':
        throw idempotencyMismatch();
    }
  }

  claimOf(request: FastifyRequest): Claim | undefined {
    return this.claims.get(request);
  }

  /**
   * Settles the claim before the answer leaves. It never fails: the answer is true whether it could be kept or not.
   * Gives for how long repetitions are kept out: 0 unless the outcome is unknown.
   */
  async end(request: FastifyRequest, claim: Claim, answer: KeptAnswer | 'unrepeatable'): Promise<number> {
    await this.renewals.get(request)?.stop();
    this.claims.delete(request);
    const outcomeUnknown = givenRefusal(request)?.code === 'outcome_unknown';
    await this.trySettling(claim, answer, outcomeUnknown);
    return outcomeUnknown ? Math.max(0, claim.leaseEndsAt - performance.now()) : 0;
  }

  /** A file may take longer to arrive than any lease: until it has, no repetition is let in. */
  private hold(request: FastifyRequest, claim: Claim): void {
    this.claims.set(request, claim);
    const { config } = request.routeOptions;
    if (declaredAccess(config)?.takes === undefined) return;
    const leaseMs = leaseMsOf(config);
    this.renewals.set(request, new LeaseRenewal(leaseMs / 3, () => this.renew(request, leaseMs)));
  }

  private async renew(request: FastifyRequest, leaseMs: number): Promise<void> {
    const claim = this.claims.get(request);
    if (!claim) return;
    const leaseEndsAt = performance.now() + leaseMs;
    try {
      const isOurs = await withTimeout(claimPatienceMs, this.repository.renew(claim, leaseMs));
      if (isOurs) this.claims.set(request, { ...claim, leaseEndsAt });
    } catch (error) {
      this.logger.warn(
        { err: error, operationId: claim.operationId },
        'the lease of an idempotency claim was not renewed',
      );
    }
  }

  /** Nothing is done under a claim that comes when its request has been refused, so it keeps no repetition out. */
  private releaseLate(claiming: Promise<ClaimResult>): void {
    claiming.then(
      (late) => (late.is === 'taken' ? this.trySettling(late.claim, unavailableAnswer, false) : undefined),
      () => undefined,
    );
  }

  private async trySettling(
    claim: Claim,
    answer: KeptAnswer | 'unrepeatable',
    outcomeUnknown: boolean,
  ): Promise<void> {
    try {
      await withTimeout(keepPatienceMs, this.settle(claim, answer, outcomeUnknown));
    } catch (error) {
      this.logger.warn(
        { err: error, operationId: claim.operationId },
        'an idempotency claim was not settled; its lease runs out by itself',
      );
    }
  }

  private async settle(
    claim: Claim,
    answer: KeptAnswer | 'unrepeatable',
    outcomeUnknown: boolean,
  ): Promise<void> {
    if (answer === 'unrepeatable') return this.repository.handBack(claim);
    switch (fateOf(answer.status, outcomeUnknown, claim.attempt)) {
      case 'keep':
        return this.repository.keep(claim, answer);
      case 'forget':
        return this.repository.forget(claim);
      case 'hand_back':
        return this.repository.handBack(claim);
      case 'hold':
        return;
    }
  }
}
