import { Module } from '@nestjs/common';
import { ContactColumnsController } from './contact-columns.controller.js';
import { ContactRowsController } from './contact-rows.controller.js';
import { ExportFiles } from './exports/export-files.js';
import { ExportsController } from './exports/exports.controller.js';
import { ImportsController } from './imports/imports.controller.js';
import { Uploads } from './imports/uploads.js';
import { SmartlistsController } from './smartlists.controller.js';

@Module({
  controllers: [
    ...[ContactRowsController, ContactColumnsController, SmartlistsController],
    ...[ImportsController, ExportsController],
  ],
  providers: [Uploads, ExportFiles],
})
export class ContactsModule {}
