import { Database } from '@gangan/database';
import {
  LookupCaller,
  type LookupSettings,
  type ProviderConnection,
  ProviderRegistry,
  readAtStart,
} from '@gangan/providers';
import { AppLogger, Periodic } from '@gangan/runtime';
import { DataSealer } from '@gangan/sealing';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { LookupConfig } from '../lookup.config.js';
import { LookupProvider } from './lookup-provider.js';
import { readProviderFile } from './provider-file.js';

/** Changes apply within 5 s. */
const refreshMs = 2_000;

export const lookupRegistry = {
  provide: ProviderRegistry,
  inject: [Database, DataSealer, LookupConfig, AppLogger],
  useFactory: (
    database: Database,
    sealer: DataSealer,
    { LOOKUP_PROVIDER_TIMEOUT_MS: maxTimeoutMs }: LookupConfig,
    logger: AppLogger,
  ) => new ProviderRegistry({ domain: 'lookup', database, sealer, logger, maxTimeoutMs, build }),
};

/** The providers of this worker: rows, and for one more release the one in LOOKUP_PROVIDER_FILE. */
@Injectable()
export class LookupProviders implements OnModuleInit {
  private inFile: LookupProvider | undefined;
  private all: readonly LookupProvider[] = [];

  constructor(
    private readonly registry: ProviderRegistry<LookupProvider>,
    private readonly config: LookupConfig,
    private readonly logger: AppLogger,
  ) {}

  /** @throws StartupError if the configured file cannot be used */
  async onModuleInit(): Promise<void> {
    const { LOOKUP_PROVIDER_FILE: path, LOOKUP_PROVIDER_SECRET: secret } = this.config;
    if (path !== undefined) {
      const { name, settings, secrets } = await readProviderFile(path, secret);
      const { clients } = this.registry;
      const { LOOKUP_PROVIDER_TIMEOUT_MS: maxTimeoutMs } = this.config;
      this.inFile = build({ name, organisationId: null, settings }, { clients, secrets, maxTimeoutMs });
      this.logger.warn(
        { provider: name },
        'LOOKUP_PROVIDER_FILE will not be read by the next release: add the provider with `pnpm admin providers add --domain lookup`',
      );
    }
    await readAtStart(() => this.refresh());
  }

  @Periodic('reading lookup providers', refreshMs)
  async refresh(): Promise<boolean> {
    await this.registry.refresh();
    const stored = this.registry.enabled.toSorted((one, other) => (one.name < other.name ? -1 : 1));
    this.all = [...stored, ...(this.inFile ? [this.inFile] : [])];
    return false;
  }

  /** The providers in the order in which they are asked: those of the organisation first, each group by name. */
  usableBy(organisationId: string): readonly LookupProvider[] {
    return [
      ...this.all.filter((provider) => provider.organisationId === organisationId),
      ...this.all.filter((provider) => provider.organisationId === null),
    ];
  }
}

function build(
  owner: { readonly name: string; readonly organisationId: string | null; readonly settings: object },
  connection: ProviderConnection,
): LookupProvider {
  const settings = owner.settings as LookupSettings;
  return new LookupProvider(owner, settings, new LookupCaller({ ...connection, settings }));
}
