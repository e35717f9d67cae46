import { contractsSentBy, contractsServedBy } from '@gangan/contracts';
import { runWorker } from '@gangan/runtime';
import { ContactsConfig } from './contacts.config.js';
import { ContactsModule } from './contacts.module.js';

await runWorker({
  name: 'contacts',
  module: ContactsModule,
  config: ContactsConfig,
  contracts: contractsServedBy('contacts'),
  sends: contractsSentBy('contacts'),
  // Most single jobs are queries that wait for a slot.
  tuning: { singleConcurrency: 64 },
  usesModels: true,
});
