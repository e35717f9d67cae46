import { Prices } from '@gangan/billing';
import { RuntimeConfig } from '@gangan/runtime';
import { TextSealer } from '@gangan/sealing';
import { Module } from '@nestjs/common';
import { RulesOfOrganisations } from './organisation-rules.js';
import { OtpHandler } from './otp.handler.js';
import { OtpMetrics } from './otp-metrics.js';
import { OtpRepository } from './otp.repository.js';
import { OtpService } from './otp.service.js';
import { Carriers } from './requesting/carriers.js';
import { DueAnnouncer } from './requesting/due-announcer.js';
import { RequestingService } from './requesting/requesting.service.js';
import { RequestsRepository } from './requesting/requests.repository.js';
import { TokenDigests } from './token-digests.js';
import { Pruner } from './upkeep/pruner.js';
import { VerificationRepository } from './verifying/verification.repository.js';
import { VerifyingService } from './verifying/verifying.service.js';

@Module({
  controllers: [OtpHandler],
  providers: [
    ...[OtpService, OtpRepository, OtpMetrics, RulesOfOrganisations, TokenDigests, Prices],
    ...[RequestingService, RequestsRepository, Carriers, DueAnnouncer],
    ...[VerifyingService, VerificationRepository],
    Pruner,
    {
      provide: TextSealer,
      inject: [RuntimeConfig],
      useFactory: ({ QUEUE_KEY }: RuntimeConfig) => new TextSealer(QUEUE_KEY),
    },
  ],
})
export class OtpModule {}
