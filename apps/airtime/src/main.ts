import { contractsSentBy, contractsServedBy } from '@gangan/contracts';
import { runWorker } from '@gangan/runtime';
import { AirtimeConfig } from './airtime.config.js';
import { AirtimeModule } from './airtime.module.js';

await runWorker({
  name: 'airtime',
  module: AirtimeModule,
  config: AirtimeConfig,
  contracts: contractsServedBy('airtime'),
  sends: contractsSentBy('airtime'),
});
