import { Module } from '@nestjs/common';
import { LinksModule } from './links/links.module.js';
import { TemplatesModule } from './templates/templates.module.js';

@Module({ imports: [TemplatesModule, LinksModule] })
export class MessagingModule {}
