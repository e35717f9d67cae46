import { Module } from '@nestjs/common';
import { ContactColumnsController } from './contact-columns.controller.js';
import { ContactRowsController } from './contact-rows.controller.js';
import { ExportsController } from './exports.controller.js';
import { ImportUploader } from './import-uploader.js';
import { ImportsController } from './imports.controller.js';
import { SmartlistsController } from './smartlists.controller.js';

@Module({
  controllers: [
    ...[ContactRowsController, ContactColumnsController, SmartlistsController],
    ...[ImportsController, ExportsController],
  ],
  providers: [ImportUploader],
})
export class ContactsModule {}
