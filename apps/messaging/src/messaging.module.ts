import { Module } from '@nestjs/common';
import { DeliveryModule } from './delivery/delivery.module.js';
import { LinksModule } from './links/links.module.js';
import { RetentionModule } from './retention/retention.module.js';
import { TemplatesModule } from './templates/templates.module.js';

@Module({ imports: [DeliveryModule, TemplatesModule, LinksModule, RetentionModule] })
export class MessagingModule {}
