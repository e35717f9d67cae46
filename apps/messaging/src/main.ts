import { contractsSentBy, contractsServedBy } from '@gangan/contracts';
import { runWorker } from '@gangan/runtime';
import { MessagingConfig } from './messaging.config.js';
import { MessagingModule } from './messaging.module.js';

await runWorker({
  name: 'messaging',
  module: MessagingModule,
  config: MessagingConfig,
  contracts: contractsServedBy('messaging'),
  sends: contractsSentBy('messaging'),
  usesModels: true,
});
