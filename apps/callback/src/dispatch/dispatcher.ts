import { AppLogger } from '@gangan/runtime';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { CallbackConfig } from '../callback.config.js';
import { CallbackMetrics } from '../callback.metrics.js';
import type { ClaimedCallback } from '../delivery/delivery.repository.js';
import { DeliveryService } from '../delivery/delivery.service.js';
import { type ClaimResult, ClaimsRepository } from './claims.repository.js';
import { type Allotment, allotSlots, type Host, hostKey, type Pool, slowMs } from './host-limits.js';
import { Pools } from './pools.js';
import { WaitingHosts } from './waiting-hosts.js';

const maxHostsPerClaim = 64;
const busyDelayMs = 30;

/**
 * Claims callbacks of hosts that may have due ones, and makes as many attempts as there are slots. The state in memory is
 * only a hint: the rows decide what is sent, and the sweeper finds hosts that are missing here.
 */
@Injectable()
export class Dispatcher implements BeforeApplicationShutdown {
  /** Hosts that may have due callbacks, in the order in which they are claimed. */
  private readonly awake = new Map<string, Host>();
  private readonly waiting = new WaitingHosts();
  /** Hosts at their limit with more due: the end of an attempt wakes them. */
  private readonly backlogged = new Set<string>();
  /** By host. */
  private readonly inFlight = new Map<string, Set<Promise<void>>>();
  private readonly pools: Pools;
  private readonly maxPerHost: number;
  private claiming: Promise<void> | undefined;
  private isStopping = false;

  constructor(
    private readonly repository: ClaimsRepository,
    private readonly delivery: DeliveryService,
    private readonly metrics: CallbackMetrics,
    private readonly logger: AppLogger,
    config: CallbackConfig,
  ) {
    const sizes = { fast: config.CALLBACK_CONCURRENCY, slow: config.CALLBACK_SLOW_CONCURRENCY };
    this.maxPerHost = config.CALLBACK_HOST_CONCURRENCY;
    this.pools = new Pools(sizes, (kind, inFlight) => {
      this.metrics.setInFlight(kind, inFlight);
    });
  }

  wake(hosts: readonly Host[]): void {
    if (this.isStopping) return;
    for (const host of hosts) if (!this.waiting.has(host)) this.awake.set(hostKey(host), host);
    if (this.awake.size > 0) this.claiming ??= this.claimAll();
  }

  /** Claims nothing more and waits for the attempts in flight. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await this.claiming;
    await Promise.all([...this.inFlight.values()].flatMap((attempts) => [...attempts]));
  }

  /** One claim at a time; hosts that wake meanwhile share the next one. */
  private async claimAll(): Promise<void> {
    while (this.awake.size > 0 && !this.isStopping) {
      const hosts = [...this.awake.values()].slice(0, maxHostsPerClaim);
      for (const host of hosts) this.awake.delete(hostKey(host));
      try {
        this.dispatch(
          await this.repository.claim(hosts, (states) =>
            allotSlots(states, this.pools.byPool, this.maxPerHost),
          ),
        );
      } catch (error) {
        this.logger.warn({ err: error }, 'callbacks could not be claimed; the sweeper finds them later');
      }
    }
    this.claiming = undefined;
  }

  private dispatch({ allotments, callbacks, busy }: ClaimResult): void {
    const pools = new Map(allotments.map(({ host, pool }) => [hostKey(host), pool]));
    const claimed = new Map<string, number>();
    for (const callback of callbacks) {
      const key = hostKey(callback);
      claimed.set(key, (claimed.get(key) ?? 0) + 1);
      this.start(callback, pools.get(key) ?? 'fast');
    }
    for (const allotment of allotments) this.planNext(allotment, claimed.get(hostKey(allotment.host)) ?? 0);
    this.wakeWaiting();
    if (busy.length > 0)
      setTimeout(() => {
        this.wake(busy);
      }, busyDelayMs).unref();
  }

  /** Decides when the host is claimed next. */
  private planNext({ host, pool, remaining, slots }: Allotment, claimed: number): void {
    const key = hostKey(host);
    this.backlogged.delete(key);
    if (remaining === 0) {
      this.metrics.countPostponed(host.isOpen ? 'breaker' : 'limit');
      if (!host.isOpen) this.awaitEnd(key);
    } else if (claimed < slots) {
      return;
    } else if (slots === remaining) {
      this.awaitEnd(key);
    } else if (this.pools.byPool[pool].freeFor(host.organisationId) > 0) {
      this.awake.set(key, host);
    } else {
      this.waiting.add(pool, host);
    }
  }

  /** Attempts of another worker wake nothing here; that worker claims the next ones itself. */
  private awaitEnd(key: string): void {
    if (this.inFlight.has(key)) this.backlogged.add(key);
  }

  private start(callback: ClaimedCallback, pool: Pool): void {
    const key = hostKey(callback);
    const slot = this.pools.take(pool, callback.organisationId);
    const slowTimer = setInterval(() => {
      if (!slot.leaveFast()) return;
      clearInterval(slowTimer);
      this.wakeWaiting();
    }, slowMs);
    const attempts = this.inFlight.get(key) ?? new Set();
    const attempt = this.delivery.attempt(callback).then(() => {
      clearInterval(slowTimer);
      slot.release();
      attempts.delete(attempt);
      if (attempts.size === 0) this.inFlight.delete(key);
      if (this.backlogged.delete(key)) this.wake([callback]);
      this.wakeWaiting();
    });
    this.inFlight.set(key, attempts.add(attempt));
  }

  /** Wakes the waiting hosts for which there is a slot now. */
  private wakeWaiting(): void {
    this.wake(this.waiting.takeNext(this.pools.byPool));
  }
}
