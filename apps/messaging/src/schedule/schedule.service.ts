import { maxDeliveriesPerChunk } from '@gangan/contracts';
import { SweepsWhen, TurnQueue } from '@gangan/leases';
import { LogInterval } from '@gangan/protocol';
import { AppLogger } from '@gangan/runtime';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { groupBy, awaitAll } from '../grouping.js';
import { MessagingConfig } from '../messaging.config.js';
import { DeliveryMetrics } from '../outcome/delivery.metrics.js';
import type { TrafficClass } from '../outcome/retry/retry-policy.js';
import type { MessageProvider } from '../providers/message-provider.js';
import {
  ClaimsRepository,
  type DeliveryGroup,
  type DueDelivery,
  type FoundDelivery,
} from '../submit/claims.repository.js';
import { DeliverySubmitter } from '../submit/delivery-submitter.js';
import { Router, type NextStep } from '../submit/routing.js';
import { DueRepository, isDeliveryOpen } from './due.repository.js';
import { FairScheduler } from './fair-scheduler.js';
import { ProviderBatches } from './provider-batches.js';
import { PermittedSubmitter } from './permitted-submitter.js';
import { QuietHoursHold } from './quiet-hours.js';

/** A batch that waits for providers for longer frees its slot. */
const maxSlotMs = 1_000;
/** Deliveries that are read for one batch: more than fit, so that large backlogs fill the room that others leave. */
const maxDeliveriesRead = 4 * maxDeliveriesPerChunk;

interface DeliveryStep {
  readonly delivery: FoundDelivery;
  readonly step: NextStep;
}

/** Decides which deliveries go next, and to which provider. */
@Injectable()
export class ScheduleService implements BeforeApplicationShutdown {
  private readonly schedulers: Readonly<Record<TrafficClass, FairScheduler>>;
  private readonly providerBatches: Readonly<Record<TrafficClass, ProviderBatches>>;
  /** The deliveries that this worker has found, and not claimed yet. */
  private readonly found = new Set<string>();
  private readonly unroutable = new LogInterval();

  constructor(
    private readonly due: DueRepository,
    private readonly router: Router,
    private readonly permits: PermittedSubmitter,
    private readonly submitter: DeliverySubmitter,
    private readonly claims: ClaimsRepository,
    private readonly quietHours: QuietHoursHold,
    private readonly metrics: DeliveryMetrics,
    private readonly logger: AppLogger,
    { DELIVERY_SLOTS: slots }: MessagingConfig,
  ) {
    const scheduler = (trafficClass: TrafficClass): FairScheduler =>
      new FairScheduler({ slots, organisationsPerBatch: maxDeliveriesPerChunk }, (...batch) =>
        this.processBatch(trafficClass, ...batch),
      );
    this.schedulers = { sms: scheduler('sms'), otp: scheduler('otp') };
    const batches = (trafficClass: TrafficClass): ProviderBatches =>
      new ProviderBatches({ max: slots, organisationsPerBatch: maxDeliveriesPerChunk }, (organisationId) => {
        this.wake({ trafficClass, organisationId });
      });
    this.providerBatches = { sms: batches('sms'), otp: batches('otp') };
  }

  /** Schedules new deliveries; those that another worker has claimed are left out. */
  schedule({ trafficClass, organisationId }: DeliveryGroup, ids: readonly string[]): Promise<void> {
    return this.schedulers[trafficClass].schedule(organisationId, ids);
  }

  wake({ trafficClass, organisationId }: DeliveryGroup): void {
    this.schedulers[trafficClass].wake(organisationId);
  }

