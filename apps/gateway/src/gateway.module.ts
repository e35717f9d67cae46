import { Module } from '@nestjs/common';
import { AirtimeController } from './airtime/airtime.controller.js';
import { AuthModule } from './auth/auth.module.js';
import { BillingModule } from './billing/billing.module.js';
import { CallbacksController } from './callbacks/callbacks.controller.js';
import { ContactsModule } from './contacts/contacts.module.js';
import { HealthController } from './health/health.controller.js';
import { HttpModule } from './http/http.module.js';
import { IdempotencyModule } from './idempotency/idempotency.module.js';
import { LimitsModule } from './limits/limits.module.js';
import { LinksModule } from './links/links.module.js';
import { LookupController } from './lookup/lookup.controller.js';
import { DocsController } from './openapi/docs.controller.js';
import { OtpController } from './otp/otp.controller.js';
import { SmsController } from './sms/sms.controller.js';
import { TemplatesController } from './templates/templates.controller.js';

/**
 * `http`, `auth`, `limits` and `idempotency` surround every request. Authentication, limits and idempotency are Fastify
 * hooks, not guards and interceptors: configure-http.ts lists them in the order in which they run, and says why.
 * A domain is a controller, or a module if it has providers of its own.
 */
@Module({
  imports: [
    ...[HttpModule, AuthModule, IdempotencyModule, LimitsModule],
    ...[BillingModule, ContactsModule, LinksModule],
  ],
  controllers: [
    ...[SmsController, TemplatesController, OtpController, AirtimeController, LookupController],
    ...[CallbacksController, DocsController, HealthController],
  ],
})
export class GatewayModule {}
