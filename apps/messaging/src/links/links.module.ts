import { CallbackAnnouncer } from '@gangan/callbacks';
import { Module } from '@nestjs/common';
import { LinkHandler } from './link.handler.js';
import { LinkRepository } from './link.repository.js';
import { LinkService } from './link.service.js';

@Module({ controllers: [LinkHandler], providers: [LinkService, LinkRepository, CallbackAnnouncer] })
export class LinksModule {}
