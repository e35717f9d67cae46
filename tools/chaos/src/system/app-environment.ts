import { allContracts } from '@gangan/contracts';
import { type AppName, inheritedBy } from '@gangan/protocol';
import { deriveQueueKeys } from '@gangan/queue';
import { deriveDataKeys } from '@gangan/sealing';

export interface SharedVariables {
  readonly redisUrl: string | undefined;
  readonly queueMasterKey: string;
  readonly dataMasterKey: string;
  readonly otpPepper: string;
  readonly gatewayPort: number;
  readonly shutdownDelaySeconds: number;
}

const deliveryTimeoutMs = 4_000;
/** How long a worker holds a delivery: four timeouts of a provider. */
export const deliveryLeaseMs = 4 * deliveryTimeoutMs;
/** A submission starts within 3 s of its claim and ends after the timeout. */
export const deliveryInFlightMs = Math.min(3_000, deliveryTimeoutMs) + deliveryTimeoutMs;

/**
 * Timeouts and delays that are shorter than by default, so that a stopped process outlives every lease and a run does
 * not wait for minutes.
 */
const shortDelays = {
  DELIVERY_PROVIDER_TIMEOUT_MS: String(deliveryTimeoutMs),
  DELIVERY_RETRY_AFTER: '1s,2s,4s,6s,8s,9s,10s,11s,12s',
  DELIVERY_OTP_RETRY_AFTER: '1s,2s,3s,4s,6s,8s,10s',
  AIRTIME_PROVIDER_TIMEOUT_MS: '4000',
  AIRTIME_ASK_AFTER: '2s,5s,10s,15s,20s,30s',
  CALLBACK_TIMEOUT_MS: '3000',
};

/** The variables of one app, as in production but for the delays and for callbacks to this machine. */
export const appEnvironment = (
  app: AppName,
  databaseUrl: string,
  { redisUrl, queueMasterKey, dataMasterKey, otpPepper, gatewayPort, shutdownDelaySeconds }: SharedVariables,
): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  NODE_ENV: 'production',
  LOG_LEVEL: 'warn',
  DATABASE_URL: databaseUrl,
  DATABASE_POOL_SIZE: '5',
  QUEUE_POOL_SIZE: '7',
  ...(redisUrl !== undefined && { REDIS_URL: redisUrl }),
  QUEUE_KEYS: deriveQueueKeys([queueMasterKey], app, allContracts),
  METRICS_HOST: '127.0.0.1',
  METRICS_PORT: '0',
  CALLBACK_ALLOW_PRIVATE: 'true',
  ...inheritedBy(app, { DATA_KEYS: deriveDataKeys([dataMasterKey], app), OTP_PEPPER: otpPepper }),
  ...(app === 'gateway' && {
    HOST: '127.0.0.1',
    PORT: String(gatewayPort),
    TRUSTED_PROXIES: '127.0.0.1',
    SHUTDOWN_DELAY_SECONDS: String(shutdownDelaySeconds),
  }),
  ...shortDelays,
});
