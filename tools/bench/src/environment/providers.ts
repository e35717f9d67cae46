import { newId } from '@gangan/protocol';
import { inboundPath, newInboundToken, sealSecrets, sealTokens } from '@gangan/providers';
import type { BenchEnvironment } from './bench-environment.js';

interface NewProvider {
  readonly name: string;
  readonly kind: string;
  readonly channel: 'sms' | 'whatsapp';
  readonly secrets?: Readonly<Record<string, string>>;
  /** @param path where it sends its webhooks */
  readonly settings: (path: string) => object;
}

/** Stores a provider, as `pnpm admin providers add` does. Returns its id, and where it sends its webhooks. */
export async function createProvider(
  { database, sealer }: BenchEnvironment,
  { name, kind, channel, secrets = {}, settings }: NewProvider,
): Promise<{ readonly id: string; readonly path: string }> {
  const [id, token] = [newId(), newInboundToken()];
  const owner = { id, organisationId: null, domains: ['message'] } as const;
  const path = inboundPath(name, token);
  const sealed = sealSecrets(sealer, owner, secrets);
  await database.provider.create({
    data: {
      id,
      name,
      kind,
      domains: ['message'],
      channels: [channel],
      settings: settings(path),
      ...(sealed && { sealedSecrets: Uint8Array.from(sealed) }),
      sealedToken: Uint8Array.from(sealTokens(sealer, owner, { token })),
    },
  });
  return { id, path };
}
