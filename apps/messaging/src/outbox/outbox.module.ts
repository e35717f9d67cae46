import { Module } from '@nestjs/common';
import { TextModule } from '../text/text.module.js';
import { OutboxRepository } from './outbox.repository.js';

@Module({
  imports: [TextModule],
  providers: [OutboxRepository],
  exports: [OutboxRepository],
})
export class OutboxModule {}
