import { Module } from '@nestjs/common';
import { AttemptsModule } from '../attempts/attempts.module.js';
import { ClaimsRepository } from './claims.repository.js';
import { Dispatcher } from './dispatcher.js';
import { DueCallbacks } from './due-callbacks.js';
import { Sweeper } from './sweeper.js';

@Module({
  imports: [AttemptsModule],
  providers: [Dispatcher, ClaimsRepository, DueCallbacks, Sweeper],
  exports: [Dispatcher, DueCallbacks],
})
export class DispatchModule {}
