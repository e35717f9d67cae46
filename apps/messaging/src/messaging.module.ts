import { Module } from '@nestjs/common';
import { LinksModule } from './links/links.module.js';
import { MessagesModule } from './messages/messages.module.js';
import { RetentionModule } from './retention/retention.module.js';
import { TemplatesModule } from './templates/templates.module.js';

/** MessagesModule imports the modules on the way of a message: audience, schedule, submit, reports, outcome, providers. */
@Module({ imports: [MessagesModule, TemplatesModule, LinksModule, RetentionModule] })
export class MessagingModule {}
