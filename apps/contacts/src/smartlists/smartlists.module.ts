import { Module } from '@nestjs/common';
import { TablesModule } from '../tables/tables.module.js';
import { SmartlistsRepository } from './smartlists.repository.js';
import { SmartlistsService } from './smartlists.service.js';

@Module({
  imports: [TablesModule],
  providers: [SmartlistsService, SmartlistsRepository],
  exports: [SmartlistsService, SmartlistsRepository],
})
export class SmartlistsModule {}
