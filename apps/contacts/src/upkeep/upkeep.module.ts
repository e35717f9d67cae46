import { Module } from '@nestjs/common';
import { ExportsModule } from '../exports/exports.module.js';
import { ImportsModule } from '../imports/imports.module.js';
import { TransferPruner } from './transfer-pruner.js';
import { Upkeep } from './upkeep.js';
import { UpkeepRepository } from './upkeep.repository.js';

@Module({
  imports: [ImportsModule, ExportsModule],
  providers: [Upkeep, UpkeepRepository, TransferPruner],
})
export class UpkeepModule {}
