import type { Lease } from '@gangan/leases';
import { newContext, runInContext } from '@gangan/protocol';
import { AppLogger } from '@gangan/runtime';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { RetryPolicies } from '../../outcome/retry/retry-policy.js';
import { type MessageProvider, shownTo } from '../../providers/message-provider.js';
import { ProviderHealth } from '../../providers/health/provider-health.js';
import { DeliverySubmitter, type ReadyDelivery } from '../../submit/delivery-submitter.js';
import { NewClaimsRepository } from '../../submit/new-claims.repository.js';
import { Router } from '../../submit/routing.js';
import type { PricedDelivery } from '../../text/measure-message.js';
import { MessageTexts } from '../../text/message-text.js';
import { BufferedSubmitter, type NewDelivery } from './buffered-submitter.js';
import { isScheduled } from '../../send-at.js';
import { claimedDeliveryOf, type NewMessage, routableOf } from './new-message.js';
import { ProviderLimits } from '../provider-limits.js';
import { ScheduleService } from '../schedule.service.js';

/** The room to insert deliveries of a message as claimed. One of its two methods is called, once. */
export interface InsertClaim {
  readonly lease: Lease;
  readonly provider: string;
  /** How many deliveries, from the first of the message. The others are inserted as `queued`. */
  readonly count: number;
  /**
   * Called if the deliveries were inserted as claimed: submits them.
   * @param claimedAt a time before the statement that claimed them
   */
  submit(claimedAt: number): void;
  /** Called if they were not inserted, or not as claimed. */
  release(): void;
}

/**
 * Claims deliveries while they are inserted, and submits them from memory after the commit: no event, no claim and no
 * reading of texts. All others are inserted as `queued`, and scheduled.
 */
@Injectable()
export class InsertClaims implements BeforeApplicationShutdown {
  /** Submitters by the name of their provider. */
  private readonly submitters = new Map<string, BufferedSubmitter>();
  /** The submitters whose provider was changed, until they have ended. */
  private readonly replaced = new Set<Promise<void>>();
  private isStopped = false;

  constructor(
    private readonly router: Router,
    private readonly limits: ProviderLimits,
    private readonly health: ProviderHealth,
    private readonly texts: MessageTexts,
    private readonly claims: NewClaimsRepository,
    private readonly submitter: DeliverySubmitter,
    private readonly schedule: ScheduleService,
    private readonly policies: RetryPolicies,
    private readonly logger: AppLogger,
  ) {}

  /**
   * The only place that decides whether a message is claimed when it is inserted. Undefined if it must be inserted as
   * `queued`: it is scheduled, its recipients are in a smartlist, are compared with the DND list and opt-outs, or have no common provider that is up, or
   * there is no room. If there is room for a part of it, that part is claimed.
   */
  claim(message: NewMessage): InsertClaim | undefined {
    const { organisationId, deliveries } = message;
    if (this.isStopped || deliveries.length === 0 || message.category === 'promotional') return undefined;
    if (isScheduled(message)) return undefined;
    const provider = this.commonProvider(message);
    if (!provider) return undefined;
    const submitter = this.submitterOf(provider);
    const reserved = submitter.reserve(organisationId, deliveries.length);
    if (!reserved) return undefined;
    const { count, release } = reserved;
    const submit = (claimedAt: number): void => {
      let left = count;
      for (const delivery of deliveries.slice(0, count))
        submitter.add({
          id: delivery.id,
          organisationId,
          claimedAt,
          build: () => this.build(message, delivery, provider),
          release: () => {
            left -= 1;
            if (left === 0) release();
          },
        });
    };
    return { lease: this.claims.lease, provider: provider.name, count, submit, release };
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    await Promise.all([...this.submitters.values()].map((submitter) => submitter.stop()));
    await Promise.all(this.replaced);
  }

  async idle(): Promise<void> {
    await Promise.all([...this.submitters.values()].map((submitter) => submitter.idle()));
  }

  private commonProvider(message: NewMessage): MessageProvider | undefined {
    const providers = new Set(
      message.deliveries.map((delivery) => this.router.providerForNew(routableOf(message, delivery))),
    );
    const [provider] = providers;
    return providers.size === 1 ? provider : undefined;
  }

