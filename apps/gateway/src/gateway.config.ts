import { configOf, wholeNumber } from '@gangan/runtime';

export class GatewayConfig extends configOf({
  REQUEST_TIMEOUT_MS: wholeNumber({ min: 100, max: 14_000 })({
    default: 12_000,
    desc: 'How long a request may take to arrive, its body included, before the connection is closed',
  }),
}) {}
