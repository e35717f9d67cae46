import {
  HttpCaller,
  HttpClients,
  type HttpSettings,
  openSecrets,
  providerKinds,
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

interface Built {
  /** The row from which it was made. */
  readonly source: string;
  readonly provider: MessageProvider | undefined;
}

/** Makes providers from their rows. A provider whose row has not changed stays the same object. */
@Injectable()
export class ProviderFactory implements OnApplicationShutdown {
  private readonly clients = new HttpClients();
  private built = new Map<string, Built>();

  constructor(
    private readonly sealer: DataSealer,
    private readonly config: MessagingConfig,
    private readonly logger: AppLogger,
  ) {}

  /** Those that cannot be used are logged once, and left out. */
  update(rows: readonly StoredProvider[]): ReadonlyMap<string, MessageProvider> {
    this.built = new Map(
      rows.map((row) => {
        const source = JSON.stringify({
          ...{ ...row, sealedToken: undefined },
          sealedSecrets: row.sealedSecrets?.toString('base64'),
        });
        const known = this.built.get(row.name);
        return [row.name, known?.source === source ? known : { source, provider: this.build(row) }];
      }),
    );
    return new Map(
      [...this.built].flatMap(([name, { provider }]) => (provider ? [[name, provider] as const] : [])),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    await this.clients.close();
  }

  private build(row: StoredProvider): MessageProvider | undefined {
    const { name, kind, settings, sealedSecrets } = row;
    try {
      const secrets = openSecrets(this.sealer, row, sealedSecrets);
      const faults = providerKinds[kind]?.findFaults(settings, Object.keys(secrets)) ?? [
        `this version has no kind ${kind}`,
      ];
      if (faults.length > 0) throw new Error(faults.join('; '));
      const http = settings as HttpSettings;
      const caller = new HttpCaller({
        ...{ clients: this.clients, settings: http, secrets },
        maxTimeoutMs: Math.floor(this.config.DELIVERY_PROVIDER_TIMEOUT_MS * requestShare),
      });
      return new HttpMessageProvider(row, http, caller);
    } catch (error) {
      this.logger.error(
        { err: error, provider: name },
        'a provider cannot be used: check its settings and DATA_KEY',
      );
      return undefined;
    }
  }
}
