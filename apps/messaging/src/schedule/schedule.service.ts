import { maxDeliveriesPerChunk } from '@gangan/contracts';
import { AppLogger, Periodic } from '@gangan/runtime';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { groupBy, settleAll, takeTurns } from '../grouping.js';
import { MessagingConfig } from '../messaging.config.js';
import { DeliveryMetrics } from '../outcome/delivery.metrics.js';
import type { TrafficClass } from '../outcome/retry-policy.js';
import type { MessageProvider } from '../providers/message-provider.js';
import type { DeliveryGroup, DueDelivery } from '../submit/claims.repository.js';
import { DeliverySubmitter } from '../submit/delivery-submitter.js';
import { Router, type NextStep } from '../submit/routing.js';
import { DueRepository } from './due.repository.js';
import { FairScheduler } from './fair-scheduler.js';
import { ProviderLimits } from './provider-limits.js';

const sweepIntervalMs = 1_000;

/** Decides which deliveries go next, and to which provider. */
@Injectable()
export class ScheduleService implements BeforeApplicationShutdown {
  private readonly schedulers: Readonly<Record<TrafficClass, FairScheduler>>;
  /** The organisations of the deliveries that this worker has found, and not claimed yet. */
  private readonly found = new Map<string, string>();

  constructor(
    private readonly due: DueRepository,
    private readonly router: Router,
    private readonly limits: ProviderLimits,
    private readonly submitter: DeliverySubmitter,
    private readonly metrics: DeliveryMetrics,
    private readonly logger: AppLogger,
    { DELIVERY_SLOTS: slots }: MessagingConfig,
  ) {
    const scheduler = (trafficClass: TrafficClass): FairScheduler =>
      new FairScheduler({ slots, organisationsPerBatch: maxDeliveriesPerChunk }, (...batch) =>
        this.processBatch(trafficClass, ...batch),
      );
    this.schedulers = { sms: scheduler('sms'), otp: scheduler('otp') };
  }

  /** Schedules new deliveries; those that another worker has claimed are left out. */
  schedule({ trafficClass, organisationId }: DeliveryGroup, ids: readonly string[]): Promise<void> {
    return this.schedulers[trafficClass].schedule(organisationId, ids);
  }

  wake({ trafficClass, organisationId }: DeliveryGroup): void {
    this.schedulers[trafficClass].wake(organisationId);
  }

  /** Finds deliveries whose event was lost, whose worker died, or whose next attempt is due. */
  @Periodic('sweeping overdue deliveries', sweepIntervalMs)
  async sweep(): Promise<boolean> {
    for (const trafficClass of ['otp', 'sms'] as const) {
      const overdue = await this.due.findOverdue(trafficClass);
      const overdueMs = overdue[0]?.overdueMs ?? 0;
      this.metrics.oldestOverdue.set({ lane: trafficClass }, overdueMs / 1_000);
      for (const { organisationId } of overdue) this.wake({ trafficClass, organisationId });
    }
    return false;
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(Object.values(this.schedulers).map((scheduler) => scheduler.stop()));
  }

  async idle(): Promise<void> {
    await Promise.all(Object.values(this.schedulers).map((scheduler) => scheduler.idle()));
  }

  /** Never fails: the rows stay due, and the sweeper finds them again. */
  private async processBatch(
    trafficClass: TrafficClass,
    organisationIds: readonly string[],
    ids: readonly string[] | undefined,
    more: (organisationId: string) => void,
  ): Promise<void> {
    try {
      const deliveries = await this.takeBatch(trafficClass, organisationIds, ids, more);
      const steps = deliveries.map((delivery) => ({ delivery, step: this.router.nextStep(delivery) }));
      const byProvider = groupBy(steps, ({ step }) => ('provider' in step ? step.provider : undefined));
      // The slot is held until every call has ended.
      await settleAll(
        [...byProvider].map(([provider, own]) => {
          if (!provider) return this.recordUnsubmitted(own);
          const due = own.map(({ delivery }) => delivery);
          return this.submit(provider, trafficClass, due, more);
        }),
      );
    } catch (error) {
      const details = { err: error, trafficClass, organisationIds };
      this.logger.warn(details, 'could not process deliveries; the sweeper will retry');
    }
  }

  /** Each organisation has the same share of the batch, and their deliveries take turns. */
  private async takeBatch(
    trafficClass: TrafficClass,
    organisationIds: readonly string[],
    ids: readonly string[] | undefined,
    more: (organisationId: string) => void,
  ): Promise<readonly DueDelivery[]> {
    const share = Math.floor(maxDeliveriesPerChunk / organisationIds.length);
    const limit = share + this.maxFoundOf(organisationIds);
    const rows = ids
      ? await this.due.findNew(trafficClass, organisationIds, ids)
      : await this.due.findDue(trafficClass, organisationIds, limit);
    const shares = [...groupBy(rows, ({ organisationId }) => organisationId)].map(([organisationId, own]) => {
      if (!ids && own.length === limit) more(organisationId);
      return own.filter(({ id }) => !this.found.has(id)).slice(0, share);
    });
    const taken = takeTurns(shares);
    for (const { id, organisationId } of taken) this.found.set(id, organisationId);
    return taken;
  }

  /** The largest number of deliveries that have been found of one of these organisations. */
  private maxFoundOf(organisationIds: readonly string[]): number {
    const found = groupBy([...this.found.values()], (organisationId) => organisationId);
    return Math.max(0, ...organisationIds.map((id) => found.get(id)?.length ?? 0));
  }

  private async submit(
    provider: MessageProvider,
    trafficClass: TrafficClass,
    deliveries: readonly DueDelivery[],
    more: (organisationId: string) => void,
  ): Promise<void> {
    try {
      const permit = await this.limits.acquire(provider.name, trafficClass, deliveries.length);
      try {
        const admitted = deliveries.slice(0, permit.recipients);
        const left = deliveries.slice(permit.recipients);
        for (const id of new Set(left.map(({ organisationId }) => organisationId))) more(id);
        const retryable = await this.submitter.submit(provider, admitted, this.forget);
        for (const id of retryable) more(id);
      } finally {
        permit.release();
      }
    } finally {
      this.forget(deliveries);
    }
  }

  private async recordUnsubmitted(
    steps: readonly { readonly delivery: DueDelivery; readonly step: NextStep }[],
  ): Promise<void> {
    const events = steps.flatMap(({ delivery, step }) =>
      'event' in step ? [[delivery, step.event] as const] : [],
    );
    const unroutable = events.filter(([, { type }]) => type === 'unroutable');
    const [first] = unroutable;
    if (first) {
      const details = { organisationId: first[0].organisationId, deliveries: unroutable.length };
      this.logger.error(details, 'no provider is configured for these deliveries; they wait');
    }
    await this.submitter.record(events).finally(() => {
      this.forget(events.map(([delivery]) => delivery));
    });
  }

  private readonly forget = (deliveries: readonly DueDelivery[]): void => {
    for (const { id } of deliveries) this.found.delete(id);
  };
}
