import { contractsSentBy, contractsServedBy } from '@gangan/contracts';
import { runWorker } from '@gangan/runtime';
import { OtpConfig } from './otp.config.js';
import { OtpModule } from './otp.module.js';

await runWorker({
  name: 'otp',
  module: OtpModule,
  config: OtpConfig,
  contracts: contractsServedBy('otp'),
  sends: contractsSentBy('otp'),
});
