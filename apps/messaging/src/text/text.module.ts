import { dataSealerOf } from '@gangan/runtime';
import { DataSealer } from '@gangan/sealing';
import { Module } from '@nestjs/common';
import { MessagingConfig } from '../messaging.config.js';
import { MessageTexts } from './message-text.js';
import { StoredTexts } from './stored-texts.js';

@Module({
  providers: [StoredTexts, MessageTexts, dataSealerOf(MessagingConfig)],
  exports: [StoredTexts, MessageTexts, DataSealer],
})
export class TextModule {}
