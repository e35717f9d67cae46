import {
  type AfricasTalkingSettings,
  BuiltProviders,
  HttpClients,
  HttpExchange,
  reloadlyAccess,
  type ReloadlySettings,
  type RequestSettings,
  type Secrets,
  type StoredProvider,
} from '@gangan/providers';
import { AppLogger } from '@gangan/runtime';
import { DataSealer } from '@gangan/sealing';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AirtimeConfig } from '../airtime.config.js';
import { AfricasTalking } from './africastalking.js';
import type { AirtimeProvider } from './airtime-provider.js';
import { Reloadly } from './reloadly.js';
import { Vtpass } from './vtpass.js';

/** The part of `AIRTIME_PROVIDER_TIMEOUT_MS` that one request may take, so that its result is not late. */
const requestShare = 0.9;

/** Makes airtime providers from their rows. */
@Injectable()
export class ProviderFactory implements OnApplicationShutdown {
  private readonly clients = new HttpClients();
  private readonly built: BuiltProviders<AirtimeProvider>;
  private readonly maxTimeoutMs: number;

  constructor(sealer: DataSealer, config: AirtimeConfig, logger: AppLogger) {
    this.maxTimeoutMs = Math.floor(config.AIRTIME_PROVIDER_TIMEOUT_MS * requestShare);
    this.built = new BuiltProviders({
      domain: 'airtime',
      sealer,
      logger,
      build: (row, secrets) => this.build(row, secrets),
    });
  }

  /** Those that cannot be used are logged once, and left out. */
  update(rows: readonly StoredProvider[]): ReadonlyMap<string, AirtimeProvider> {
    return this.built.update(rows);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.clients.close();
  }

  private build({ name, kind, settings }: StoredProvider, secrets: Secrets): AirtimeProvider {
    const { clients, maxTimeoutMs } = this;
    const open = (request: RequestSettings): HttpExchange =>
      new HttpExchange({ clients, secrets, maxTimeoutMs, settings: { ...settings, request } });
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
}
