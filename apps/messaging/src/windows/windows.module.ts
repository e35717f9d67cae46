import { Module } from '@nestjs/common';
import { InboxModule } from '../inbox/inbox.module.js';
import { ProvidersModule } from '../providers/providers.module.js';
import { ConversationWindows } from './conversation-windows.js';
import { WindowRecorder } from './window-recorder.js';

@Module({
  imports: [InboxModule, ProvidersModule],
  providers: [ConversationWindows, WindowRecorder],
  exports: [ConversationWindows],
})
export class WindowsModule {}
