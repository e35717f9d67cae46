import { Module } from '@nestjs/common';
import { ApiKeyGuard } from './api-key.guard.js';
import { ApiKeyRepository } from './api-key.repository.js';

@Module({ providers: [ApiKeyGuard, ApiKeyRepository], exports: [ApiKeyGuard] })
export class AuthModule {}
