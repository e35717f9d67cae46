import { DataSealer } from '@gangan/sealing';
import { Module } from '@nestjs/common';
import { MessagingConfig } from '../messaging.config.js';
import { MessageTexts } from './message-text.js';
import { StoredTexts } from './stored-texts.js';

@Module({
  providers: [
    StoredTexts,
    MessageTexts,
    {
      provide: DataSealer,
      inject: [MessagingConfig],
      useFactory: ({ DATA_KEYS }: MessagingConfig) => new DataSealer(DATA_KEYS),
    },
  ],
  exports: [StoredTexts, MessageTexts, DataSealer],
})
export class TextModule {}
