import { newId } from '@gangan/protocol';
import { inboundPath, newInboundToken, sealSecrets, sealTokens } from '@gangan/providers';
import type { BenchEnvironment } from '../environment/bench-environment.js';
import type { Access } from './requests/http-request.js';

const name = 'whatsapp';

/** Stores a provider that sends webhooks, as `pnpm admin providers add --kind whatsapp` does. */
export async function createWebhookProvider({
  database,
  sealer,
}: BenchEnvironment): Promise<Access['webhook']> {
  const id = newId();
  const owner = { id, organisationId: null };
  const [token, secret] = [newInboundToken(), 'the app secret'];
  const secrets = { access_token: 'the access token', app_secret: secret, verify_token: 'the verify token' };
  const sealed = sealSecrets(sealer, owner, secrets);
  await database.provider.create({
    data: {
      id,
      name,
      kind: 'whatsapp',
      domains: ['message'],
      channels: ['whatsapp'],
      settings: { phoneNumberId: '1' },
      sealedSecrets: sealed && Uint8Array.from(sealed),
      sealedToken: Uint8Array.from(sealTokens(sealer, owner, { token })),
    },
  });
  return { path: inboundPath(name, token), secret };
}
