import { type ProviderDomain, retryTransient, type SqlRunner } from '@gangan/database';
import type { DataSealer } from '@gangan/sealing';
import { askCredits, type CreditSource, type Log } from '../credit/ask-credits.js';
import { HttpClients } from '../http/http-exchange.js';
import type { Secrets } from '../http/request/build-request.js';
import { findKind } from '../kinds.js';
import { openSecrets } from '../provider-secrets.js';
import { readProviders, type StoredProvider } from '../stored-providers.js';

/** What every provider needs to make its requests. */
export interface ProviderConnection {
  readonly clients: HttpClients;
  readonly secrets: Secrets;
  /** The limit for every request; the settings can only lower it. */
  readonly maxTimeoutMs: number;
}

export interface ProviderRegistryOptions<P> {
  readonly domain: ProviderDomain;
  readonly database: SqlRunner;
  readonly sealer: DataSealer;
  readonly logger: Log & { error(fields: object, message: string): void };
  readonly maxTimeoutMs: number;
  /** Called only if the settings are valid for the kind of the row. */
  readonly build: (row: StoredProvider, connection: ProviderConnection) => P;
}

interface Entry<P> {
  readonly row: StoredProvider;
  /** The row as text, to find changes. */
  readonly source: string;
  /** Undefined if it cannot be used. */
  readonly provider: P | undefined;
}

/** Runs a read until the database is available. An app starts only with its providers and routes. */
export const readAtStart = async (read: () => Promise<unknown>): Promise<void> => {
  await retryTransient(read, { maxAttempts: Infinity, delayMs: () => 500 });
};

/** The providers of one domain, made from their rows. A provider whose row has not changed stays the same object. */
export class ProviderRegistry<P extends { readonly name: string; readonly credit?: CreditSource }> {
  /** The connections of all providers. */
  readonly clients = new HttpClients();
  /** The providers that can be used, including disabled ones. */
  all: readonly P[] = [];
  enabled: readonly P[] = [];
  private entries: ReadonlyMap<string, Entry<P>> = new Map();

  constructor(private readonly options: ProviderRegistryOptions<P>) {}

  /** Undefined if it cannot be used. */
  find(name: string): P | undefined {
    return this.entries.get(name)?.provider;
  }

  rowOf(name: string): StoredProvider | undefined {
    return this.entries.get(name)?.row;
  }

  /** Reads the rows. Providers that cannot be used are logged once, and left out. */
  async refresh(): Promise<void> {
    const rows = await readProviders(this.options.database, this.options.domain);
    this.entries = new Map(rows.map((row) => [row.name, this.entryOf(row)]));
    this.all = rows.flatMap(({ name }) => this.find(name) ?? []);
    this.enabled = this.all.filter(({ name }) => this.rowOf(name)?.enabled);
  }

  /** Asks the enabled providers that are due what our credit is, each by one of all workers. */
  async askCredits(): Promise<void> {
    const sources = this.enabled.flatMap(({ name, credit }) => (credit ? [[name, credit] as const] : []));
    await askCredits(this.options.database, new Map(sources), this.options.logger);
  }

  /** No request is in flight any more by then. */
  async onApplicationShutdown(): Promise<void> {
    await this.clients.close();
  }

  private entryOf(row: StoredProvider): Entry<P> {
    const source = JSON.stringify({
      ...row,
      sealedToken: row.sealedToken?.toString('base64'),
      sealedSecrets: row.sealedSecrets?.toString('base64'),
    });
    const known = this.entries.get(row.name);
    return known?.source === source ? known : { row, source, provider: this.build(row) };
  }

  private build(row: StoredProvider): P | undefined {
    const { domain, sealer, logger, maxTimeoutMs, build } = this.options;
    const { name, kind, settings, sealedSecrets } = row;
    try {
      const secrets = openSecrets(sealer, row, sealedSecrets);
      const faults = findKind(kind, domain)?.findFaults(settings, Object.keys(secrets)) ?? [
        `this version has no kind ${kind} for it`,
      ];
      if (faults.length > 0) throw new Error(faults.join('; '));
      return build(row, { clients: this.clients, secrets, maxTimeoutMs });
    } catch (error) {
      logger.error(
        { err: error, provider: name },
        'a provider cannot be used: check its settings and DATA_KEYS',
      );
      return undefined;
    }
  }
}
