import { Module } from '@nestjs/common';
import { ProvidersModule } from '../providers/providers.module.js';
import { FindingRepository } from './finding.repository.js';
import { LiveLookups } from './live-lookups.js';

@Module({
  imports: [ProvidersModule],
  providers: [LiveLookups, FindingRepository],
  exports: [LiveLookups, FindingRepository],
})
export class LiveModule {}
