import { Database } from '@gangan/database';
import {
  type AfricasTalkingSettings,
  HttpExchange,
  type ProviderConnection,
  ProviderRegistry,
  reloadlyAccess,
  type ReloadlySettings,
  type RequestSettings,
  type StoredProvider,
} from '@gangan/providers';
import { AppLogger } from '@gangan/runtime';
import { DataSealer } from '@gangan/sealing';
import { AirtimeConfig } from '../airtime.config.js';
import { AfricasTalking } from './africastalking.js';
import type { AirtimeProvider } from './airtime-provider.js';
import { Reloadly } from './reloadly.js';
import { Vtpass } from './vtpass.js';

/** The part of `AIRTIME_PROVIDER_TIMEOUT_MS` that one request may take, so that its result is not late. */
const requestShare = 0.9;

/** The airtime providers of this worker, made from their rows. */
export const airtimeRegistry = {
  provide: ProviderRegistry,
  inject: [Database, DataSealer, AirtimeConfig, AppLogger],
  useFactory: (
    database: Database,
    sealer: DataSealer,
    { AIRTIME_PROVIDER_TIMEOUT_MS }: AirtimeConfig,
    logger: AppLogger,
  ) => {
    const maxTimeoutMs = Math.floor(AIRTIME_PROVIDER_TIMEOUT_MS * requestShare);
    return new ProviderRegistry({ domain: 'airtime', database, sealer, logger, maxTimeoutMs, build });
  },
};

function build({ name, kind, settings }: StoredProvider, connection: ProviderConnection): AirtimeProvider {
  const open = (request: RequestSettings): HttpExchange =>
    new HttpExchange({ ...connection, settings: { ...settings, request } });
  switch (kind) {
    case 'vtpass':
      return new Vtpass(name, settings, open({ url: '' }));
    case 'reloadly': {
      const own = settings as ReloadlySettings;
      return new Reloadly(name, own, open(reloadlyAccess(own)));
    }
    case 'africastalking':
      return new AfricasTalking(name, settings as AfricasTalkingSettings, open({ url: '' }));
    default:
      throw new Error(`there is no adapter for the kind ${kind}`);
  }
}
