import { CallbackAnnouncer } from '@gangan/callbacks';
import { type FailedDeliveryStatus, failedDeliveryStatuses, otpDeliveryEnded } from '@gangan/contracts';
import { Announcer } from '@gangan/leases';
import { newContext, runInContext } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import type { Applied, ChangedDelivery } from './apply.js';
import { DeliveryMetrics } from './delivery.metrics.js';

/** What follows a commit: metrics, callback jobs and OTP events. Never fails: a sweeper finds callbacks that are due. */
@Injectable()
export class TransitionEffects {
  constructor(
    private readonly callbacks: CallbackAnnouncer,
    private readonly announcer: Announcer,
    private readonly metrics: DeliveryMetrics,
  ) {}

  async announce({ deliveries, callbackIds }: Applied): Promise<void> {
    this.metrics.countChanges(deliveries.filter(({ notify }) => notify));
    await Promise.all([
      this.callbacks.announce(callbackIds),
      ...deliveries.map((delivery) => this.announceOtpFailure(delivery)),
    ]);
  }

  private async announceOtpFailure({ id, organisationId, otpId, state }: ChangedDelivery): Promise<void> {
    if (otpId === null || !isFailed(state)) return;
    const event = { otp_id: otpId, delivery_id: id, status: state };
    await runInContext(newContext({ organisationId }), () =>
      this.announcer.announce(otpDeliveryEnded, [event], () => ({ jobId: `${id}-ended` })),
    );
  }
}

const isFailed = (state: string): state is FailedDeliveryStatus =>
  failedDeliveryStatuses.some((status) => status === state);