  private submitterOf(provider: MessageProvider): BufferedSubmitter {
    const known = this.submitters.get(provider.name);
    if (known?.provider === provider) return known;
    if (known) this.stopReplaced(known);
    const submitter = new BufferedSubmitter({
      provider,
      limits: this.limits,
      bufferMs: this.policies.bufferMs,
      isUp: () => this.health.isUp(provider.name),
      onError: (err) => {
        this.logger.warn(
          { err, provider: provider.name },
          'could not submit new deliveries; they are given back',
        );
      },
      submit: (...call) => this.submit(...call),
      giveBack: (deliveries) => this.giveBack(deliveries),
    });
    this.submitters.set(provider.name, submitter);
    return submitter;
  }

  /** Stops a submitter whose provider has new settings: it gives back what waits, and ends its calls. */
  private stopReplaced(submitter: BufferedSubmitter): void {
    const stopped = submitter.stop().finally(() => this.replaced.delete(stopped));
    this.replaced.add(stopped);
  }

  private async submit(provider: MessageProvider, deliveries: readonly NewDelivery[]): Promise<void> {
    await this.run(
      deliveries,
      'could not submit deliveries; they are tried again when their lease ends',
      async () => {
        const { held, others, leasedAt } = await this.confirm(deliveries);
        const ready = held.map((delivery) => delivery.build());
        const admission = this.health.admitUp(provider.name);
        const retryable = await this.submitter.submitClaimed(provider, admission, ready, leasedAt);
        return new Set([...retryable, ...others.map(({ organisationId }) => organisationId)]);
      },
    );
  }

  /**
   * Deliveries that have waited for longer than a submission may after its claim are submitted only if this process has not
   * been taken for dead, and nothing has happened to their message and organisation. The others are given back.
   */
  private async confirm(
    deliveries: readonly NewDelivery[],
  ): Promise<Record<'held' | 'others', readonly NewDelivery[]> & { readonly leasedAt: number }> {
    const claimedAt = Math.min(...deliveries.map((delivery) => delivery.claimedAt));
    const checkedAt = performance.now();
    if (checkedAt - claimedAt <= this.policies.startMs)
      return { held: deliveries, others: [], leasedAt: claimedAt };
    const ids = await this.claims.findHeld(deliveries.map(({ id }) => id));
    const others = deliveries.filter(({ id }) => !ids.has(id));
    if (others.length > 0) await this.claims.giveBack(others.map(({ id }) => id));
    return { held: deliveries.filter(({ id }) => ids.has(id)), others, leasedAt: checkedAt };
  }

  private giveBack(deliveries: readonly NewDelivery[]): Promise<void> {
    return this.run(
      deliveries,
      'could not give back deliveries; they are tried again when their lease ends',
      async () => {
        await this.claims.giveBack(deliveries.map(({ id }) => id));
        return new Set(deliveries.map(({ organisationId }) => organisationId));
      },
    );
  }

  /** Never fails. @param work returns the organisations with deliveries that are due again at once */
  private async run(
    deliveries: readonly NewDelivery[],
    failure: string,
    work: () => Promise<ReadonlySet<string>>,
  ): Promise<void> {
    try {
      for (const organisationId of await runInContext(newContext(), work))
        this.schedule.wake({ trafficClass: 'sms', organisationId });
    } catch (error) {
      this.logger.warn({ err: error, deliveries: deliveries.length }, failure);
    } finally {
      for (const delivery of deliveries) delivery.release();
    }
  }

  private build(message: NewMessage, own: PricedDelivery, provider: MessageProvider): ReadyDelivery {
    const { channel, sender } = message;
    const { id: reference, recipient, pages } = own;
    const codes = own.links.map(({ code }) => code);
    return {
      delivery: claimedDeliveryOf(message, own, provider.name),
      submission: {
        reference,
        channel,
        sender,
        recipient,
        pages,
        ...shownTo(message),
        ...this.texts.textFor(message, own, codes),
      },
    };
  }
}
