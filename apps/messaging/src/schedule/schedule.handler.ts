import { type DeliveriesDue, deliveriesDue, otpDeliveryDue } from '@gangan/contracts';
import { requireOrganisationId, type RequestContext } from '@gangan/protocol';
import { Handles } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { DeliveryService } from './schedule.service.js';

@Controller()
export class DeliveryHandler {
  constructor(private readonly service: DeliveryService) {}

  @Handles(deliveriesDue)
  due({ ids }: DeliveriesDue, context: RequestContext): Promise<void> {
    return this.service.due({ lane: 'sms', organisationId: requireOrganisationId(context) }, ids);
  }

  @Handles(otpDeliveryDue)
  otpDue({ ids }: DeliveriesDue, context: RequestContext): Promise<void> {
    return this.service.due({ lane: 'otp', organisationId: requireOrganisationId(context) }, ids);
  }
}
