import { maxStartMs } from '@gangan/leases';
import { AppLogger, Periodic } from '@gangan/runtime';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { CallbackConfig } from '../callback.config.js';
import { CallbackMetrics } from '../callback.metrics.js';
import { AttemptService } from '../attempts/attempt.service.js';
import { type ClaimResult, ClaimsRepository, type DueCallback } from './claims.repository.js';
import { HostClaims } from './host-claims.js';
import { type Host, hostKey, shareSlots, type SlotShare, slowMs } from './host-limits.js';
import { Pools } from './pools.js';
import { hostQueue, WaitingHosts } from './waiting-hosts.js';

/** A host that becomes due waits for the claim in progress, so a claim must be short. */
const maxHostsPerClaim = 8;
/** Hosts of one organisation that are kept in memory. When half of them have been served, the sweeper finds others. */
const maxHostsPerOrganisation = 1_000;
const busyDelayMs = 30;
const releaseIntervalMs = 1_000;
/** While this many attempts are not stored yet, each keeps its slot until it is. */
const maxUnfinished = 2_000;
/** Without jitter, attempts that start together free their slots together, and the next ones start in one burst. */
const jitter = (): number => 1 + Math.random() / 2;

/**
 * Claims callbacks of hosts that may have due ones, and makes as many attempts as there are slots. The state in memory is
 * only a hint: the rows decide what is sent, and the sweeper finds hosts that are missing here.
 */
