import { Prices } from '@gangan/billing';
import { Announcer } from '@gangan/leases';
import { DataSealer } from '@gangan/sealing';
import { Module } from '@nestjs/common';
import { OrganisationRulesCache } from './organisation-rules.js';
import { OtpConfig } from './otp.config.js';
import { OtpHandler } from './otp.handler.js';
import { OtpMetrics } from './otp.metrics.js';
import { OtpRepository } from './otp.repository.js';
import { otpRetention } from './otp.retention.js';
import { OtpService } from './otp.service.js';
import { DeliveryAnnouncer } from './request/delivery-announcer.js';
import { OtpRoutes } from './request/otp-routes.js';
import { RequestRepository } from './request/request.repository.js';
import { RequestService } from './request/request.service.js';
import { ShorterRetention } from './retention/shorter-retention.js';
import { FallbackService } from './sends/fallback.service.js';
import { FurtherSends } from './sends/further-sends.js';
import { ResendService } from './sends/resend.service.js';
import { SendComposer } from './sends/send-composer.js';
import { SendsRepository } from './sends/sends.repository.js';
import { TokenDigests } from './tokens.js';
import { VerifyRepository } from './verify/verify.repository.js';
import { VerifyService } from './verify/verify.service.js';

@Module({
  controllers: [OtpHandler],
  providers: [
    ...[OtpService, OtpRepository, OtpMetrics, OrganisationRulesCache, TokenDigests, Prices],
    ...[RequestService, RequestRepository, OtpRoutes, DeliveryAnnouncer, Announcer],
    ...[SendComposer, FurtherSends, SendsRepository, ResendService, FallbackService],
    ...[VerifyService, VerifyRepository, otpRetention, ShorterRetention],
    {
      provide: DataSealer,
      inject: [OtpConfig],
      useFactory: ({ DATA_KEYS }: OtpConfig) => new DataSealer(DATA_KEYS),
    },
  ],
})
export class OtpModule {}
