import { applyContractVariables, contractsForQueue } from '@gangan/contracts';
import { runWorker } from '@gangan/runtime';
import { AirtimeConfig } from './airtime.config.js';
import { AirtimeModule } from './airtime.module.js';

await runWorker({
  name: 'airtime',
  module: AirtimeModule,
  config: AirtimeConfig,
  configure: applyContractVariables,
  contracts: contractsForQueue('airtime'),
});
