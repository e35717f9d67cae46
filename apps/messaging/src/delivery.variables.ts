import { durations, wholeNumber } from '@gangan/runtime';

export const deliveryVariables = {
  DELIVERY_PROVIDER_TIMEOUT_MS: wholeNumber({ min: 100, max: 60_000 })({
    default: 15_000,
    desc: 'How long a provider of messages may take to answer; after that the outcome counts as unknown',
  }),
  DELIVERY_RETRY_AFTER: durations({
    default: '5s,30s,2m,10m,30m',
    desc: 'How long a delivery waits after each round in which no provider took it; after the last of them it has failed',
  }),
  DELIVERY_OTP_RETRY_AFTER: durations({
    default: '2s,5s,15s,60s',
    desc: 'The same for OTPs, which are of no use later; none is sent in the last minute of its time, or the second half of a shorter one',
  }),
  DELIVERY_VALIDITY: durations({
    default: '24h',
    desc: 'How long a report is waited for once a carrier has a message; then the delivery has expired',
  }),
  DELIVERY_SLOTS: wholeNumber({ min: 2, max: 1_000 })({
    default: 8,
    desc: 'Calls to providers that one messaging worker has under way in each lane (messages, OTPs); one organisation takes at most half of them',
  }),
  DELIVERY_PROVIDER_RATE: wholeNumber({ min: 0, max: 1_000_000 })({
    default: 0,
    desc: 'Recipients per second that one provider is given by all workers together; 0 is no limit',
  }),
  DELIVERY_PROVIDER_WINDOW: wholeNumber({ min: 1, max: 1_000 })({
    default: 16,
    desc: 'Calls that one messaging worker has under way at one provider',
  }),
};
