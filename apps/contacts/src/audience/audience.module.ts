import { Module } from '@nestjs/common';
import { QueryModule } from '../query/query.module.js';
import { TablesModule } from '../tables/tables.module.js';
import { AudienceRepository } from './audience.repository.js';
import { AudienceService } from './audience.service.js';

@Module({
  imports: [TablesModule, QueryModule],
  providers: [AudienceService, AudienceRepository],
  exports: [AudienceService],
})
export class AudienceModule {}
