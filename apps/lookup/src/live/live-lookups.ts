import { setTimeout as pause } from 'node:timers/promises';
import type { ParsedPhone } from '@gangan/contracts';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { FindingRepository } from './finding.repository.js';
import { GuardedProvider } from './guarded-provider.js';
import type { LiveFinding } from './live-provider.js';

/** What came of a look-up that needs the provider. */
export type LiveAnswer =
  | { readonly kind: 'told'; readonly finding: LiveFinding }
  /** Another worker was told meanwhile. */
  | { readonly kind: 'kept'; readonly finding: LiveFinding }
  /** The provider gave no answer; this is what is still believed of earlier ones. */
  | { readonly kind: 'silent'; readonly finding: LiveFinding };

/** Pays for a call of the provider, and gives the way to have it back. */
export type Pay = () => Promise<() => Promise<void>>;

const graceMs = 1_000;
const lookAgainMs = 50;

/** Asks the provider once, however many want to know: those of this worker share the call, the others its result. */
@Injectable()
export class LiveLookups {
  private readonly underWay = new Map<string, Promise<LiveAnswer>>();

  constructor(
    private readonly provider: GuardedProvider,
    private readonly findings: FindingRepository,
    private readonly logger: AppLogger,
  ) {}

  /** @throws what `pay` throws */
  async ask(phone: ParsedPhone, pay: Pay): Promise<LiveAnswer> {
    for (;;) {
      const asked = this.underWay.get(phone.e164);
      if (!asked) return this.lead(phone, pay);
      // That somebody else could not pay is not this caller's fault.
      const answer = await asked.catch(() => undefined);
      if (answer) return answer;
    }
  }

  private lead(phone: ParsedPhone, pay: Pay): Promise<LiveAnswer> {
    const answer = this.claimAndAsk(phone, pay).finally(() => this.underWay.delete(phone.e164));
    this.underWay.set(phone.e164, answer);
    return answer;
  }

  private async claimAndAsk(phone: ParsedPhone, pay: Pay): Promise<LiveAnswer> {
    const { timeoutMs } = this.provider;
    const patientUntil = performance.now() + timeoutMs;
    while (!(await this.findings.claim(phone.e164, timeoutMs + graceMs))) {
      const { complete, finding } = await this.findings.find(phone.e164);
      if (complete) return { kind: 'kept', finding };
      if (performance.now() > patientUntil) return { kind: 'silent', finding };
      await pause(lookAgainMs);
    }
    return this.askProvider(phone, pay);
  }

  private async askProvider(phone: ParsedPhone, pay: Pay): Promise<LiveAnswer> {
    let giveBack: (() => Promise<void>) | undefined;
    let kept = false;
    try {
      const finding = await this.provider.ask(phone, async () => {
        giveBack = await pay();
      });
      if (!finding) {
        await giveBack?.();
        return { kind: 'silent', finding: (await this.findings.find(phone.e164)).finding };
      }
      kept = await this.keep(phone.e164, finding);
      return { kind: 'told', finding };
    } finally {
      if (!kept) await this.findings.release(phone.e164).catch(() => undefined);
    }
  }

  /** An answer that cannot be kept is still an answer. */
  private async keep(e164: string, finding: LiveFinding): Promise<boolean> {
    try {
      await this.findings.keep(e164, finding);
      return true;
    } catch (error) {
      this.logger.warn({ err: error }, 'what the live provider said could not be kept');
      return false;
    }
  }
}
