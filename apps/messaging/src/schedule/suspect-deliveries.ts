import { SweepsWhen } from '@gangan/leases';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { DeliveryMetrics } from '../outcome/delivery.metrics.js';
import { ClaimsRepository, type FoundDelivery } from '../submit/claims.repository.js';
import { DeliverySubmitter } from '../submit/delivery-submitter.js';
import { Router } from '../submit/routing.js';
import { DueRepository, isSuspectDue } from './due.repository.js';
import { PermittedSubmitter } from './permitted-submitter.js';
import { QuietHoursHold } from './quiet-hours.js';
import { ScheduleService } from './schedule.service.js';

/** After this many suspects a run pauses, and then looks again at those that could not be submitted. */
const maxPerRun = 100;

/**
 * Tries the deliveries of workers that died, one at a time: each of them may be what ended its worker. If this worker dies
 * too, the only suspect that it held is probably the cause, and is abandoned.
 */
@Injectable()
export class SuspectDeliveries {
  /** The ids of the suspects that were tried since the last pause. */
  private readonly tried = new Set<string>();

  constructor(
    private readonly due: DueRepository,
    private readonly claims: ClaimsRepository,
    private readonly router: Router,
    private readonly quietHours: QuietHoursHold,
    private readonly permits: PermittedSubmitter,
    private readonly submitter: DeliverySubmitter,
    private readonly schedule: ScheduleService,
    private readonly metrics: DeliveryMetrics,
    private readonly logger: AppLogger,
  ) {}

  @SweepsWhen(isSuspectDue, 'trying deliveries of workers that died')
  async tryNext(): Promise<boolean> {
    const suspect = this.tried.size < maxPerRun && (await this.due.findSuspect([...this.tried]));
    if (!suspect) {
      this.tried.clear();
      return false;
    }
    this.tried.add(suspect.id);
    if (suspect.isLeaseExpired) await this.claims.releaseExpired([suspect.id]);
    else await this.try(suspect);
    return true;
  }

  private async try(suspect: FoundDelivery): Promise<void> {
    const { trafficClass } = suspect;
    const more = (organisationId: string): void => {
      this.schedule.wake({ trafficClass, organisationId });
    };
    const step = this.router.nextStep(suspect);
    if ('event' in step) {
      await this.submitter.record([[suspect, step.event]]);
      if (step.event.type === 'abandoned') this.reportAbandoned(suspect);
      return;
    }
    const quiet = await this.quietHours.find([suspect]);
    if (quiet.size > 0) await this.quietHours.hold(quiet);
    else await this.permits.submit(step.provider, trafficClass, [suspect], { more, forget: () => undefined });
  }

  private reportAbandoned({ id, organisationId, provider, workerDeaths }: FoundDelivery): void {
    this.metrics.abandoned.inc({ provider: provider ?? '' });
    this.logger.error(
      { delivery: id, organisationId, provider, workerDeaths },
      'workers died while they submitted this delivery; it is not submitted again, and stays charged',
    );
  }
}
