import type { Database } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { sealSecrets } from '@gangan/providers';
import type { DataSealer } from '@gangan/sealing';

interface NewProvider {
  readonly name: string;
  readonly kind: 'vtpass' | 'reloadly' | 'africastalking';
  readonly settings: object;
  readonly secrets: Readonly<Record<string, string>>;
}

/** Adds a provider of the installation. */
export async function addProvider(
  database: Database,
  sealer: DataSealer,
  { name, kind, settings, secrets }: NewProvider,
): Promise<string> {
  const id = newId();
  const sealed = sealSecrets(sealer, { id, organisationId: null }, secrets);
  await database.provider.create({
    data: {
      id,
      name,
      kind,
      domains: ['airtime'],
      channels: [],
      settings,
      sealedSecrets: sealed && Uint8Array.from(sealed),
    },
  });
  return id;
}

/** Routes purchases to providers, in this order. */
export async function addRoute(
  database: Database,
  providerIds: readonly string[],
  conditions: { readonly organisationId?: string; readonly network?: string } = {},
): Promise<void> {
  await database.airtimeRoute.createMany({
    data: providerIds.map((providerId, position) => ({ id: newId(), providerId, position, ...conditions })),
  });
}
