import type { Envelope } from '../wire/envelope.js';

/**
 * The same job for nobody: without its deadlines a worker does not drop it, and sends its answers nowhere. The seal
 * is tied to neither deadline nor mark, so that no key is needed for this.
 */
export function withoutCaller({ v, replyTo, requests, sealed }: Envelope): Envelope {
  return {
    v,
    ...(replyTo !== undefined && { replyTo }),
    requests: requests.map(({ id, name, organisation }) => ({
      id,
      name,
      ...(organisation !== undefined && { organisation }),
    })),
    sealed,
  };
}
