import { contractsSentBy, contractsServedBy } from '@gangan/contracts';
import { runWorker } from '@gangan/runtime';
import { LookupConfig } from './lookup.config.js';
import { LookupModule } from './lookup.module.js';

await runWorker({
  name: 'lookup',
  module: LookupModule,
  config: LookupConfig,
  contracts: contractsServedBy('lookup'),
  sends: contractsSentBy('lookup'),
  // Live lookups only wait for a provider.
  tuning: { singleConcurrency: 64 },
  usesModels: true,
});
