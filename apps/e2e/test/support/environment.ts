import { isFullSuite } from '@gangan/testing';

/** The value of `DEBUG_TOKEN`. */
export const debugToken = 'the-debug-token-of-the-operators-0123456789';

/** For operators who debug requests at the default log level. */
export const debugEnvironment: Readonly<Record<string, string>> = {
  DEBUG_TOKEN: debugToken,
  RATE_LIMIT_PER_SECOND: '0',
};

/** The environment of the systems that many tests share. */
export const environment: Readonly<Record<string, string>> = {
  // The debug level logs the most.
  ...(isFullSuite && { LOG_LEVEL: 'debug' }),
  // The simulator serves test organisations only.
  SIMULATE_LIVE: 'false',
  SEAL_MESSAGES: 'true',
  DEBUG_TOKEN: debugToken,
  // Tests send more than organisations may.
  RATE_LIMIT_PER_SECOND: '0',
  OTP_SENDS_PER_RECIPIENT: '0',
  OTP_SENDS_PER_PREFIX: '0',
  OTP_TRIES_PER_RECIPIENT: '0',
  OTP_DAILY_TRIES_PER_RECIPIENT: '0',
  DAILY_SPEND: '0',
  AIRTIME_DAILY_SPEND: '0',
  AIRTIME_DAILY_SPEND_PER_RECIPIENT: '0',
  // Tests wait for these.
  AIRTIME_PROVIDER_TIMEOUT_MS: '1000',
  AIRTIME_ASK_AFTER: '200ms,1s',
};
