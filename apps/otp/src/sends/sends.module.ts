import { Prices } from '@gangan/billing';
import { Announcer } from '@gangan/leases';
import { Module } from '@nestjs/common';
import { DeliveryAnnouncer } from './delivery-announcer.js';
import { FallbackService } from './fallback.service.js';
import { FurtherSends } from './further-sends.js';
import { OtpRoutes } from './otp-routes.js';
import { ResendService } from './resend.service.js';
import { SendComposer } from './send-composer.js';
import { SendsRepository } from './sends.repository.js';

@Module({
  providers: [
    ...[SendComposer, OtpRoutes, Prices, DeliveryAnnouncer, Announcer],
    ...[FurtherSends, SendsRepository, ResendService, FallbackService],
  ],
  exports: [SendComposer, DeliveryAnnouncer, ResendService, FallbackService],
})
export class SendsModule {}
