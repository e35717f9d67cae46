import { dataSealerOf } from '@gangan/runtime';
import { DataSealer } from '@gangan/sealing';
import { Global, Module } from '@nestjs/common';
import { OrganisationRulesCache } from './organisation-rules.js';
import { OtpConfig } from './otp.config.js';
import { OtpHandler } from './otp.handler.js';
import { OtpMetrics } from './otp.metrics.js';
import { OtpRepository } from './otp.repository.js';
import { OtpService } from './otp.service.js';
import { RequestModule } from './request/request.module.js';
import { RetentionModule } from './retention/retention.module.js';
import { SendsModule } from './sends/sends.module.js';
import { TokenDigests } from './tokens.js';
import { VerifyModule } from './verify/verify.module.js';

/** Global: the modules of the folders use the providers of the files beside it. */
@Global()
@Module({
  imports: [RequestModule, SendsModule, VerifyModule, RetentionModule],
  controllers: [OtpHandler],
  providers: [
    ...[OtpService, OtpRepository, OtpMetrics, OrganisationRulesCache, TokenDigests],
    dataSealerOf(OtpConfig),
  ],
  exports: [OtpService, OtpRepository, OtpMetrics, OrganisationRulesCache, TokenDigests, DataSealer],
})
export class OtpModule {}
