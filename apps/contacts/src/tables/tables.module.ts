import { Module } from '@nestjs/common';
import { ColumnsRepository } from './columns.repository.js';
import { TablesHandler } from './tables.handler.js';
import { TablesRepository } from './tables.repository.js';
import { TablesService } from './tables.service.js';

@Module({
  controllers: [TablesHandler],
  providers: [TablesService, TablesRepository, ColumnsRepository],
  exports: [TablesRepository],
})
export class TablesModule {}
