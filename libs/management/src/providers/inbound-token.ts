import type { Models } from '@gangan/database';
import {
  inboundPath,
  type InboundTokens,
  newInboundToken,
  openTokens,
  type SecretOwner,
  sealTokens,
} from '@gangan/providers';
import { Refusal } from '../refusal.js';
import { sendsReports } from './definition.js';
import {
  changeProviders,
  findProvider,
  type FoundProvider,
  type SealedAccess,
  type SealerReader,
} from './stored-provider.js';

/** The token in the path of the provider's requests to us. @throws Refusal if there is none */
export async function openInboundToken(sealer: SealerReader, provider: FoundProvider): Promise<string> {
  const { name, sealedToken } = provider;
  if (!sealedToken) {
    const sentence = `${name} cannot send us requests: it has no settings for reports`;
    throw new Refusal('conflict', sentence, { next: 'show_provider', subject: name });
  }
  try {
    return openTokens(await sealer(), provider, sealedToken).token;
  } catch (cause) {
    const sentence = `The token of ${name} cannot be opened: check DATA_MASTER_KEY`;
    throw new Refusal('conflict', sentence, { next: 'rotate_token', cause });
  }
}

/**
 * The path to which a provider sends its requests; it contains a secret token.
 * @param rotation replaces the token: the old one is refused within 5 s, or after `keptMs`
 */
export const readInboundPath = (access: SealedAccess, name: string, rotation?: { readonly keptMs: number }) =>
  changeProviders(access, 'providers inbound-url', async (models, log) => {
    const provider = await findProvider(models, access.sealer, name);
    const token = rotation
      ? await rotateToken(models, access.sealer, provider, rotation.keptMs)
      : await openInboundToken(access.sealer, provider);
    const { organisationId } = provider;
    await log({ organisationId, target: name, after: rotation && { rotated: true } });
    return inboundPath(name, token);
  });

async function rotateToken(models: Models, sealer: SealerReader, provider: FoundProvider, keptMs: number) {
  const { id, name } = provider;
  if (!sendsReports(provider))
    throw new Refusal('conflict', `${name} has no settings for reports, so it needs no token.`);
  const token = newInboundToken();
  const until = new Date(Date.now() + keptMs);
  const former = keptMs > 0 && { former: { token: await openInboundToken(sealer, provider), until } };
  const sealedToken = await seal(sealer, provider, { token, ...former });
  await models.provider.update({ where: { id }, data: { sealedToken, updatedAt: new Date() } });
  return token;
}

/** Seals the existing token again, because the owner may have changed; makes a new one if it cannot be opened. */
export async function sealAgain(sealer: SealerReader, owner: SecretOwner, before: FoundProvider | undefined) {
  let tokens: InboundTokens = { token: newInboundToken() };
  try {
    if (before?.sealedToken) tokens = openTokens(await sealer(), before, before.sealedToken);
  } catch {
    // It cannot be opened, so it is replaced.
  }
  return seal(sealer, owner, tokens);
}

const seal = async (sealer: SealerReader, owner: SecretOwner, tokens: InboundTokens) =>
  Uint8Array.from(sealTokens(await sealer(), owner, tokens));
