import { Module } from '@nestjs/common';
import { AirtimeController } from './airtime/airtime.controller.js';
import { AuthModule } from './auth/auth.module.js';
import { BillingController } from './billing/billing.controller.js';
import { BillingService } from './billing/billing.service.js';
import { CallbacksController } from './callbacks/callbacks.controller.js';
import { EndpointsController } from './callbacks/endpoints.controller.js';
import { ContactColumnsController } from './contacts/contact-columns.controller.js';
import { ContactRowsController } from './contacts/contact-rows.controller.js';
import { ExportsController } from './contacts/exports.controller.js';
import { ImportUploader } from './contacts/import-uploader.js';
import { ImportsController } from './contacts/imports.controller.js';
import { SmartlistsController } from './contacts/smartlists.controller.js';
import { GuidesController } from './guides/guides.controller.js';
import { HealthController } from './health/health.controller.js';
import { HomeController } from './home/home.controller.js';
import { HttpModule } from './http/http.module.js';
import { IdempotencyModule } from './idempotency/idempotency.module.js';
import { LimitsModule } from './limits/limits.module.js';
import { InboundModule } from './inbound/inbound.module.js';
import { InboxController } from './inbox/inbox.controller.js';
import { ClickCounter } from './links/click-counter.js';
import { LinkResolver } from './links/link-resolver.js';
import { LinksController } from './links/links.controller.js';
import { LookupController } from './lookup/lookup.controller.js';
import { DocsController } from './openapi/docs.controller.js';
import { OtpController } from './otp/otp.controller.js';
import { SimulatorController } from './simulator/simulator.controller.js';
import { SmsController } from './sms/sms.controller.js';
import { StorageModule } from './storage/storage.module.js';
import { OptOutsController } from './opt-outs/opt-outs.controller.js';
import { TemplatesController } from './templates/templates.controller.js';

/**
 * The modules surround every request. Authentication, limits, idempotency and validation are Fastify hooks, not guards and
 * interceptors: configure-http.ts lists them in the order in which they run, and says why. A domain is one or more
 * controllers, most of which only pass requests to the queue.
 */
@Module({
  imports: [HttpModule, AuthModule, IdempotencyModule, LimitsModule, InboundModule, StorageModule],
  controllers: [
    ...[
      SmsController,
      TemplatesController,
      OptOutsController,
      InboxController,
      SimulatorController,
      OtpController,
      AirtimeController,
      LookupController,
    ],
    ...[ContactRowsController, ContactColumnsController, SmartlistsController],
    ...[ImportsController, ExportsController, LinksController, BillingController],
    ...[CallbacksController, EndpointsController],
    ...[HomeController, DocsController, GuidesController, HealthController],
  ],
  providers: [BillingService, ImportUploader, LinkResolver, ClickCounter],
})
export class GatewayModule {}
