import { maxDeliveriesPerChunk } from '@gangan/contracts';
import { AppLogger, Periodic } from '@gangan/runtime';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { groupBy, settleAll } from '../grouping.js';
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
  /** Found by this worker, and not claimed yet. */
  private readonly found = new Set<string>();

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
      new FairScheduler(slots, (organisationId, ids, more) =>
        this.processBatch({ trafficClass, organisationId }, ids, more),
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
    group: DeliveryGroup,
    ids: readonly string[] | undefined,
    more: () => void,
  ): Promise<void> {
    try {
      const deliveries = await this.takeBatch(group, ids, more);
      const steps = deliveries.map((delivery) => ({ delivery, step: this.router.nextStep(delivery) }));
      const byProvider = groupBy(steps, ({ step }) => ('provider' in step ? step.provider : undefined));
      // The slot is held until every call has ended.
      await settleAll(
        [...byProvider].map(([provider, own]) => {
          if (!provider) return this.recordUnsubmitted(own);
          const due = own.map(({ delivery }) => delivery);
          return this.submit(provider, group, due, more);
        }),
      );
    } catch (error) {
      this.logger.warn({ err: error, ...group }, 'could not process deliveries; the sweeper will retry');
    }
  }

  private async takeBatch(
    group: DeliveryGroup,
    ids: readonly string[] | undefined,
    more: () => void,
  ): Promise<readonly DueDelivery[]> {
    const limit = maxDeliveriesPerChunk + this.found.size;
    const rows = ids ? await this.due.findNew(group, ids) : await this.due.findDue(group, limit);
    const taken = rows.filter(({ id }) => !this.found.has(id)).slice(0, maxDeliveriesPerChunk);
    for (const { id } of taken) this.found.add(id);
    if (!ids && rows.length === limit) more();
    return taken;
  }

  private async submit(
    provider: MessageProvider,
    group: DeliveryGroup,
    deliveries: readonly DueDelivery[],
    more: () => void,
  ): Promise<void> {
    try {
      const permit = await this.limits.acquire(provider.name, group.trafficClass, deliveries.length);
      try {
        const admitted = deliveries.slice(0, permit.recipients);
        if (admitted.length < deliveries.length) more();
        const retryable = await this.submitter.submit(provider, admitted, this.forget);
        if (retryable.size > 0) more();
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
