import { contractsForQueue } from '@gangan/contracts';
import { runWorker } from '@gangan/runtime';
import { OtpConfig } from './otp.config.js';
import { OtpModule } from './otp.module.js';

await runWorker({
  name: 'otp',
  module: OtpModule,
  config: OtpConfig,
  contracts: contractsForQueue('otp'),
});
