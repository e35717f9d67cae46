import { Module } from '@nestjs/common';
import { runWorker } from '@gangan/runtime';
import { echoOf } from '../support/contracts.js';

@Module({})
class DeafModule {}

/** Promises a contract that it has no handler for. */
await runWorker({ name: 'deaf', module: DeafModule, contracts: [echoOf('deaf')] });
