import { Module } from '@nestjs/common';
import { otpRetention } from '../otp.retention.js';
import { ShorterRetention } from './shorter-retention.js';

@Module({ providers: [otpRetention, ShorterRetention] })
export class RetentionModule {}
