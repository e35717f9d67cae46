import { contractsSentBy } from '@gangan/contracts';
import { runGateway } from '@gangan/runtime';
import { GatewayConfig } from './gateway.config.js';
import { GatewayModule } from './gateway.module.js';
import { configureHttp } from './configure-http.js';
import { serverOptions } from './http/server-options.js';

await runGateway({
  name: 'gateway',
  module: GatewayModule,
  config: GatewayConfig,
  sends: contractsSentBy('gateway'),
  server: (configs) => serverOptions(configs.of(GatewayConfig)),
  configure: configureHttp,
});
