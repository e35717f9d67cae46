import {
  BuiltProviders,
  HttpCaller,
  HttpClients,
  type HttpSettings,
  type StoredProvider,
} from '@gangan/providers';
import { AppLogger } from '@gangan/runtime';
import { DataSealer } from '@gangan/sealing';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { MessagingConfig } from '../messaging.config.js';
import { HttpMessageProvider } from './http-message-provider.js';
import type { MessageProvider } from './message-provider.js';

/** The part of `DELIVERY_PROVIDER_TIMEOUT_MS` that one request may take, so that its result is not late. */
const requestShare = 0.9;

/** Makes message providers from their rows. */
@Injectable()
export class ProviderFactory implements OnApplicationShutdown {
  private readonly clients = new HttpClients();
  private readonly built: BuiltProviders<MessageProvider>;

  constructor(sealer: DataSealer, config: MessagingConfig, logger: AppLogger) {
    const maxTimeoutMs = Math.floor(config.DELIVERY_PROVIDER_TIMEOUT_MS * requestShare);
    this.built = new BuiltProviders({
      domain: 'message',
      sealer,
      logger,
      build: (row, secrets) => {
        const settings = row.settings as HttpSettings;
        const caller = new HttpCaller({ clients: this.clients, settings, secrets, maxTimeoutMs });
        return new HttpMessageProvider(row, settings, caller);
      },
    });
  }

  /** Those that cannot be used are logged once, and left out. */
  update(rows: readonly StoredProvider[]): ReadonlyMap<string, MessageProvider> {
    return this.built.update(rows);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.clients.close();
  }
}
