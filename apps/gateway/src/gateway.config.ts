import { contractVariables } from '@gangan/contracts';
import { defineConfig, wholeNumber } from '@gangan/runtime';

export class GatewayConfig extends defineConfig({
  ...contractVariables,
  REQUEST_TIMEOUT_MS: wholeNumber({ min: 100, max: 14_000 })({
    default: 12_000,
    desc: 'How long a request may take to arrive, its body included, before the connection is closed',
  }),
  RATE_LIMIT_PER_SECOND: wholeNumber({ min: 0, max: 1_000_000 })({
    default: 100,
    desc: 'Requests a second that an organisation may do, unless it has a limit of its own; 0 for any number',
  }),
  RATE_LIMIT_BURST: wholeNumber({ min: 0, max: 10_000_000 })({
    default: 200,
    desc: 'Requests that an organisation may do at once after a pause, unless it has a limit of its own',
  }),
  RATE_LIMIT_KEY_PERCENT: wholeNumber({ min: 1, max: 100 })({
    default: 100,
    desc: 'How much of the limit of its organisation one API key may use; less than 100 leaves some to the others',
  }),
  MAX_REQUESTS_IN_PROGRESS: wholeNumber({ min: 1, max: 1_000_000 })({
    default: 5_000,
    desc: 'Requests that one gateway works on at a time; further ones are turned away with 503',
  }),
  MAX_EVENT_LOOP_DELAY_MS: wholeNumber({ min: 0, max: 60_000 })({
    default: 250,
    desc: 'While the event loop of a gateway lags by more than this on average, requests are turned away with 503; 0 for never',
  }),
  CONTACT_IMPORT_MAX_BYTES: wholeNumber({ min: 1_024, max: 1_099_511_627_776 })({
    default: 1_073_741_824,
    desc: 'How large a file of contacts to import may be',
  }),
  CONTACT_IMPORT_TIMEOUT_MS: wholeNumber({ min: 1_000, max: 86_400_000 })({
    default: 3_600_000,
    desc: 'How long a file of contacts may take to arrive; REQUEST_TIMEOUT_MS is then how long nothing of it may arrive',
  }),
}) {}
