import type { Database, Prisma } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { messagePresets, sealSecrets } from '@gangan/providers';
import type { DataSealer } from '@gangan/sealing';

export interface TermiiOptions {
  readonly url: string;
  readonly apiKey: string;
  readonly organisationId?: string;
  readonly settings?: object;
  /** Instead of that for Termii. */
  readonly preset?: string;
}

/** As `pnpm admin providers add --preset termii` stores it. */
export async function storeTermii(
  database: Database,
  sealer: DataSealer,
  name: string,
  { url, apiKey, organisationId, settings = {}, preset: presetName = 'termii' }: TermiiOptions,
): Promise<string> {
  const id = newId();
  const preset = messagePresets[presetName]?.settings;
  const sealed = sealSecrets(sealer, { id, organisationId: organisationId ?? null }, { api_key: apiKey });
  await database.provider.create({
    data: {
      id,
      name,
      kind: 'http',
      domains: ['message'],
      channels: ['sms'],
      organisationId: organisationId ?? null,
      settings: {
        ...preset,
        request: { ...preset?.request, url },
        allowPrivate: true,
        ...settings,
      } as unknown as Prisma.InputJsonObject,
      sealedSecrets: sealed && Uint8Array.from(sealed),
    },
  });
  return id;
}

export type RouteConditions = Omit<Prisma.RouteUncheckedCreateInput, 'id' | 'channel' | 'targets'>;

/** As `pnpm admin routes add` stores it. @param providerIds in the order in which they are tried */
export async function storeRoute(
  database: Database,
  providerIds: readonly string[],
  conditions: RouteConditions = {},
): Promise<string> {
  const id = newId();
  await database.route.create({ data: { id, channel: 'sms', ...conditions } });
  await database.routeTarget.createMany({
    data: providerIds.map((providerId, position) => ({ routeId: id, providerId, position })),
  });
  return id;
}
