import { Module } from '@nestjs/common';
import { InboxModule } from '../inbox/inbox.module.js';
import { ProvidersModule } from '../providers/providers.module.js';
import { ConversationWindows } from './conversation-windows.js';
import { WindowRecorder } from './window-recorder.js';
import { WindowRetention } from './window-retention.js';

@Module({
  imports: [InboxModule, ProvidersModule],
  providers: [ConversationWindows, WindowRecorder, WindowRetention],
  exports: [ConversationWindows],
})
export class WindowsModule {}
