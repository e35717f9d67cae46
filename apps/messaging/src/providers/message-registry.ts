import { Database } from '@gangan/database';
import {
  HttpCaller,
  type HttpSettings,
  openTokens,
  type ProviderConnection,
  ProviderRegistry,
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
import { MessagingConfig } from '../messaging.config.js';
import { HttpMessageProvider } from './http-message-provider.js';
import type { MessageProvider } from './message-provider.js';
import { WhatsAppProvider } from './whatsapp-provider.js';

/** The part of `DELIVERY_PROVIDER_TIMEOUT_MS` that one request may take, so that its result is not late. */
const requestShare = 0.9;

/** The message providers of this worker, made from their rows. */
export const messageRegistry = {
  provide: ProviderRegistry,
  inject: [Database, DataSealer, Queues, MessagingConfig, RuntimeConfig, AppLogger],
  useFactory: (
    database: Database,
    sealer: DataSealer,
    { limits }: Pick<Queues, 'limits'>,
    { DELIVERY_PROVIDER_TIMEOUT_MS }: MessagingConfig,
    { PUBLIC_URL }: RuntimeConfig,
    logger: AppLogger,
  ) => {
    const build = (row: StoredProvider, connection: ProviderConnection): MessageProvider => {
      if (row.kind === 'whatsapp') {
        const own = row.settings as WhatsAppSettings;
        const settings = whatsAppHttp(own);
        const caller = new HttpCaller({ ...connection, settings, requestFor: templateRequest(own) });
        return new WhatsAppProvider(new HttpMessageProvider(row, settings, caller), limits);
      }
      const settings = row.settings as HttpSettings;
      const token = (): string => openTokens(sealer, row, row.sealedToken ?? Buffer.alloc(0)).token;
      const address = usesReportUrl(settings)
        ? reportAddress(row.name, settings, token(), PUBLIC_URL)
        : undefined;
      const caller = new HttpCaller({ ...connection, settings, reportAddress: address });
      return new HttpMessageProvider(row, settings, caller);
    };
    const maxTimeoutMs = Math.floor(DELIVERY_PROVIDER_TIMEOUT_MS * requestShare);
    return new ProviderRegistry({ domain: 'message', database, sealer, logger, maxTimeoutMs, build });
  },
};
