import { GuardedClient } from '@gangan/http-client';
import { Module } from '@nestjs/common';
import { CallbackConfig } from '../callback.config.js';
import { AttemptRepository } from './attempt.repository.js';
import { AttemptService } from './attempt.service.js';
import { CallbackBodies } from './callback-bodies.js';
import { SigningSecrets } from './signing-secrets.js';
import { StoredSecrets } from './stored-secrets.js';

const guardedClient = {
  provide: GuardedClient,
  inject: [CallbackConfig],
  useFactory: ({ CALLBACK_ALLOW_PRIVATE: allowPrivate, CALLBACK_TIMEOUT_MS: timeoutMs }: CallbackConfig) =>
    new GuardedClient({ allowPrivate, timeoutMs }),
};

@Module({
  providers: [
    ...[AttemptService, AttemptRepository, guardedClient],
    ...[CallbackBodies, SigningSecrets, StoredSecrets],
  ],
  exports: [AttemptService, CallbackBodies],
})
export class AttemptsModule {}
