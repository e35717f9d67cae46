import { setTimeout as delay } from 'node:timers/promises';
import type { ParsedPhone } from '@gangan/contracts';
import type { LookupFinding } from '@gangan/providers';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import type { Reservation } from '../charges/lookup-charges.js';
import type { LookupProvider } from '../providers/lookup-provider.js';
import { ProviderCalls } from '../providers/provider-calls.js';
import { FindingRepository, type ReportedFinding } from './finding.repository.js';

/**
 * `live`: this call reached a provider. `cache`: another worker stored the finding meanwhile. `unavailable`: no provider
 * gave an answer; the finding is what is still valid of earlier ones.
 */
export interface LiveResult {
  readonly kind: 'live' | 'cache' | 'unavailable';
  readonly finding: LookupFinding;
}

/** A number, and the providers that may be asked about it, in this order. */
export interface LiveQuestion {
  readonly organisationId: string;
  readonly phone: ParsedPhone;
  readonly providers: readonly LookupProvider[];
}

const leaseMarginMs = 1_000;
const pollIntervalMs = 50;

/** Asks about a number once for simultaneous lookups: this worker shares the call, others its result. */
@Injectable()
export class LiveLookups {
  private readonly inFlight = new Map<string, Promise<LiveResult>>();

  constructor(
    private readonly calls: ProviderCalls,
    private readonly findings: FindingRepository,
    private readonly logger: AppLogger,
  ) {}

  /** @throws the error of `reserve` */
  async find(question: LiveQuestion, reserve: () => Promise<Reservation>): Promise<LiveResult> {
    const { phone, providers } = question;
    const key = [phone.e164, ...providers.map(({ identity }) => identity)].join(' ');
    const startedAt = performance.now();
    for (;;) {
      const shared = this.inFlight.get(key);
      if (!shared) {
        const result = this.findPaid(question, startedAt, reserve).finally(() => this.inFlight.delete(key));
        this.inFlight.set(key, result);
        return result;
      }
      // The other caller may have failed to pay; this one then tries itself.
      const result = await shared.catch(() => undefined);
      if (result) return result;
    }
  }

  private async findPaid(
    question: LiveQuestion,
    startedAt: number,
    reserve: () => Promise<Reservation>,
  ): Promise<LiveResult> {
    let reservation: Reservation | undefined;
    let result: LiveResult | undefined;
    try {
      result = await this.waitOrCall(question, startedAt, async () => {
        reservation ??= await reserve();
      });
      return result;
    } finally {
      await (result?.kind === 'live' ? reservation?.post() : reservation?.cancel());
    }
  }

  /** Reserves before it claims, so that waiting for a locked wallet delays no other organisation. */
  private async waitOrCall(
    question: LiveQuestion,
    startedAt: number,
    reserve: () => Promise<void>,
  ): Promise<LiveResult> {
    const { providers } = question;
    const totalMs = this.calls.totalMs(providers);
    const deadline = startedAt + this.calls.maxTotalMs;
    for (;;) {
      const { complete, beingAsked, finding } = await this.findings.find(question);
      if (complete) return { kind: 'cache', finding };
      if (!beingAsked) {
        if (this.calls.arePaused(providers)) return { kind: 'unavailable', finding };
        await reserve();
        const claim = await this.findings.claim(question, totalMs + leaseMarginMs);
        if (claim !== undefined) return this.callProviders(question, claim, deadline, finding);
      }
      if (performance.now() > startedAt + totalMs) return { kind: 'unavailable', finding };
      await delay(pollIntervalMs);
    }
  }

  private async callProviders(
    { organisationId, phone, providers }: LiveQuestion,
    claim: string,
    deadline: number,
    cached: LookupFinding,
  ): Promise<LiveResult> {
    const answer = await this.calls.find(providers, phone, deadline);
    const isStored =
      answer !== undefined && (await this.store(phone.e164, claim, { organisationId, ...answer }));
    if (!isStored) await this.findings.release(phone.e164, claim).catch(() => undefined);
    return answer ? { kind: 'live', finding: answer.finding } : { kind: 'unavailable', finding: cached };
  }

  /** Never fails: a finding that cannot be stored is still a result. */
  private async store(e164: string, claim: string, answer: ReportedFinding): Promise<boolean> {
    try {
      await this.findings.store(e164, claim, answer);
      return true;
    } catch (error) {
      this.logger.warn({ err: error }, 'the result of a lookup provider could not be cached');
      return false;
    }
  }
}
