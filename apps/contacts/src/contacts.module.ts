import { Module } from '@nestjs/common';
import { ContactsHandler } from './contacts.handler.js';
import { QueryRepository } from './query/query.repository.js';
import { QueryService } from './query/query.service.js';
import { RowsRepository } from './rows/rows.repository.js';
import { RowsService } from './rows/rows.service.js';
import { UpsertRows } from './rows/upsert-rows.js';
import { SmartlistsRepository } from './smartlists/smartlists.repository.js';
import { SmartlistsService } from './smartlists/smartlists.service.js';
import { ColumnsRepository } from './tables/columns.repository.js';
import { TablesRepository } from './tables/tables.repository.js';
import { TablesService } from './tables/tables.service.js';
import { Upkeep } from './upkeep/upkeep.js';
import { UpkeepRepository } from './upkeep/upkeep.repository.js';

@Module({
  controllers: [ContactsHandler],
  providers: [
    ...[TablesService, TablesRepository, ColumnsRepository],
    ...[RowsService, RowsRepository, UpsertRows],
    ...[QueryService, QueryRepository],
    ...[SmartlistsService, SmartlistsRepository],
    ...[Upkeep, UpkeepRepository],
  ],
})
export class ContactsModule {}
