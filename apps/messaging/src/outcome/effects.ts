import { CallbackAnnouncer } from '@gangan/callbacks';
import { type FailedDeliveryStatus, failedDeliveryStatuses, otpDeliveryEnded } from '@gangan/contracts';
import { newContext, runInContext } from '@gangan/protocol';
import { QueueClient } from '@gangan/queue';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { lastValueFrom } from 'rxjs';
import type { Change } from './change.js';
import type { Conclusion } from './apply.js';
import { DeliveryMetrics } from './delivery.metrics.js';

/** Tells others what has changed, after the commit. Never fails: callbacks are found overdue a little later. */
@Injectable()
export class Aftermath {
  constructor(
    private readonly callbacks: CallbackAnnouncer,
    private readonly queue: QueueClient,
    private readonly metrics: DeliveryMetrics,
    private readonly logger: AppLogger,
  ) {}

  async tell({ changes, callbackIds }: Conclusion): Promise<void> {
    this.metrics.count(changes);
    const failed = changes.filter(({ otpId, state }) => otpId !== null && isFailed(state));
    await Promise.all([
      this.callbacks.announce(callbackIds),
      ...failed.map((change) => this.tellOtp(change)),
    ]);
  }

  private async tellOtp({ id, organisationId, otpId, state }: Change): Promise<void> {
    try {
      const event = { otp_id: otpId ?? '', delivery_id: id, status: state as FailedDeliveryStatus };
      const told = runInContext(newContext({ organisationId }), () =>
        this.queue.emit(otpDeliveryEnded, event, { jobId: `${id}-ended` }),
      );
      await lastValueFrom(told, { defaultValue: undefined });
    } catch (error) {
      this.logger.warn({ err: error, delivery: id }, 'the end of an OTP delivery could not be announced');
    }
  }
}

const isFailed = (state: string): boolean => failedDeliveryStatuses.some((status) => status === state);
