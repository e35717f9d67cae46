import { Injectable } from '@nestjs/common';
import type { TrafficClass } from '../outcome/retry/retry-policy.js';
import { ProviderHealth } from '../providers/health/provider-health.js';
import type { MessageProvider } from '../providers/message-provider.js';
import type { DueDelivery, FoundDelivery } from '../submit/claims.repository.js';
import { DeliverySubmitter } from '../submit/delivery-submitter.js';
import { Router } from '../submit/routing.js';
import { ProviderLimits } from './provider-limits.js';
import { QuietHoursHold } from './quiet-hours.js';

interface ScheduleCallbacks {
  /** Called if the organisation has further deliveries to look at. */
  readonly more: (organisationId: string) => void;
  /** Lets the next batch find the deliveries again. */
  readonly forget: (deliveries: readonly DueDelivery[]) => void;
}

/** Submits deliveries as fast as the rate and the health of their provider allow. */
@Injectable()
export class PermittedSubmitter {
  constructor(
    private readonly router: Router,
    private readonly limits: ProviderLimits,
    private readonly health: ProviderHealth,
    private readonly quietHours: QuietHoursHold,
    private readonly submitter: DeliverySubmitter,
  ) {}

  async submit(
    provider: MessageProvider,
    trafficClass: TrafficClass,
    deliveries: readonly FoundDelivery[],
    { more, forget }: ScheduleCallbacks,
  ): Promise<void> {
    let admitted = deliveries;
    try {
      const permit = await this.limits.acquire(provider, trafficClass, deliveries.length);
      try {
        // The provider or the routes may have changed while the deliveries waited for the permit, or quiet hours begun.
        const quiet = await this.quietHours.find(deliveries);
        const routed = deliveries.filter((due) => this.isFor(provider, due) && !quiet.has(due));
        const admission =
          routed.length === 0 ? this.health.admitUp(provider.name) : await this.health.admit(provider.name);
        admitted = routed.slice(0, Math.min(permit.recipients, admission.recipients));
        const taken = new Set(admitted);
        const left = deliveries.filter((due) => !taken.has(due));
        forget(left);
        for (const id of new Set(left.map(({ organisationId }) => organisationId))) more(id);
        try {
          const retryable = await this.submitter.submit(provider, admission, admitted, forget);
          for (const id of retryable) more(id);
        } finally {
          await this.health.release(provider.name, admission);
        }
      } finally {
        permit.release();
      }
    } finally {
      forget(admitted);
    }
  }

  private isFor(provider: MessageProvider, due: FoundDelivery): boolean {
    const step = this.router.nextStep(due);
    return 'provider' in step && step.provider === provider;
  }
}
