import { Module } from '@nestjs/common';
import { TextModule } from '../text/text.module.js';
import { InboxRepository } from './inbox.repository.js';
import { InboxService } from './inbox.service.js';
import { IncomingHandlers } from './incoming-handler.js';
import { IncomingRepository } from './incoming.repository.js';
import { IncomingService } from './incoming.service.js';

@Module({
  imports: [TextModule],
  providers: [...[InboxService, InboxRepository], ...[IncomingService, IncomingRepository, IncomingHandlers]],
  exports: [InboxService, InboxRepository, IncomingService, IncomingHandlers],
})
export class InboxModule {}
