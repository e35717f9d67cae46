import type { Database, Prisma } from '@gangan/database';
import { newId } from '@gangan/protocol';
import {
  messagePresets,
  newInboundToken,
  sealSecrets,
  sealTokens,
  type WhatsAppSettings,
} from '@gangan/providers';
import type { DataSealer } from '@gangan/sealing';

export interface TermiiOptions {
  readonly url: string;
  readonly apiKey: string;
  readonly organisationId?: string;
  readonly settings?: object;
  /** Instead of that for Termii. */
  readonly preset?: string;
  /** Instead of `api_key`. */
  readonly secrets?: Readonly<Record<string, string>>;
}

/** As `pnpm admin providers add --preset termii` stores it. */
export async function storeTermii(
  database: Database,
  sealer: DataSealer,
  name: string,
  { url, apiKey, organisationId, settings = {}, secrets, preset: presetName = 'termii' }: TermiiOptions,
): Promise<string> {
  const id = newId();
  const preset = messagePresets[presetName]?.settings;
  const owner = { id, organisationId: organisationId ?? null, domains: ['message'] } as const;
  const sealed = sealSecrets(sealer, owner, secrets ?? { api_key: apiKey });
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
      sealedToken: Uint8Array.from(sealTokens(sealer, owner, { token: newInboundToken() })),
    },
  });
  return id;
}

/** As `pnpm admin providers add --kind whatsapp` stores it. */
export async function storeWhatsApp(
  database: Database,
  sealer: DataSealer,
  name: string,
  settings: WhatsAppSettings,
): Promise<string> {
  const id = newId();
  const owner = { id, organisationId: null, domains: ['message'] } as const;
  const sealed = sealSecrets(sealer, owner, whatsAppSecrets);
  await database.provider.create({
    data: {
      id,
      name,
      kind: 'whatsapp',
      domains: ['message'],
      channels: ['whatsapp'],
      settings: { allowPrivate: true, ...settings } as unknown as Prisma.InputJsonObject,
      sealedSecrets: sealed && Uint8Array.from(sealed),
      sealedToken: Uint8Array.from(sealTokens(sealer, owner, { token: newInboundToken() })),
    },
  });
  return id;
}

export const whatsAppSecrets = {
  access_token: 'the access token',
  app_secret: 'the app secret',
  verify_token: 'the verify token',
};

export type RouteConditions = Partial<Omit<Prisma.RouteUncheckedCreateInput, 'id' | 'targets'>>;

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
