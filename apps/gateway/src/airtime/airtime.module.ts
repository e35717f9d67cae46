import { Module } from '@nestjs/common';
import { AirtimeController } from './airtime.controller.js';

@Module({ controllers: [AirtimeController] })
export class AirtimeModule {}
