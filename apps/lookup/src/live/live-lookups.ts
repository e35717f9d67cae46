import { setTimeout as delay } from 'node:timers/promises';
import type { ParsedPhone } from '@gangan/contracts';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import type { Reservation } from '../charges/lookup-charges.js';
import { CircuitBreakerProvider } from '../providers/circuit-breaker-provider.js';
import type { LiveFinding } from '../providers/live-provider.js';
import { FindingRepository } from './finding.repository.js';

/**
 * `live`: this call reached the provider. `cache`: another worker stored the finding meanwhile. `unavailable`: the
 * provider gave no answer; the finding is what is still valid of earlier ones.
 */
export interface LiveResult {
  readonly kind: 'live' | 'cache' | 'unavailable';
  readonly finding: LiveFinding;
}

const leaseMarginMs = 1_000;
const pollIntervalMs = 50;

/** Calls the provider once for simultaneous lookups of a number: this worker shares the call, others its result. */
@Injectable()
export class LiveLookups {
  private readonly inFlight = new Map<string, Promise<LiveResult>>();

  constructor(
    private readonly provider: CircuitBreakerProvider,
    private readonly findings: FindingRepository,
    private readonly logger: AppLogger,
  ) {}

  /** @throws the error of `reserve` */
  async find(phone: ParsedPhone, reserve: () => Promise<Reservation>): Promise<LiveResult> {
    for (;;) {
      const shared = this.inFlight.get(phone.e164);
      if (!shared) {
        const result = this.findPaid(phone, reserve).finally(() => this.inFlight.delete(phone.e164));
        this.inFlight.set(phone.e164, result);
        return result;
      }
      // The other caller may have failed to pay; this one then tries itself.
      const result = await shared.catch(() => undefined);
      if (result) return result;
    }
  }

  private async findPaid(phone: ParsedPhone, reserve: () => Promise<Reservation>): Promise<LiveResult> {
    let reservation: Reservation | undefined;
    let result: LiveResult | undefined;
    try {
      result = await this.waitOrCall(phone, async () => {
        reservation ??= await reserve();
      });
      return result;
    } finally {
      await (result?.kind === 'live' ? reservation?.post() : reservation?.cancel());
    }
  }

  /** Reserves before it claims, so that waiting for a locked wallet delays no other organisation. */
  private async waitOrCall(phone: ParsedPhone, reserve: () => Promise<void>): Promise<LiveResult> {
    const { timeoutMs } = this.provider;
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const { complete, beingAsked, finding } = await this.findings.find(phone.e164);
      if (complete) return { kind: 'cache', finding };
      if (!beingAsked) {
        if (this.provider.isPaused()) return { kind: 'unavailable', finding };
        await reserve();
        const claim = await this.findings.claim(phone.e164, timeoutMs + leaseMarginMs);
        if (claim !== undefined) return this.callProvider(phone, claim, finding);
      }
      if (performance.now() > deadline) return { kind: 'unavailable', finding };
      await delay(pollIntervalMs);
    }
  }

  private async callProvider(phone: ParsedPhone, claim: string, cached: LiveFinding): Promise<LiveResult> {
    const finding = await this.provider.find(phone);
    const isStored = finding !== undefined && (await this.store(phone.e164, claim, finding));
    if (!isStored) await this.findings.release(phone.e164, claim).catch(() => undefined);
    return finding ? { kind: 'live', finding } : { kind: 'unavailable', finding: cached };
  }

  /** Never fails: a finding that cannot be stored is still a result. */
  private async store(e164: string, claim: string, finding: LiveFinding): Promise<boolean> {
    try {
      await this.findings.store(e164, claim, finding);
      return true;
    } catch (error) {
      this.logger.warn({ err: error }, 'the result of the live provider could not be cached');
      return false;
    }
  }
}
