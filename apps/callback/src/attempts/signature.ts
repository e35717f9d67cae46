import { createHmac } from 'node:crypto';

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
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
