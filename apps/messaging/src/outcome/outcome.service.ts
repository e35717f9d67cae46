import { CallbackAnnouncer } from '@gangan/callbacks';
import { otpDeliveryEnded } from '@gangan/contracts';
import { Database, retryTransient, sqlFailure } from '@gangan/database';
import { Announcer } from '@gangan/leases';
import { newContext, runInContext } from '@gangan/protocol';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { groupBy } from '../grouping.js';
import {
  type Applied,
  applyTransitions,
  type ChangedDelivery,
  type StoredSnapshot,
} from './apply-transitions.js';
import { DeliveryMetrics } from './delivery.metrics.js';
import { isFailed } from './otp-event.js';
import { RetryPolicies, type RetryPolicy } from './retry/retry-policy.js';
import { type DeliveryEvent, transition, type Transition } from './transition.js';

/** Something that happened to a delivery. */
export interface DeliveryEventInput {
  readonly delivery: StoredSnapshot;
  readonly event: DeliveryEvent;
  /** The policy of its route, for events of an attempt. */
  readonly policy?: RetryPolicy;
}

export interface RecordResult {
  /** The deliveries that changed now. */
  readonly deliveries: readonly ChangedDelivery[];
  readonly failures: readonly unknown[];
}

/** Decides on transitions, applies them and announces what they cause. */
@Injectable()
export class OutcomeService {
  constructor(
    private readonly database: Database,
    private readonly policies: RetryPolicies,
    private readonly callbacks: CallbackAnnouncer,
    private readonly announcer: Announcer,
    private readonly metrics: DeliveryMetrics,
    private readonly logger: AppLogger,
  ) {}

  /**
   * Refunds are applied per organisation, and failed OTPs by themselves, so that no acceptance waits for a locked wallet
   * or OTP: a delivery whose acceptance is not stored could be sent twice.
   */
  async record(inputs: readonly DeliveryEventInput[]): Promise<RecordResult> {
    const transitions = inputs.flatMap(({ delivery, event, policy: given }) => {
      const policy = given ?? this.policies.policyFor(delivery.trafficClass);
      const change = transition(delivery, event, policy);
      return change ? [{ delivery, change, routeId: policy.routeId }] : [];
    });
    const groups = groupBy(transitions, ({ delivery, change }) => {
      if (change.refund) return delivery.organisationId;
      return delivery.trafficClass === 'otp' && isFailed(change.state) ? 'failed OTPs' : '';
    });
    return merge(await Promise.all([...groups.values()].map((group) => this.recordGroup(group))));
  }

  /** @throws if a change could not be stored */
  async recordAll(inputs: readonly DeliveryEventInput[]): Promise<readonly ChangedDelivery[]> {
    const { deliveries, failures } = await this.record(inputs);
    if (failures.length > 0) throw failures[0] as Error;
    return deliveries;
  }

  /** If the group cannot be stored because of one row, its transitions are applied one by one. */
  private async recordGroup(transitions: readonly Transition[]): Promise<RecordResult> {
    try {
      const applied = await retryTransient(() =>
        applyTransitions(this.database, transitions, this.policies.leaseMs),
      );
      await this.announce(applied);
      return { deliveries: applied.deliveries, failures: [] };
    } catch (error) {
      const isData = ['data', 'other'].includes(sqlFailure(error));
      const [{ delivery } = { delivery: undefined }] = transitions;
      const details = { err: error, deliveries: transitions.length, delivery: delivery?.id };
      this.logger[isData ? 'error' : 'warn'](details, 'could not store the outcome of deliveries');
      if (transitions.length === 1 || !isData) return { deliveries: [], failures: [error] };
      const recorded: RecordResult[] = [];
      for (const single of transitions) recorded.push(await this.recordGroup([single]));
      return merge(recorded);
    }
  }

  /** Called after a commit. Never fails: a sweeper finds callbacks that are due. */
  private async announce({ deliveries, callbackIds, conflicts }: Applied): Promise<void> {
    for (const { provider } of conflicts) this.metrics.referenceConflicts.inc({ provider });
    const [conflict] = conflicts;
    if (conflict) {
      const { provider, deliveryId: delivery } = conflict;
      const details = { provider, delivery, conflicts: conflicts.length };
      this.logger.warn(details, 'a provider returned the same reference for several messages');
    }
    for (const { notify, state, channel, trafficClass: lane } of deliveries)
      if (notify || state === 'canceled') this.metrics.changes.inc({ state, channel, lane });
    for (const delivery of deliveries) this.logChange(delivery);
    await Promise.all([
      this.callbacks.announce(callbackIds),
      ...deliveries.map((delivery) => this.announceOtpFailure(delivery)),
    ]);
  }

  private logChange(delivery: ChangedDelivery): void {
    const { id, requestId, organisationId, messageId, otpId, state, provider, attempt } = delivery;
    if (requestId === null) return;
    const about = { message: messageId ?? undefined, otp: otpId ?? undefined, delivery: id };
    const change = { state, provider, attempt, reason: delivery.errorCode ?? undefined };
    this.logger.debug({ requestId, organisationId, ...about, ...change }, 'delivery changed');
  }

  private async announceOtpFailure({ id, organisationId, otpId, state }: ChangedDelivery): Promise<void> {
    if (otpId === null || !isFailed(state)) return;
    const event = { otp_id: otpId, delivery_id: id, status: state };
    await runInContext(newContext({ organisationId }), () =>
      this.announcer.announce(otpDeliveryEnded, [event], () => ({ jobId: `${id}-ended` })),
    );
  }
}

const merge = (recorded: readonly RecordResult[]): RecordResult => ({
  deliveries: recorded.flatMap(({ deliveries }) => deliveries),
  failures: recorded.flatMap(({ failures }) => failures),
});
