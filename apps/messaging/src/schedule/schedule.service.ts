import { maxDeliveriesPerChunk } from '@gangan/contracts';
import type { DeliveryLane } from '@gangan/database';
import { AppLogger } from '@gangan/runtime';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { MessagingConfig } from '../messaging.config.js';
import type { MessageProvider } from '../providers/message-provider.js';
import { allEnded } from '../all-ended.js';
import { ClaimsRepository } from '../submit/claims.repository.js';
import { Courier } from '../submit/delivery-submitter.js';
import { grouped } from '../grouped.js';
import type { Candidate, Queue } from '../submit/delivery.js';
import { type Prospect, Prospects } from '../submit/routing.js';
import { Pump } from './fair-scheduler.js';
import { Settling } from '../outcome/settling.js';
import { Throttle } from './provider-limits.js';

/** Decides which deliveries go next, and through whom. */
@Injectable()
export class DeliveryService implements BeforeApplicationShutdown {
  private readonly pumps: Readonly<Record<DeliveryLane, Pump>>;
  /** Seen, and not yet claimed. */
  private readonly seen = new Set<string>();

  constructor(
    private readonly claims: ClaimsRepository,
    private readonly courier: Courier,
    private readonly prospects: Prospects,
    private readonly settling: Settling,
    private readonly throttle: Throttle,
    private readonly logger: AppLogger,
    { DELIVERY_SLOTS: slots }: MessagingConfig,
  ) {
    const pump = (lane: DeliveryLane): Pump =>
      new Pump(slots, (organisationId, ids, more) => this.draw({ lane, organisationId }, ids, more));
    this.pumps = { sms: pump('sms'), otp: pump('otp') };
  }

  /** Deliveries that have just been paid for. Those that somebody has taken up are left to them. */
  due({ lane, organisationId }: Queue, ids: readonly string[]): Promise<void> {
    return this.pumps[lane].hint(organisationId, ids);
  }

  /** The organisation has something overdue. */
  wake({ lane, organisationId }: Queue): void {
    this.pumps[lane].wake(organisationId);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(Object.values(this.pumps).map((pump) => pump.stop()));
  }

  /** Waits until nothing is under way. */
  async idle(): Promise<void> {
    await Promise.all(Object.values(this.pumps).map((pump) => pump.idle()));
  }

  /** Never fails: what goes wrong is left to the sweeper, as the rows are still there and their time will come. */
  private async draw(queue: Queue, ids: readonly string[] | undefined, more: () => void): Promise<void> {
    try {
      const candidates = await this.look(queue, ids, more);
      const decided = candidates.map((candidate) => [candidate, this.prospects.of(candidate)] as const);
      const groups = grouped(decided, ([, prospect]) => providerOf(prospect));
      const carried = [...groups].map(([provider, group]) =>
        provider
          ? this.send(
              provider,
              queue,
              group.map(([candidate]) => candidate),
              more,
            )
          : this.settle(queue, group),
      );
      // Each is waited for: who leaves meanwhile would forget what a provider is just taking.
      await allEnded(carried);
    } catch (error) {
      this.logger.warn(
        { err: error, organisationId: queue.organisationId, lane: queue.lane },
        'deliveries could not be taken further yet',
      );
    }
  }

  private async look(
    queue: Queue,
    ids: readonly string[] | undefined,
    more: () => void,
  ): Promise<readonly Candidate[]> {
    const limit = maxDeliveriesPerChunk + this.seen.size;
    const found = ids ? await this.claims.untouched(queue, ids) : await this.claims.waiting(queue, limit);
    const chosen = found.filter(({ id }) => !this.seen.has(id)).slice(0, maxDeliveriesPerChunk);
    for (const { id } of chosen) this.seen.add(id);
    if (!ids && found.length === limit) more();
    return chosen;
  }

  private async send(
    provider: MessageProvider,
    queue: Queue,
    candidates: readonly Candidate[],
    more: () => void,
  ): Promise<void> {
    const forget = (these: readonly Candidate[]): void => {
      this.forget(these);
    };
    try {
      const leave = await this.throttle.enter(provider.name, queue.lane, candidates.length);
      try {
        const admitted = candidates.slice(0, leave.recipients);
        if (admitted.length < candidates.length) more();
        if (await this.courier.carry(provider, queue, admitted, forget)) more();
      } finally {
        leave.end();
      }
    } finally {
      forget(candidates);
    }
  }

  private async settle(queue: Queue, decided: readonly (readonly [Candidate, Prospect])[]): Promise<void> {
    await this.settling.settle(queue, decided).finally(() => {
      this.forget(decided.map(([candidate]) => candidate));
    });
  }

  private forget(candidates: readonly Candidate[]): void {
    for (const { id } of candidates) this.seen.delete(id);
  }
}

const providerOf = (prospect: Prospect): MessageProvider | undefined =>
  prospect.kind === 'carry' ? prospect.provider : undefined;
