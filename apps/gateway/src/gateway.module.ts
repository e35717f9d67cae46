import { Module } from '@nestjs/common';
import { AirtimeModule } from './airtime/airtime.module.js';
import { AuthModule } from './auth/auth.module.js';
import { BillingModule } from './billing/billing.module.js';
import { CallbacksModule } from './callbacks/callbacks.module.js';
import { ContactsModule } from './contacts/contacts.module.js';
import { HealthModule } from './health/health.module.js';
import { HttpModule } from './http/http.module.js';
import { IdempotencyModule } from './idempotency/idempotency.module.js';
import { LimitsModule } from './limits/limits.module.js';
import { LinksModule } from './links/links.module.js';
import { LookupModule } from './lookup/lookup.module.js';
import { OpenapiModule } from './openapi/openapi.module.js';
import { OtpModule } from './otp/otp.module.js';
import { SmsModule } from './sms/sms.module.js';
import { TemplatesModule } from './templates/templates.module.js';

/**
 * `http`, `auth`, `limits` and `idempotency` surround every request; each further module is one domain with its controllers.
 * Authentication, limits and idempotency are Fastify hooks, not guards and interceptors: configure-http.ts lists them in
 * the order in which they run, and says why.
 */
@Module({
  imports: [
    HttpModule,
    AuthModule,
    IdempotencyModule,
    LimitsModule,
    AirtimeModule,
    BillingModule,
    CallbacksModule,
    ContactsModule,
    HealthModule,
    LinksModule,
    LookupModule,
    OpenapiModule,
    OtpModule,
    SmsModule,
    TemplatesModule,
  ],
})
export class GatewayModule {}
