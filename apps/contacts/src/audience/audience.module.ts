import { Module } from '@nestjs/common';
import { QueryModule } from '../query/query.module.js';
import { TablesModule } from '../tables/tables.module.js';
import { AudienceHandler } from './audience.handler.js';
import { AudienceRepository } from './audience.repository.js';
import { AudienceService } from './audience.service.js';

@Module({
  imports: [TablesModule, QueryModule],
  controllers: [AudienceHandler],
  providers: [AudienceService, AudienceRepository],
})
export class AudienceModule {}
