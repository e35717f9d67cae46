import { contractVariables } from '@gangan/contracts';
import {
  checkedText,
  dataVariables,
  defineConfig,
  earlierQueueKey,
  secret,
  str,
  wholeNumber,
} from '@gangan/runtime';
import { proxiesFault } from './http/request/client-address.js';

export class GatewayConfig extends defineConfig({
  ...contractVariables,
  SEAL_MESSAGES: dataVariables.SEAL_MESSAGES,
  ...earlierQueueKey,
  REQUEST_TIMEOUT_MS: wholeNumber({ min: 100, max: 14_000 })({
    default: 12_000,
    desc: 'Time limit for a request to arrive, with its body',
  }),
  TRUSTED_PROXIES: checkedText(proxiesFault)({
    default: undefined,
    desc: 'Addresses and ranges of the proxies in front of the gateway, separated by commas; X-Forwarded-For is read only from these',
    example: '10.0.0.0/8,127.0.0.1',
  }),
  DEBUG_TOKEN: secret(
    checkedText((text) => (text.length < 32 ? 'must have at least 32 characters' : undefined))({
      default: undefined,
      desc: 'Requests with this value in the header X-Debug are logged at debug level in every app',
      example: 'the output of: openssl rand -hex 32',
    }),
  ),
  RATE_LIMIT_PER_SECOND: wholeNumber({ min: 0, max: 1_000_000 })({
    default: 100,
    desc: 'Requests per second of an organisation',
  }),
  RATE_LIMIT_BURST: wholeNumber({ min: 0, max: 10_000_000 })({
    default: 200,
    desc: 'Burst of requests of an organisation',
  }),
  RATE_LIMIT_KEY_PERCENT: wholeNumber({ min: 1, max: 100 })({
    default: 100,
    desc: 'Percentage of its organisation’s rate that one API key may use',
  }),
  INBOUND_RATE_PER_SECOND: wholeNumber({ min: 1, max: 1_000_000 })({
    default: 1_000,
    desc: 'Requests per second of a provider to /in over all gateways, in bursts of twice as many; a body counts as one per 64 KiB',
  }),
  AIRTIME_KEY_COOLING_HOURS: wholeNumber({ min: 0, max: 8_760 })({
    default: 0,
    desc: 'Hours in which a new API key of an organisation cannot buy airtime',
  }),
  MAX_REQUESTS_IN_PROGRESS: wholeNumber({ min: 1, max: 1_000_000 })({
    default: 5_000,
    desc: 'Requests that one gateway processes at a time; further ones get 503',
  }),
  MAX_REQUESTS_IN_PROGRESS_PER_ORGANISATION: wholeNumber({ min: 1, max: 1_000_000 })({
    default: 1_000,
    desc: 'Requests of one organisation that one gateway processes at a time; further ones get 429',
  }),
  MAX_UPLOADS_PER_ORGANISATION: wholeNumber({ min: 1, max: 10_000 })({
    default: 4,
    desc: 'Files of one organisation that one gateway receives at a time; further ones get 429',
  }),
  MAX_EVENT_LOOP_DELAY_MS: wholeNumber({ min: 0, max: 60_000 })({
    default: 250,
    desc: 'Average event loop lag of a gateway above which requests get 503; 0 disables the check',
  }),
  // Below this minimum, a webhook of 3 MiB would never fit into its share.
  MAX_BYTES_IN_PROGRESS: wholeNumber({ min: 25_165_824, max: 1_099_511_627_776 })({
    default: 67_108_864,
    desc: 'Bytes of request bodies, without files, that one gateway processes at a time, a quarter of them for webhooks of providers; further ones get 503',
  }),
  MAX_CONNECTIONS: wholeNumber({ min: 1, max: 1_000_000 })({
    default: 10_000,
    desc: 'Connections that one gateway accepts at a time; further ones are closed',
  }),
  MAX_CONNECTIONS_PER_ADDRESS: wholeNumber({ min: 1, max: 1_000_000 })({
    default: 1_000,
    desc: 'Connections that one gateway accepts from one address (with IPv6, one /64 network) at a time, except TRUSTED_PROXIES',
  }),
  CONTACT_IMPORT_MAX_BYTES: wholeNumber({ min: 1_024, max: 1_099_511_627_776 })({
    default: 1_073_741_824,
    desc: 'Maximum size of a contact import file',
  }),
  CONTACT_IMPORT_TIMEOUT_MS: wholeNumber({ min: 1_000, max: 86_400_000 })({
    default: 3_600_000,
    desc: 'Time limit for a contact import file to arrive; REQUEST_TIMEOUT_MS limits the time without new bytes',
  }),
  CONTACT_IMPORT_MIN_BYTES_PER_SECOND: wholeNumber({ min: 0, max: 1_000_000_000 })({
    default: 1_024,
    desc: 'Transfer rate, averaged over 10 s, below which an upload ends with 408; 0 disables the check',
  }),
  RESPONSE_BYTES: wholeNumber({ min: 0, max: 999_999_999_999_999 })({
    default: 4_294_967_296,
    desc: 'Bytes of responses for an Idempotency-Key stored for an organisation; of further ones only status and id are kept',
  }),
  DATABASE_MAX_BYTES: wholeNumber({ min: 1, max: 999_999_999_999_999 })({
    default: undefined,
    desc: 'Bytes of the database above which storage is low: imports and exports get 503',
    example: '80000000000',
  }),
  DATABASE_FOLDER: str({
    default: undefined,
    desc: 'Folder of the database on this machine: storage is also low while its disk has little space',
    example: '/var/lib/postgresql',
  }),
  DATABASE_MIN_FREE_BYTES: wholeNumber({ min: 0, max: 999_999_999_999_999 })({
    default: 1_073_741_824,
    desc: 'Bytes that must be free on the disk of DATABASE_FOLDER',
  }),
}) {}
