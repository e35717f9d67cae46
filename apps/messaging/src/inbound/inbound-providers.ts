import { type InboundProvider, type InboundProviderList, inboundSecretNames } from '@gangan/contracts';
import { Database } from '@gangan/database';
import {
  findKind,
  messageSettings,
  openSecrets,
  openTokens,
  readProviders,
  type StoredProvider,
} from '@gangan/providers';
import { DataSealer } from '@gangan/sealing';
import { Injectable } from '@nestjs/common';

/** Tells gateways how to verify what providers send. */
@Injectable()
export class InboundProviders {
  constructor(
    private readonly database: Database,
    private readonly sealer: DataSealer,
  ) {}

  /** A provider whose secrets cannot be opened is left out; the worker logs that when it reads its providers. */
  async list(): Promise<InboundProviderList> {
    const stored = await readProviders(this.database, 'message');
    return { providers: stored.flatMap((provider) => this.describe(provider) ?? []) };
  }

  private describe(stored: StoredProvider): InboundProvider | undefined {
    const { name, sealedToken, sealedSecrets } = stored;
    const { inbound: settings = {} } = messageSettings(stored.kind, stored.settings);
    // Of a kind that only newer workers know, it is not known how requests are signed.
    if (sealedToken === null || !findKind(stored.kind, 'message')) return undefined;
    try {
      const { token, former } = openTokens(this.sealer, stored, sealedToken);
      const all = openSecrets(this.sealer, stored, sealedSecrets);
      const used = inboundSecretNames(settings).flatMap((secret) => {
        const value = all[secret];
        return value === undefined ? [] : [[secret, value] as const];
      });
      return {
        name,
        token,
        ...(former && { formerToken: former.token }),
        settings,
        secrets: Object.fromEntries(used),
      };
    } catch {
      return undefined;
    }
  }
}
