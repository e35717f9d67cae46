import { Module } from '@nestjs/common';
import { TablesModule } from '../tables/tables.module.js';
import { SmartlistsHandler } from './smartlists.handler.js';
import { SmartlistsRepository } from './smartlists.repository.js';
import { SmartlistsService } from './smartlists.service.js';

@Module({
  imports: [TablesModule],
  controllers: [SmartlistsHandler],
  providers: [SmartlistsService, SmartlistsRepository],
  exports: [SmartlistsRepository],
})
export class SmartlistsModule {}
