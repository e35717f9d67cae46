import type { ProviderDomain } from '@gangan/database';
import type { DataSealer } from '@gangan/sealing';
import type { Secrets } from './http/request/build-request.js';
import { findKind } from './kinds.js';
import { openSecrets } from './provider-secrets.js';
import type { StoredProvider } from './stored-providers.js';

interface Built<P> {
  /** The row from which it was made. */
  readonly source: string;
  readonly provider: P | undefined;
}

export interface BuiltProvidersOptions<P> {
  readonly domain: ProviderDomain;
  readonly sealer: DataSealer;
  readonly logger: { error(details: object, message: string): void };
  /** The settings are valid for the kind of the row. */
  build(row: StoredProvider, secrets: Secrets): P;
}

/** Makes the providers of a domain from their rows. A provider whose row has not changed stays the same object. */
export class BuiltProviders<P> {
  private built = new Map<string, Built<P>>();

  constructor(private readonly options: BuiltProvidersOptions<P>) {}

  /** By name. Those that cannot be used are logged once, and left out. */
  update(rows: readonly StoredProvider[]): ReadonlyMap<string, P> {
    this.built = new Map(
      rows.map((row) => {
        const source = JSON.stringify({
          ...row,
          sealedToken: row.sealedToken?.toString('base64'),
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

  private build(row: StoredProvider): P | undefined {
    const { domain, sealer, logger } = this.options;
    const { name, kind, settings, sealedSecrets } = row;
    try {
      const secrets = openSecrets(sealer, row, sealedSecrets);
      const faults = findKind(kind, domain)?.findFaults(settings, Object.keys(secrets)) ?? [
        `this version has no kind ${kind} for it`,
      ];
      if (faults.length > 0) throw new Error(faults.join('; '));
      return this.options.build(row, secrets);
    } catch (error) {
      logger.error(
        { err: error, provider: name },
        'a provider cannot be used: check its settings and DATA_KEYS',
      );
      return undefined;
    }
  }
}
