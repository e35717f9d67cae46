import { Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { DeliveryMetrics } from '../outcome/delivery.metrics.js';
import { DueRepository } from './due.repository.js';
import { ScheduleService } from './schedule.service.js';

const intervalMs = 1_000;

/**
 * Finds overdue deliveries: their event was lost, their worker died, their next attempt is due, or their validity period
 * is over.
 */
@Injectable()
export class Sweeper {
  constructor(
    private readonly due: DueRepository,
    private readonly schedule: ScheduleService,
    private readonly metrics: DeliveryMetrics,
  ) {}

  /** Only wakes the organisations: the scheduler takes their deliveries when slots are free. */
  @Periodic('sweeping overdue deliveries', intervalMs)
  async sweep(): Promise<boolean> {
    for (const trafficClass of ['otp', 'sms'] as const) {
      const overdue = await this.due.findOverdue(trafficClass);
      this.metrics.setOldestOverdue(trafficClass, overdue[0]?.overdueMs ?? 0);
      for (const { organisationId } of overdue) this.schedule.wake({ trafficClass, organisationId });
    }
    return false;
  }
}
