import { CallbackAnnouncer } from '@gangan/callbacks';
import { Module } from '@nestjs/common';
import { LinksRepository } from './links.repository.js';
import { LinksService } from './links.service.js';

@Module({ providers: [LinksService, LinksRepository, CallbackAnnouncer], exports: [LinksService] })
export class LinksModule {}