  /** Finds deliveries whose event was lost, whose worker died, or whose next attempt is due. */
  @SweepsWhen(isDeliveryOpen, 'sweeping overdue deliveries')
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
    freeSlot: () => void,
  ): Promise<void> {
    let slotTimer: NodeJS.Timeout | undefined;
    try {
      const { taken: all, unfinished } = await this.takeBatch(trafficClass, organisationIds, ids);
      const held = all.filter(isHeld);
      const holding = this.setAside(held, 'hold deliveries', async () => {
        await this.due.hold(held);
        return held.length;
      });
      const expired = all.filter(({ isLeaseExpired }) => isLeaseExpired);
      const releasing = this.setAside(expired, 'release expired leases', () =>
        this.claims.releaseExpired(expired.map(({ id }) => id)),
      ).then((released) => {
        if (released > 0) for (const id of new Set(expired.map(ownerOf))) more(id);
      });
      const taken = all.filter((delivery) => !isHeld(delivery) && !delivery.isLeaseExpired);
      const steps = await this.withoutQuiet(
        taken.map((delivery) => ({ delivery, step: this.router.nextStep(delivery) })),
      );
      const byProvider = groupBy(steps, ({ step }) => ('provider' in step ? step.provider : undefined));
      const started = new Set<FoundDelivery>();
      const work = [...byProvider].flatMap(([provider, own]) => {
        const due = own.map(({ delivery }) => delivery);
        const submitted = provider && this.startBatch(provider, trafficClass, due, more);
        if (provider && !submitted) return [];
        for (const delivery of due) started.add(delivery);
        if (submitted) slotTimer ??= setTimeout(freeSlot, maxSlotMs);
        return [submitted ?? this.recordUnsubmitted(own)];
      });
      // Where nothing was started, the same deliveries would be found again.
      const unstarted = steps.flatMap(({ delivery }) => (started.has(delivery) ? [] : [delivery]));
      const isWaiting = new Set(unstarted.map(ownerOf));
      for (const delivery of started) isWaiting.delete(ownerOf(delivery));
      for (const id of unfinished) if (!isWaiting.has(id)) more(id);
      await awaitAll([...work, holding, releasing]);
    } catch (error) {
      const details = { err: error, trafficClass, organisationIds };
      this.logger.warn(details, 'could not process deliveries; the sweeper will retry');
    } finally {
      clearTimeout(slotTimer);
    }
  }

  /** Holds the deliveries that would be submitted in quiet hours. @returns the others */
  private async withoutQuiet(steps: readonly DeliveryStep[]): Promise<readonly DeliveryStep[]> {
    try {
      const quiet = await this.quietHours.find(
        steps.flatMap(({ delivery, step }) => ('provider' in step ? [delivery] : [])),
      );
      if (quiet.size === 0) return steps;
      await this.quietHours.hold(quiet);
      this.forget([...quiet.keys()]);
      return steps.filter(({ delivery }) => !quiet.has(delivery));
    } catch (error) {
      // The next batch must find them.
      this.forget(steps.map(({ delivery }) => delivery));
      throw error;
    }
  }

  /** Submits deliveries to one provider. Undefined if it has too many batches: they stay in the table until one has ended. */
  private startBatch(
    provider: MessageProvider,
    trafficClass: TrafficClass,
    due: readonly FoundDelivery[],
    more: (organisationId: string) => void,
  ): Promise<unknown> | undefined {
    const release = this.providerBatches[trafficClass].start(provider.name, new Set(due.map(ownerOf)));
    if (!release) {
      this.forget(due);
      return undefined;
    }
    const unsure = due.filter(({ outcomeUnknown }) => outcomeUnknown);
    const others = due.filter(({ outcomeUnknown }) => !outcomeUnknown);
    // The provider may be asked about unsure deliveries first; the others do not wait for its answer.
    const chunks = [others, unsure].filter(({ length }) => length > 0);
    return awaitAll(
      chunks.map((chunk) =>
        this.permits.submit(provider, trafficClass, chunk, { more, forget: this.forget }),
      ),
    ).finally(release);
  }

  /**
   * The deliveries of the organisations take turns until the batch is full.
   * @returns the deliveries, and the organisations with further ones
   */
  private async takeBatch(
    trafficClass: TrafficClass,
    organisationIds: readonly string[],
    ids: readonly string[] | undefined,
  ): Promise<{ readonly taken: readonly FoundDelivery[]; readonly unfinished: ReadonlySet<string> }> {
    const limit = Math.min(maxDeliveriesPerChunk, Math.ceil(maxDeliveriesRead / organisationIds.length));
    const rows = ids
      ? await this.due.findNew(trafficClass, organisationIds, ids)
      : await this.due.findDue(trafficClass, organisationIds, limit, [...this.found]);
    const turns = new TurnQueue<FoundDelivery>(ownerOf);
    // Another batch may have found some of them since.
    for (const row of rows) if (!this.found.has(row.id)) turns.add(row);
    const taken = turns.take(maxDeliveriesPerChunk);
    for (const { id } of taken) this.found.add(id);
    const read = ids ? [] : [...groupBy(rows, ownerOf)];
    const notReadToTheEnd = read.flatMap(([id, own]) => (own.length === limit ? [id] : []));
    return { taken, unfinished: new Set([...turns.keys(), ...notReadToTheEnd]) };
  }

  /** Changes deliveries that are not submitted now. Never fails. @returns how many were changed */
  private async setAside(
    deliveries: readonly FoundDelivery[],
    what: string,
    change: () => Promise<number>,
  ): Promise<number> {
    if (deliveries.length === 0) return 0;
    try {
      return await change();
    } catch (error) {
      this.logger.warn({ err: error }, `could not ${what}; the sweeper will retry`);
      return 0;
    } finally {
      this.forget(deliveries);
    }
  }

  private async recordUnsubmitted(steps: readonly DeliveryStep[]): Promise<void> {
    const events = steps.flatMap(({ delivery, step }) =>
      'event' in step ? [[delivery, step.event] as const] : [],
    );
    // If their providers are not available, that was logged with the providers.
    const unroutable = events.filter(
      ([, event]) => event.type === 'unroutable' && event.retryInMs === undefined,
    );
    const deliveries = unroutable.length > 0 && this.unroutable.take('', unroutable.length);
    if (deliveries) {
      const organisationIds = [...new Set(unroutable.map(([{ organisationId }]) => organisationId))];
      const details = { organisationIds, deliveries };
      this.logger.error(details, 'no provider is configured for deliveries; they wait');
    }
    await this.submitter.record(events).finally(() => {
      this.forget(events.map(([delivery]) => delivery));
    });
  }

  private readonly forget = (deliveries: readonly DueDelivery[]): void => {
    for (const { id } of deliveries) this.found.delete(id);
  };
}

/** No provider has it, and none is to get it now. */
const isHeld = ({ state, hold }: FoundDelivery): boolean => state === 'queued' && hold !== null;

const ownerOf = ({ organisationId }: FoundDelivery): string => organisationId;
