import { type DeliveriesDue, deliveriesDue, otpDeliveryDue } from '@gangan/contracts';
import { requireOrganisationId, type RequestContext } from '@gangan/protocol';
import { Handles } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { ScheduleService } from './schedule.service.js';

@Controller()
export class ScheduleHandler {
  constructor(private readonly service: ScheduleService) {}

  @Handles(deliveriesDue)
  due({ ids }: DeliveriesDue, context: RequestContext): Promise<void> {
    return this.service.schedule(
      { trafficClass: 'sms', organisationId: requireOrganisationId(context) },
      ids,
    );
  }

  @Handles(otpDeliveryDue)
  otpDue({ ids }: DeliveriesDue, context: RequestContext): Promise<void> {
    return this.service.schedule(
      { trafficClass: 'otp', organisationId: requireOrganisationId(context) },
      ids,
    );
  }
}
