import {
  BuiltProviders,
  HttpCaller,
  HttpClients,
  type HttpSettings,
  openTokens,
  reportAddress,
  type StoredProvider,
  templateRequest,
  usesReportUrl,
  whatsAppHttp,
  type WhatsAppSettings,
} from '@gangan/providers';
import { Queues } from '@gangan/queue';
import { AppLogger, RuntimeConfig } from '@gangan/runtime';
import { DataSealer } from '@gangan/sealing';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { MessagingConfig } from '../messaging.config.js';
import { HttpMessageProvider } from './http-message-provider.js';
import type { MessageProvider } from './message-provider.js';
import { WhatsAppProvider } from './whatsapp-provider.js';

/** The part of `DELIVERY_PROVIDER_TIMEOUT_MS` that one request may take, so that its result is not late. */
const requestShare = 0.9;

/** Makes message providers from their rows. */
@Injectable()
export class ProviderFactory implements OnApplicationShutdown {
  private readonly clients = new HttpClients();
  private readonly built: BuiltProviders<MessageProvider>;

  constructor(
    sealer: DataSealer,
    @Inject(Queues) queues: Pick<Queues, 'limits'>,
    config: MessagingConfig,
    { PUBLIC_URL }: RuntimeConfig,
    logger: AppLogger,
  ) {
    const maxTimeoutMs = Math.floor(config.DELIVERY_PROVIDER_TIMEOUT_MS * requestShare);
    this.built = new BuiltProviders({
      domain: 'message',
      sealer,
      logger,
      build: (row, secrets) => {
        const options = { clients: this.clients, secrets, maxTimeoutMs };
        if (row.kind === 'whatsapp') {
          const own = row.settings as WhatsAppSettings;
          const settings = whatsAppHttp(own);
          const caller = new HttpCaller({ ...options, settings, requestFor: templateRequest(own) });
          return new WhatsAppProvider(new HttpMessageProvider(row, settings, caller), queues.limits);
        }
        const settings = row.settings as HttpSettings;
        const { name, sealedToken } = row;
        const address = usesReportUrl(settings)
          ? reportAddress(
              name,
              settings,
              openTokens(sealer, row, sealedToken ?? Buffer.alloc(0)).token,
              PUBLIC_URL,
            )
          : undefined;
        const caller = new HttpCaller({ ...options, settings, reportAddress: address });
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
