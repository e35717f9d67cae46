import { Module } from '@nestjs/common';
import { LookupHandler } from './lookup.handler.js';
import { LookupRepository } from './lookup.repository.js';
import { LookupService } from './lookup.service.js';
import { NumberingPlan } from './numbering-plan.js';

@Module({ controllers: [LookupHandler], providers: [LookupService, LookupRepository, NumberingPlan] })
export class LookupModule {}
