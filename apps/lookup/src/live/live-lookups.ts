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

/** Money set aside for a call of the provider. Both ways to end it never fail. */
export interface Payment {
  earned(): Promise<void>;
  back(): Promise<void>;
}

export type Pay = () => Promise<Payment>;

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
    let payment: Payment | undefined;
    let told = false;
    try {
      const answer = await this.waitOrAsk(phone, async () => {
        payment ??= await pay();
      });
      told = answer.kind === 'told';
      return answer;
    } finally {
      await (told ? payment?.earned() : payment?.back());
    }
  }

  /** It is paid before the number is claimed: a wallet that is waited for holds nobody else up. */
  private async waitOrAsk(phone: ParsedPhone, pay: () => Promise<void>): Promise<LiveAnswer> {
    const { timeoutMs } = this.provider;
    const patientUntil = performance.now() + timeoutMs;
    for (;;) {
      const { complete, beingAsked, finding } = await this.findings.find(phone.e164);
      if (complete) return { kind: 'kept', finding };
      if (!beingAsked) {
        if (this.provider.isSpared()) return { kind: 'silent', finding };
        await pay();
        const claim = await this.findings.claim(phone.e164, timeoutMs + graceMs);
        if (claim !== undefined) return this.askProvider(phone, claim, finding);
      }
      if (performance.now() > patientUntil) return { kind: 'silent', finding };
      await pause(lookAgainMs);
    }
  }

  private async askProvider(phone: ParsedPhone, claim: string, believed: LiveFinding): Promise<LiveAnswer> {
    let kept = false;
    try {
      const finding = await this.provider.ask(phone);
      if (!finding) return { kind: 'silent', finding: believed };
      kept = await this.keep(phone.e164, claim, finding);
      return { kind: 'told', finding };
    } finally {
      if (!kept) await this.findings.release(phone.e164, claim).catch(() => undefined);
    }
  }

  /** An answer that cannot be kept is still an answer. */
  private async keep(e164: string, claim: string, finding: LiveFinding): Promise<boolean> {
    try {
      await this.findings.keep(e164, claim, finding);
      return true;
    } catch (error) {
      this.logger.warn({ err: error }, 'what the live provider said could not be kept');
      return false;
    }
  }
}
