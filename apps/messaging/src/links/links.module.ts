import { CallbackAnnouncer } from '@gangan/callbacks';
import { Module } from '@nestjs/common';
import { LinkHandler } from './links.handler.js';
import { LinkRepository } from './links.repository.js';
import { LinkService } from './links.service.js';

@Module({ controllers: [LinkHandler], providers: [LinkService, LinkRepository, CallbackAnnouncer] })
export class LinksModule {}
