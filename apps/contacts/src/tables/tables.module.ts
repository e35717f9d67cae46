import { Module } from '@nestjs/common';
import { TablesRepository } from './tables.repository.js';
import { TablesService } from './tables.service.js';

@Module({ providers: [TablesService, TablesRepository], exports: [TablesService, TablesRepository] })
export class TablesModule {}
