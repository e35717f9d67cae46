import { DataSealer } from '@gangan/sealing';
import { Global, Module } from '@nestjs/common';
import { OrganisationRulesCache } from './organisation-rules.js';
import { OtpConfig } from './otp.config.js';
import { OtpHandler } from './otp.handler.js';
import { OtpMetrics } from './otp.metrics.js';
import { OtpRepository } from './otp.repository.js';
import { otpRetention } from './otp.retention.js';
import { OtpService } from './otp.service.js';
import { RequestModule } from './request/request.module.js';
import { ShorterRetention } from './retention/shorter-retention.js';
import { SendsModule } from './sends/sends.module.js';
import { TokenDigests } from './tokens.js';
import { VerifyModule } from './verify/verify.module.js';

const dataSealer = {
  provide: DataSealer,
  inject: [OtpConfig],
  useFactory: ({ DATA_KEYS }: OtpConfig) => new DataSealer(DATA_KEYS),
};

/** Global: the modules of the folders use the providers of the files beside it. */
@Global()
@Module({
  imports: [RequestModule, SendsModule, VerifyModule],
  controllers: [OtpHandler],
  providers: [
    ...[OtpService, OtpRepository, OtpMetrics, OrganisationRulesCache, TokenDigests],
    dataSealer,
    ...[otpRetention, ShorterRetention],
  ],
  exports: [OtpService, OtpRepository, OtpMetrics, OrganisationRulesCache, TokenDigests, DataSealer],
})
export class OtpModule {}
