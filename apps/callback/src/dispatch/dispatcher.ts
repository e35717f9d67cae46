import { AppLogger } from '@gangan/runtime';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { CallbackConfig } from '../callback.config.js';
import { CallbackMetrics } from '../callback.metrics.js';
import type { ClaimedCallback } from '../attempts/attempt.repository.js';
import { AttemptService } from '../attempts/attempt.service.js';
import { type ClaimResult, ClaimsRepository } from './claims.repository.js';
import { type SlotShare, shareSlots, type Host, hostKey, type Pool, slowMs } from './host-limits.js';
import { HostsToClaim } from './hosts-to-claim.js';
import { Pools } from './pools.js';
import { WaitingHosts } from './waiting-hosts.js';

/** A host that becomes due waits for the claim in progress, so a claim must be short. */
const maxHostsPerClaim = 8;
/** Hosts of one organisation that are kept in memory. When half of them have been served, the sweeper finds others. */
const maxHostsPerOrganisation = 1_000;
const busyDelayMs = 30;
/** Without it, attempts that start together free their slots together, and the next ones start in one burst. */
const jitter = (): number => 1 + Math.random() / 2;

/**
 * Claims callbacks of hosts that may have due ones, and makes as many attempts as there are slots. The state in memory is
 * only a hint: the rows decide what is sent, and the sweeper finds hosts that are missing here.
 */
@Injectable()
export class Dispatcher implements BeforeApplicationShutdown {
  private readonly toClaim = new HostsToClaim();
  private readonly waiting = new WaitingHosts();
  /** Hosts at their limit with more due: they are claimed when one of their attempts ends. */
  private readonly atLimit = new Set<string>();
  /** By host. */
  private readonly inFlight = new Map<string, Set<Promise<void>>>();
  private readonly pools: Pools;
  private readonly maxPerHost: number;
  private claiming: Promise<void> | undefined;
  private isStopping = false;

  constructor(
    private readonly repository: ClaimsRepository,
    private readonly attempts: AttemptService,
    private readonly metrics: CallbackMetrics,
    private readonly logger: AppLogger,
    config: CallbackConfig,
  ) {
    const sizes = { fast: config.CALLBACK_CONCURRENCY, slow: config.CALLBACK_SLOW_CONCURRENCY };
    this.maxPerHost = config.CALLBACK_HOST_CONCURRENCY;
    this.pools = new Pools(sizes, (lane, inFlight) => {
      this.metrics.inFlight.set({ lane }, inFlight);
    });
  }

  /** Claims callbacks of these hosts as soon as there are slots. Ignores hosts of an organisation that has too many. */
  add(hosts: readonly Host[]): void {
    for (const host of hosts) {
      const isFull = this.countKnown(host.organisationId) >= maxHostsPerOrganisation;
      if (!isFull && !this.waiting.has(host)) this.toClaim.add(host);
    }
    this.claimNext();
  }

  /** Organisations of which so many hosts are known that the sweeper need not find more. */
  fullOrganisations(): string[] {
    const ids = new Set([...this.toClaim.organisations(), ...this.waiting.organisations()]);
    return [...ids].filter((id) => this.countKnown(id) >= maxHostsPerOrganisation / 2);
  }

  private countKnown(organisationId: string): number {
    return this.toClaim.count(organisationId) + this.waiting.count(organisationId);
  }

  /** Claims nothing more and waits for the attempts in flight. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await this.claiming;
    await Promise.all([...this.inFlight.values()].flatMap((attempts) => [...attempts]));
  }

  private claimNext(hosts: readonly Host[] = []): void {
    for (const host of hosts) this.toClaim.add(host);
    if (!this.toClaim.isEmpty && !this.isStopping) this.claiming ??= this.claimAll();
  }

  /** One claim at a time; hosts that are added meanwhile share the next one. */
  private async claimAll(): Promise<void> {
    while (!this.toClaim.isEmpty && !this.isStopping) {
      const hosts = this.toClaim.take(maxHostsPerClaim);
      try {
        const claimed = await this.repository.claim(hosts, (states) =>
          shareSlots(states, this.pools.byPool, this.maxPerHost),
        );
        this.dispatch(claimed);
      } catch (error) {
        this.logger.warn({ err: error }, 'callbacks could not be claimed; the sweeper finds them later');
      }
    }
    this.claiming = undefined;
  }

  private dispatch({ shares, callbacks, busy, moved }: ClaimResult): void {
    const pools = new Map(shares.map(({ host, pool }) => [hostKey(host), pool]));
    const claimed = new Map<string, number>();
    for (const callback of callbacks) {
      const key = hostKey(callback);
      claimed.set(key, (claimed.get(key) ?? 0) + 1);
      this.start(callback, pools.get(key) ?? 'fast');
    }
    for (const share of shares) this.planNext(share, claimed.get(hostKey(share.host)) ?? 0);
    // Callbacks behind those that moved may be due.
    if (moved.length > 0) this.claimNext([...moved, ...shares.map((share) => share.host)]);
    this.addWaiting();
    if (busy.length > 0)
      setTimeout(() => {
        this.claimNext(busy);
      }, busyDelayMs).unref();
  }

  /** Decides when the host is claimed next. */
  private planNext({ host, pool, remaining, slots }: SlotShare, claimed: number): void {
    const key = hostKey(host);
    this.atLimit.delete(key);
    if (remaining === 0) {
      this.metrics.postponed.inc({ because: host.isOpen ? 'breaker' : 'limit' });
      if (!host.isOpen) this.claimAfterAttempt(key);
    } else if (claimed < slots) {
      return;
    } else if (slots === remaining) {
      this.claimAfterAttempt(key);
    } else if (this.pools.byPool[pool].freeFor(host.organisationId) > 0) {
      this.toClaim.add(host);
    } else {
      this.waiting.add(pool, host);
    }
  }

  /** Without an attempt here another worker is at the limit of the host; that worker claims the next ones itself. */
  private claimAfterAttempt(key: string): void {
    if (this.inFlight.has(key)) this.atLimit.add(key);
  }

  private start(callback: ClaimedCallback, pool: Pool): void {
    const key = hostKey(callback);
    const slot = this.pools.take(pool, callback.organisationId);
    const slowTimer = setInterval(() => {
      if (!slot.moveToLate()) return;
      clearInterval(slowTimer);
      this.addWaiting();
    }, slowMs * jitter());
    const attempts = this.inFlight.get(key) ?? new Set();
    const attempt = this.attempts.make(callback).then(() => {
      clearInterval(slowTimer);
      slot.release();
      attempts.delete(attempt);
      if (attempts.size === 0) this.inFlight.delete(key);
      if (this.atLimit.delete(key)) this.claimNext([callback]);
      this.addWaiting();
    });
    this.inFlight.set(key, attempts.add(attempt));
  }

  /** Claims for the waiting hosts for which there is a slot now. */
  private addWaiting(): void {
    this.claimNext(this.waiting.takeNext(this.pools.byPool));
  }
}
