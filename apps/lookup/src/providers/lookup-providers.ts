import { Database, retryTransient } from '@gangan/database';
import {
  BuiltProviders,
  HttpClients,
  LookupCaller,
  type LookupSettings,
  readProviders,
} from '@gangan/providers';
import { AppLogger, Periodic } from '@gangan/runtime';
import { DataSealer } from '@gangan/sealing';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { LookupConfig } from '../lookup.config.js';
import { LookupProvider } from './lookup-provider.js';
import { readProviderFile } from './provider-file.js';

/** Changes apply within 5 s. */
const refreshMs = 2_000;

/** The providers of this worker: rows, and for one more release the one in LOOKUP_PROVIDER_FILE. */
@Injectable()
export class LookupProviders implements OnModuleInit, OnApplicationShutdown {
  private readonly clients = new HttpClients();
  private readonly built: BuiltProviders<LookupProvider>;
  private inFile: LookupProvider | undefined;
  private all: readonly LookupProvider[] = [];

  constructor(
    private readonly database: Database,
    sealer: DataSealer,
    private readonly config: LookupConfig,
    private readonly logger: AppLogger,
  ) {
    this.built = new BuiltProviders({
      domain: 'lookup',
      sealer,
      logger,
      build: (row, secrets) => this.open(row, row.settings as LookupSettings, secrets),
    });
  }

  /** @throws StartupError if the configured file cannot be used */
  async onModuleInit(): Promise<void> {
    const { LOOKUP_PROVIDER_FILE: path, LOOKUP_PROVIDER_SECRET: secret } = this.config;
    if (path !== undefined) {
      const { name, settings, secrets } = await readProviderFile(path, secret);
      this.inFile = this.open({ name, organisationId: null }, settings, secrets);
      this.logger.warn(
        { provider: name },
        'LOOKUP_PROVIDER_FILE will not be read by the next release: add the provider with `pnpm admin providers add --domain lookup`',
      );
    }
    // The worker starts only with its providers, however long the database is away.
    await retryTransient(() => this.refresh(), { maxAttempts: Infinity, delayMs: () => 500 });
  }

  @Periodic('reading lookup providers', refreshMs)
  async refresh(): Promise<boolean> {
    const rows = await readProviders(this.database, 'lookup');
    const enabled = rows
      .filter(({ enabled }) => enabled)
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
    this.all = [...this.built.update(enabled).values(), ...(this.inFile ? [this.inFile] : [])];
    return false;
  }

  /** In the order in which they are asked: those of the organisation first, each group by name. */
  usableBy(organisationId: string): readonly LookupProvider[] {
    return [
      ...this.all.filter((provider) => provider.organisationId === organisationId),
      ...this.all.filter((provider) => provider.organisationId === null),
    ];
  }

  /** No lookup is in flight any more by then. */
  async onApplicationShutdown(): Promise<void> {
    await this.clients.close();
  }

  private open(
    owner: { readonly name: string; readonly organisationId: string | null },
    settings: LookupSettings,
    secrets: Readonly<Record<string, string>>,
  ): LookupProvider {
    const { LOOKUP_PROVIDER_TIMEOUT_MS: maxTimeoutMs } = this.config;
    const caller = new LookupCaller({ clients: this.clients, settings, secrets, maxTimeoutMs });
    return new LookupProvider(owner, settings, caller);
  }
}
