import type { Database } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { sealSecrets } from '@gangan/providers';
import type { DataSealer } from '@gangan/sealing';
import type { FakeAirtime } from '@gangan/testing';
import { reloadlySecrets, vtpassSecrets } from './open-adapters.js';

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
  const sealed = sealSecrets(sealer, { id, organisationId: null, domains: ['airtime'] }, secrets);
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

/** Adds VTpass and Reloadly with the addresses of their fakes. */
export async function addFakes(
  database: Database,
  sealer: DataSealer,
  { vtpass, reloadly }: { readonly vtpass: FakeAirtime; readonly reloadly: FakeAirtime },
): Promise<{ readonly vtpass: string; readonly reloadly: string }> {
  const tokenUrl = `${reloadly.url}/oauth/token`;
  return {
    vtpass: await addProvider(database, sealer, {
      name: 'vtpass',
      kind: 'vtpass',
      secrets: vtpassSecrets,
      settings: { allowPrivate: true, url: vtpass.url },
    }),
    reloadly: await addProvider(database, sealer, {
      name: 'reloadly',
      kind: 'reloadly',
      secrets: reloadlySecrets,
      settings: { allowPrivate: true, url: reloadly.url, tokenUrl },
    }),
  };
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
