import { CallbackAnnouncer } from '@gangan/callbacks';
import { Module } from '@nestjs/common';
import { TextModule } from '../text/text.module.js';
import { IncomingHandlers } from './incoming-handler.js';
import { IncomingRepository } from './incoming.repository.js';
import { IncomingService } from './incoming.service.js';

@Module({
  imports: [TextModule],
  providers: [...[IncomingService, IncomingRepository, IncomingHandlers, CallbackAnnouncer]],
  exports: [IncomingService, IncomingHandlers],
})
export class InboxModule {}
