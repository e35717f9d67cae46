import { LeaseRenewal } from '@gangan/leases';
import { unavailable, withTimeout } from '@gangan/protocol';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { returnedError } from '../http/errors/error-response.js';
import { readWithTimeout } from '../http/errors/read-with-timeout.js';
import { contextOf } from '../http/request/request-context.js';
import { UploadedFile } from '../http/request/uploaded-file.js';
import { declaredAccess } from '../http/routes/access.js';
import { StorageMonitor } from '../storage/storage-monitor.js';
import { claimEndOf, claimTimeoutMs, leaseMsOf } from './claim-policy.js';
import { type Claim, ClaimRepository, type ClaimResult, type StoredResponse } from './claim.repository.js';
import { Fingerprints } from './fingerprint.js';
import { type ClaimScope, claimScopeOf, idempotencyKeyOf } from './idempotency-key.js';
import { idempotencyMismatch, inProgress } from './idempotency.errors.js';
import { IdempotencyMetrics } from './idempotency.metrics.js';
import { reducedResponse } from './reduced-response.js';
import { ResponseQuota } from './response-quota.js';

/** How long a response waits to be stored. If that fails, a duplicate runs again and finds the row that the work made. */
const storeTimeoutMs = 1_000;

/** The response of a request whose claim came too late. */
const unavailableResponse: StoredResponse = { status: 503, type: undefined, body: Buffer.alloc(0) };

interface OpenClaim {
  claim: Claim;
  renewal?: LeaseRenewal;
}

/** Carries out a request with an Idempotency-Key once, however often it is sent. */
@Injectable()
export class IdempotencyService {
  private readonly claims = new WeakMap<FastifyRequest, OpenClaim>();

  constructor(
    private readonly repository: ClaimRepository,
    private readonly fingerprints: Fingerprints,
    private readonly quota: ResponseQuota,
    private readonly storage: StorageMonitor,
    private readonly metrics: IdempotencyMetrics,
    private readonly logger: AppLogger,
  ) {}

  /** Returns the claim of the request, or the response of an earlier one. @throws AppError 400, 409, 422, 503 */
  async begin(request: FastifyRequest): Promise<Claim | StoredResponse | undefined> {
    const key = idempotencyKeyOf(request.headers);
    const { organisationId } = contextOf(request);
    if (key === undefined || organisationId === undefined) return undefined;
    const scope = claimScopeOf(request, organisationId, key);
    const result = await this.claimFor(request, scope);
    switch (result.is) {
      case 'claimed':
        this.remember(request, result.claim);
        return result.claim;
      case 'answered':
        return result.response;
      case 'running':
        throw inProgress(result.leaseLeftMs);
      case 'another_request':
        throw idempotencyMismatch();
    }
  }

  hasClaim(request: FastifyRequest): boolean {
    return this.claims.has(request);
  }

  /** Ends the claim; never fails. Returns how long duplicates are still rejected: 0 unless the outcome is unknown. */
  async end(request: FastifyRequest, response: StoredResponse | undefined): Promise<number> {
    const open = this.claims.get(request);
    if (!open) return 0;
    await open.renewal?.stop();
    this.claims.delete(request);
    const { claim } = open;
    const outcomeUnknown = returnedError(request)?.code === 'outcome_unknown';
    await this.endClaim(claim, response, outcomeUnknown, this.fileFingerprint(request));
    return outcomeUnknown ? Math.max(0, claim.leaseEndsAt - performance.now()) : 0;
  }

  /**
   * The hash of a file is known only when the file was read. So an upload claims with the fingerprint of a request
   * without its file, and the hash is added when its response is stored. If the key was used before, the file is read
   * for its hash and discarded.
   */
  private async claimFor(request: FastifyRequest, scope: ClaimScope): Promise<ClaimResult> {
    const { body } = request;
    if (!(body instanceof UploadedFile)) return this.claim(request, scope, body);
    const result = await this.claim(request, scope, { file: true });
    if (result.is !== 'another_request') return result;
    const repeated = await this.claim(request, scope, { file: await body.readHash() });
    if (repeated.is !== 'claimed') return repeated;
    // The stored response was deleted meanwhile, and the file cannot be read again.
    await this.endClaim(repeated.claim, unavailableResponse, false);
    throw unavailable();
  }

  private claim(request: FastifyRequest, scope: ClaimScope, body: unknown): Promise<ClaimResult> {
    const claiming = this.repository.claim({
      scope,
      operationId: contextOf(request).operationId,
      fingerprints: this.fingerprints.of(queryOf(request.url), body),
      leaseMs: leaseMsOf(request.routeOptions.config),
    });
    return readWithTimeout(claimTimeoutMs, claiming).catch((error: unknown) => {
      this.releaseLate(claiming);
      throw error;
    });
  }

  /** The fingerprint of an upload with the hash of its file, if it was read to its end; undefined for other requests. */
  private fileFingerprint({ body, url }: FastifyRequest): Buffer | undefined {
    if (!(body instanceof UploadedFile)) return undefined;
    return this.fingerprints.of(queryOf(url), { file: body.sha256 ?? true })[0];
  }

  /** A file may take longer to arrive than the lease lasts, so the lease is renewed. */
  private remember(request: FastifyRequest, claim: Claim): void {
    const { config } = request.routeOptions;
    const open: OpenClaim = { claim };
    this.claims.set(request, open);
    if (declaredAccess(config)?.takes === undefined) return;
    const leaseMs = leaseMsOf(config);
    open.renewal = new LeaseRenewal(leaseMs / 3, () => this.renew(open, leaseMs));
  }

  private async renew(open: OpenClaim, leaseMs: number): Promise<void> {
    const { claim } = open;
    const leaseEndsAt = performance.now() + leaseMs;
    try {
      await withTimeout(claimTimeoutMs, this.repository.renew(claim, leaseMs));
      open.claim = { ...claim, leaseEndsAt };
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
    fingerprint?: Buffer,
  ): Promise<void> {
    const end = response
      ? claimEndOf(response.status, outcomeUnknown, claim.attempt, !response.isTooLarge)
      : 'release';
    try {
      if (end === 'store' && response)
        await withTimeout(storeTimeoutMs, this.store(claim, response, fingerprint));
      if (end === 'delete') await withTimeout(storeTimeoutMs, this.repository.delete(claim));
      if (end === 'release') await withTimeout(storeTimeoutMs, this.repository.release(claim));
    } catch (error) {
      this.warn(error, claim, 'idempotency claim was not ended; its lease will expire');
    }
  }

  private async store(claim: Claim, response: StoredResponse, fingerprint?: Buffer): Promise<void> {
    const { organisationId } = claim;
    const reason = await this.reasonToReduce(organisationId);
    if (reason !== undefined) this.metrics.reduced.inc({ reason });
    const kept = reason === undefined ? response : reducedResponse(response);
    this.quota.count(organisationId, await this.repository.store(claim, kept, fingerprint));
  }

  private async reasonToReduce(organisationId: string): Promise<'storage_low' | 'quota' | undefined> {
    if (this.storage.isLow) return 'storage_low';
    return (await this.quota.isUsedUp(organisationId)) ? 'quota' : undefined;
  }

  private warn(error: unknown, { operationId }: Claim, message: string): void {
    this.logger.warn({ err: error, operationId }, message);
  }
}

const queryOf = (url: string): string => url.replace(/^[^?]*\??/, '');
