import { Module } from '@nestjs/common';
import { ProvidersModule } from '../providers/providers.module.js';
import { ConversationWindows } from './conversation-windows.js';
import { WindowRetention } from './window-retention.js';

@Module({
  imports: [ProvidersModule],
  providers: [ConversationWindows, WindowRetention],
  exports: [ConversationWindows],
})
export class WindowsModule {}
