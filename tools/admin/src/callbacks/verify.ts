import { Webhook } from 'standardwebhooks';
import type { Signer } from './callback.repository.js';
import type { Posted } from './listener.js';

export type Judgement =
  | { readonly genuine: true; readonly organisation: string; readonly content: unknown }
  | { readonly genuine: false; readonly reason: string };

/** Whether one of the signers has signed it, a moment ago. */
export function verify(signers: readonly Signer[], { headers, body }: Posted): Judgement {
  let reason = 'no secret to verify it with';
  for (const { organisation, secret } of signers) {
    try {
      return { genuine: true, organisation, content: new Webhook(secret).verify(body, headers) };
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
    }
  }
  return { genuine: false, reason };
}
