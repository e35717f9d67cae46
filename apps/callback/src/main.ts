import { contractsForQueue } from '@gangan/contracts';
import { runWorker } from '@gangan/runtime';
import { CallbackConfig } from './callback.config.js';
import { CallbackModule } from './callback.module.js';

await runWorker({
  name: 'callback',
  module: CallbackModule,
  config: CallbackConfig,
  contracts: contractsForQueue('callback'),
  usesModels: true,
});
