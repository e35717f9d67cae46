import { Webhook } from 'standardwebhooks';

/**
 * The signature headers of Standard Webhooks. The id is the same on every attempt, so that a consumer recognises
 * duplicates. There are two secrets during a rotation.
 * @param at the time of the attempt
 */
export function signatureHeaders({
  id,
  body,
  secrets,
  at,
}: {
  readonly id: string;
  readonly body: string;
  readonly secrets: readonly string[];
  readonly at: Date;
}): Record<string, string> {
  if (secrets.length === 0) throw new Error('A callback cannot be signed without a secret');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  };
}
