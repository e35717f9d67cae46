import {
  BuiltProviders,
  HttpClients,
  HttpExchange,
  type ReloadlySettings,
  type Secrets,
  type StoredProvider,
  type VtpassSettings,
} from '@gangan/providers';
import { AppLogger } from '@gangan/runtime';
import { DataSealer } from '@gangan/sealing';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AirtimeConfig } from '../airtime.config.js';
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
      ...{ domain: 'airtime', sealer, logger },
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
    const open = (given: VtpassSettings | ReloadlySettings, request: { url: string }): HttpExchange =>
      new HttpExchange({ clients, secrets, maxTimeoutMs, settings: { ...given, request } });
    if (kind === 'vtpass') {
      const own = settings as VtpassSettings;
      return new Vtpass(name, own, open(own, { url: '' }));
    }
    const own = settings as ReloadlySettings;
    return new Reloadly(name, own, open(own, Reloadly.accessOf(own)));
  }
}
