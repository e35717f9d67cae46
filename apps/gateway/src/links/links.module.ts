import { Module } from '@nestjs/common';
import { ClickCounter } from './click-counter.js';
import { LinkResolver } from './link-resolver.js';
import { LinksController } from './links.controller.js';

@Module({ controllers: [LinksController], providers: [LinkResolver, ClickCounter] })
export class LinksModule {}
