import { Prices } from '@gangan/billing';
import { Announcer } from '@gangan/leases';
import { RuntimeConfig } from '@gangan/runtime';
import { TextSealer } from '@gangan/sealing';
import { Module } from '@nestjs/common';
import { OrganisationRulesCache } from './organisation-rules.js';
import { OtpHandler } from './otp.handler.js';
import { OtpMetrics } from './otp.metrics.js';
import { OtpRepository } from './otp.repository.js';
import { OtpService } from './otp.service.js';
import { DeliveryAnnouncer } from './request/delivery-announcer.js';
import { RequestRepository } from './request/request.repository.js';
import { RequestService } from './request/request.service.js';
import { OtpRetention } from './retention/otp-retention.js';
import { TokenDigests } from './tokens.js';
import { VerifyRepository } from './verify/verify.repository.js';
import { VerifyService } from './verify/verify.service.js';

@Module({
  controllers: [OtpHandler],
  providers: [
    ...[OtpService, OtpRepository, OtpMetrics, OrganisationRulesCache, TokenDigests, Prices],
    ...[RequestService, RequestRepository, DeliveryAnnouncer, Announcer],
    ...[VerifyService, VerifyRepository, OtpRetention],
    {
      provide: TextSealer,
      inject: [RuntimeConfig],
      useFactory: ({ QUEUE_KEY }: RuntimeConfig) => new TextSealer(QUEUE_KEY),
    },
  ],
})
export class OtpModule {}
