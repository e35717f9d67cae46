import { Module } from '@nestjs/common';
import { VerifyRepository } from './verify.repository.js';
import { VerifyService } from './verify.service.js';

@Module({ providers: [VerifyService, VerifyRepository], exports: [VerifyService] })
export class VerifyModule {}
