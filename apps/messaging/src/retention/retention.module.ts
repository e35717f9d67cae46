import { Module } from '@nestjs/common';
import { MessageRetention } from './message-retention.js';

@Module({ providers: [MessageRetention] })
export class RetentionModule {}
