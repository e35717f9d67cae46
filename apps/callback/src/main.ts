import { contractsSentBy, contractsServedBy } from '@gangan/contracts';
import { runWorker } from '@gangan/runtime';
import { CallbackConfig } from './callback.config.js';
import { CallbackModule } from './callback.module.js';

await runWorker({
  name: 'callback',
  module: CallbackModule,
  config: CallbackConfig,
  contracts: contractsServedBy('callback'),
  sends: contractsSentBy('callback'),
  usesModels: true,
});
