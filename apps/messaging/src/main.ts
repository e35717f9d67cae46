import { contractsForQueue } from '@gangan/contracts';
import { runWorker } from '@gangan/runtime';
import { MessagingConfig } from './messaging.config.js';
import { MessagingModule } from './messaging.module.js';

await runWorker({
  name: 'messaging',
  module: MessagingModule,
  config: MessagingConfig,
  contracts: ['messaging', 'delivery', 'delivery-otp'].flatMap(contractsForQueue),
  usesModels: true,
});
