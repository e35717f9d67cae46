import { AppLogger } from '@gangan/runtime';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { CallbackConfig } from '../callback.config.js';
import { CallbackMetrics } from '../callback-metrics.js';
import { CallbackService } from '../callback.service.js';
import type { Claimed } from '../delivery/claimed.js';
import { type Claim, ClaimsRepository } from './claims.repository.js';
import { allot, type Allotment, type Host, keyOf, type Lane, slowMs } from './isolation.js';
import { Queues } from './queues.js';
import { Slots } from './slots.js';

const mostHostsAtOnce = 64;
const busyPauseMs = 30;

/**
 * Makes attempts, as many at a time as there are slots. Whoever knows of a host with something due wakes it; which
 * callbacks are sent is then decided by their rows. Nothing here need be remembered: hosts that are lost are woken again
 * by the sweeper.
 */
@Injectable()
export class Dispatcher implements BeforeApplicationShutdown {
  /** Hosts that may have something due, in the order in which they get their turn. */
  private readonly awake = new Map<string, Host>();
  private readonly queues = new Queues();
  /** Hosts that have more due than they may have under way: the end of an attempt wakes them. */
  private readonly backlogged = new Set<string>();
  /** By host. */
  private readonly underWay = new Map<string, Set<Promise<void>>>();
  private readonly slots: Slots;
  private readonly mostPerHost: number;
  private claiming: Promise<void> | undefined;
  private stopping = false;

  constructor(
    private readonly repository: ClaimsRepository,
    private readonly service: CallbackService,
    private readonly metrics: CallbackMetrics,
    private readonly logger: AppLogger,
    config: CallbackConfig,
  ) {
    const most = { fast: config.CALLBACK_CONCURRENCY, slow: config.CALLBACK_SLOW_CONCURRENCY };
    this.mostPerHost = config.CALLBACK_HOST_CONCURRENCY;
    this.slots = new Slots(most, (place, taken) => {
      this.metrics.showUnderWay(place, taken);
    });
  }

  wake(hosts: readonly Host[]): void {
    if (this.stopping) return;
    for (const host of hosts) if (!this.queues.has(host)) this.awake.set(keyOf(host), host);
    if (this.awake.size > 0) this.claiming ??= this.claimAll();
  }

  /** Takes nothing more, and waits for what is under way. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    await this.claiming;
    await Promise.all([...this.underWay.values()].flatMap((attempts) => [...attempts]));
  }

  /** One claim at a time; whoever wakes meanwhile shares the next. */
  private async claimAll(): Promise<void> {
    while (this.awake.size > 0 && !this.stopping) {
      const hosts = [...this.awake.values()].slice(0, mostHostsAtOnce);
      for (const host of hosts) this.awake.delete(keyOf(host));
      try {
        this.follow(await this.repository.claim(hosts, (states) => this.share(states)));
      } catch (error) {
        this.logger.warn({ err: error }, 'callbacks could not be claimed: they will be found later');
      }
    }
    this.claiming = undefined;
  }

  private share(states: Parameters<typeof allot>[0]): Allotment[] {
    return allot(states, this.slots.lanes, this.mostPerHost);
  }

  private follow({ allotments, callbacks, busy }: Claim): void {
    const lanes = new Map(allotments.map(({ host, lane }) => [keyOf(host), lane]));
    const given = new Map<string, number>();
    for (const callback of callbacks) {
      const key = keyOf(callback);
      given.set(key, (given.get(key) ?? 0) + 1);
      this.start(callback, lanes.get(key) ?? 'fast');
    }
    for (const allotment of allotments) this.settle(allotment, given.get(keyOf(allotment.host)) ?? 0);
    this.admit();
    if (busy.length > 0)
      setTimeout(() => {
        this.wake(busy);
      }, busyPauseMs).unref();
  }

  /** When the host gets its next turn. */
  private settle({ host, lane, room, slots }: Allotment, given: number): void {
    const key = keyOf(host);
    this.backlogged.delete(key);
    if (room === 0) {
      this.metrics.countPostponed(host.isOpen ? 'breaker' : 'limit');
      if (!host.isOpen) this.awaitEnd(key);
    } else if (given < slots) {
      return;
    } else if (slots === room) {
      this.awaitEnd(key);
    } else if (this.slots.lanes[lane].freeFor(host.organisationId) > 0) {
      this.awake.set(key, host);
    } else {
      this.queues.add(lane, host);
    }
  }

  /** What another worker ends wakes nobody here; it sees to the host itself. */
  private awaitEnd(key: string): void {
    if (this.underWay.has(key)) this.backlogged.add(key);
  }

  private start(callback: Claimed, lane: Lane): void {
    const key = keyOf(callback);
    const slot = this.slots.take(lane, callback.organisationId);
    const patience = setInterval(() => {
      if (!slot.giveWay()) return;
      clearInterval(patience);
      this.admit();
    }, slowMs);
    const attempts = this.underWay.get(key) ?? new Set();
    const attempt = this.service.attempt(callback).then(() => {
      clearInterval(patience);
      slot.leave();
      attempts.delete(attempt);
      if (attempts.size === 0) this.underWay.delete(key);
      if (this.backlogged.delete(key)) this.wake([callback]);
      this.admit();
    });
    this.underWay.set(key, attempts.add(attempt));
  }

  /** Wakes those for whom there is a slot now. */
  private admit(): void {
    this.wake(this.queues.next(this.slots.lanes));
  }
}
