import { Module } from '@nestjs/common';
import { ClickCounter } from './click-counter.js';
import { Destinations } from './destinations.js';
import { LinksController } from './links.controller.js';

@Module({ controllers: [LinksController], providers: [Destinations, ClickCounter] })
export class LinksModule {}