@Injectable()
export class Dispatcher implements BeforeApplicationShutdown {
  /** Hosts that may have due callbacks. */
  private readonly toClaim = hostQueue();
  private readonly waiting = new WaitingHosts();
  /** The claims of hosts with callbacks that are in flight here or wait for a slot. */
  private readonly claims = new Map<string, HostClaims>();
  /** Attempts and releases that are not stored yet. */
  private readonly unfinished = new Set<Promise<void>>();
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
      const claims = this.claims.get(hostKey(host));
      const isFull = this.countKnown(host.organisationId) >= maxHostsPerOrganisation;
      if (!claims && !isFull && !this.waiting.has(host)) this.toClaim.add(host);
      if (!claims || claims.hasMore) continue;
      claims.hasMore = true;
      this.advance([claims]);
    }
    this.claimNext();
  }

  /** Organisations of which so many hosts are known that the sweeper need not find more. */
  fullOrganisations(): string[] {
    const ids = new Set([...this.toClaim.keys(), ...this.waiting.organisations()]);
    return [...ids].filter((id) => this.countKnown(id) >= maxHostsPerOrganisation / 2);
  }

  private countKnown(organisationId: string): number {
    return this.toClaim.count(organisationId) + this.waiting.count(organisationId);
  }

  /** Starts nothing more and waits for the attempts in flight. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await this.claiming;
    for (const claims of this.claims.values()) this.release(claims);
    while (this.unfinished.size > 0) await Promise.all(this.unfinished);
  }

  /** If a host hangs, its attempts in flight go on, and other workers may claim the rest. */
  @Periodic('releasing callbacks that wait for too long', releaseIntervalMs)
  releaseLate(): Promise<boolean> {
    for (const claims of this.claims.values()) this.release(claims, maxStartMs);
    return Promise.resolve(false);
  }

  private claimNext(hosts: readonly Host[] = []): void {
    for (const host of hosts) this.toClaim.add(host);
    if (!this.toClaim.isEmpty && !this.isStopping) this.claiming ??= this.claimAll();
  }

  /** Makes one claim at a time; hosts that are added meanwhile share the next one. */
  private async claimAll(): Promise<void> {
    while (!this.toClaim.isEmpty && !this.isStopping) {
      const hosts = this.toClaim.take(maxHostsPerClaim);
      try {
        const claimed = await this.repository.claim(hosts, (states) =>
          shareSlots(states, this.pools.byPool, this.maxPerHost, (host) => this.claims.get(hostKey(host))),
        );
        this.dispatch(claimed);
      } catch (error) {
        this.logger.warn({ err: error }, 'callbacks could not be claimed; the sweeper finds them later');
      }
    }
    this.claiming = undefined;
  }

  private dispatch({ shares, callbacks, busy, moved }: ClaimResult): void {
    const byHost = new Map(shares.map(({ host }) => [hostKey(host), [] as DueCallback[]]));
    for (const callback of callbacks.toSorted(inOrder)) byHost.get(hostKey(callback))?.push(callback);
    this.advance(shares.map((share) => this.update(share, byHost.get(hostKey(share.host)) ?? [])));
    // Callbacks behind those that moved may be due.
    if (moved.length > 0) this.claimNext([...moved, ...shares.map((share) => share.host)]);
    this.startWaiting();
    if (busy.length > 0)
      setTimeout(() => {
        this.claimNext(busy);
      }, busyDelayMs).unref();
  }

  private update({ host, pool, limit, remaining, slots, ahead }: SlotShare, callbacks: DueCallback[]) {
    const claims = this.claims.get(hostKey(host)) ?? new HostClaims(host);
    const claimed = slots + ahead;
    const isFull = callbacks.length === claimed;
    Object.assign(claims, { pool, limit, claimsAhead: ahead > 0 && isFull });
    claims.add(callbacks);
    if (!claims.isEmpty) this.claims.set(hostKey(host), claims);
    if (host.isOpen) this.release(claims);
    if (claimed + remaining === 0) this.metrics.postponed.inc({ because: host.isOpen ? 'breaker' : 'limit' });
    // The worker that is at the limit of a host claims the next ones itself.
    const isAtLimit = claims.inFlight + claims.waiting >= limit && !claims.isEmpty;
    const mayHaveMore = isAtLimit || (isFull && limit > 0);
    claims.hasMore = !host.isOpen && (claims.hasMore || mayHaveMore);
    return claims;
  }

  /** Starts waiting callbacks, the hosts in turn, and claims more before they run out. */
  private advance(all: readonly HostClaims[]): void {
    for (let next = all; next.length > 0;) next = next.filter((claims) => this.startNext(claims));
    for (const claims of all) {
      const { host, pool } = claims;
      if (claims.isEmpty) this.claims.delete(hostKey(host));
      const hasSlot = this.pools.byPool[pool].freeFor(host.organisationId) > 0;
      if (!hasSlot && claims.wantsSlot) this.waiting.add(pool, host);
      if (!claims.wantsMore(hasSlot)) continue;
      claims.hasMore = false;
      this.claimNext([host]);
    }
  }

  private startNext(claims: HostClaims): boolean {
    const { pool, host } = claims;
    if (this.isStopping || this.pools.byPool[pool].freeFor(host.organisationId) === 0) return false;
    const callback = claims.next();
    if (callback) this.start(claims, callback);
    return callback !== undefined;
  }

  private start(claims: HostClaims, callback: DueCallback): void {
    const slot = this.pools.take(claims.pool, callback.organisationId);
    claims.inFlight += 1;
    const slowTimer = setInterval(() => {
      if (!slot.moveToLate()) return;
      clearInterval(slowTimer);
      this.startWaiting();
    }, slowMs * jitter());
    let isInFlight = true;
    const end = (): void => {
      if (!isInFlight) return;
      isInFlight = false;
      clearInterval(slowTimer);
      slot.release();
      claims.inFlight -= 1;
      this.startWaiting();
      this.advance([claims]);
    };
    const onAnswer = (): void => {
      if (this.unfinished.size < maxUnfinished) end();
    };
    const attempt = this.attempts.make(callback, onAnswer).then((isOpen) => {
      if (isOpen) this.release(claims);
      end();
    });
    this.finish(attempt);
  }

  /** Makes callbacks due again that have waited here for `forMs`. */
  private release(claims: HostClaims, forMs = 0): void {
    const callbacks = claims.takeWaiting(forMs);
    if (callbacks.length === 0) return;
    claims.hasMore = true;
    if (claims.isEmpty) this.claims.delete(hostKey(claims.host));
    const releasing = this.repository.release(callbacks).catch((error: unknown) => {
      this.logger.warn(
        { err: error },
        'callbacks could not be released; they are due when their leases expire',
      );
    });
    this.finish(releasing);
  }

  private finish(work: Promise<void>): void {
    const unfinished = work.finally(() => this.unfinished.delete(unfinished));
    this.unfinished.add(unfinished);
  }

  /** Starts or claims callbacks of the waiting hosts for which there is a slot now. */
  private startWaiting(): void {
    for (const host of this.waiting.takeNext(this.pools.byPool)) {
      const claims = this.claims.get(hostKey(host));
      if (claims) this.advance([claims]);
      else this.claimNext([host]);
    }
  }
}

const inOrder = (a: DueCallback, b: DueCallback): number =>
  a.dueAt.getTime() - b.dueAt.getTime() || (a.id < b.id ? -1 : 1);
