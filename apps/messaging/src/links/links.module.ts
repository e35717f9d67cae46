import { CallbackAnnouncer } from '@gangan/callbacks';
import { Module } from '@nestjs/common';
import { LinksHandler } from './links.handler.js';
import { LinksRepository } from './links.repository.js';
import { LinksService } from './links.service.js';

@Module({ controllers: [LinksHandler], providers: [LinksService, LinksRepository, CallbackAnnouncer] })
export class LinksModule {}
