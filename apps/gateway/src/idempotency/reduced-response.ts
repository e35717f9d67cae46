import type { StoredResponse } from './claim.repository.js';

const notKept = 'Only the status and the id of this response were kept. Read the resource by its id.';
const errorNotKept = 'Only the status of this response was kept.';

/**
 * A response with the status and the id of the given one, and a sentence that says so. It is stored like any other, so
 * gateways of earlier versions replay it too. A response that is not larger is returned unchanged.
 */
export function reducedResponse(response: StoredResponse): StoredResponse {
  const { status, body } = response;
  const kept =
    status < 400 ? { id: idOf(body), message: notKept } : { status, message: errorNotKept, errors: [] };
  const reduced = Buffer.from(JSON.stringify(kept));
  if (body.length <= reduced.length) return response;
  return { status, type: 'application/json; charset=utf-8', body: reduced };
}

function idOf(body: Buffer): string | undefined {
  try {
    const { id } = JSON.parse(body.toString()) as { readonly id?: unknown };
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}
