import type { StoredResponse } from './claim.repository.js';

const idKept = 'Only the status and the id of this response were kept. Read the resource by its id.';
const statusKept = 'Only the status of this response was kept.';

/**
 * A response with the status and the id of the given one, and a sentence that says so. It is stored like any other, so
 * gateways of earlier versions replay it too. A response that is not larger is returned unchanged.
 */
export function reducedResponse(response: StoredResponse): StoredResponse {
  const { status, body } = response;
  const id = idOf(body);
  const ofResource = id === undefined ? { message: statusKept } : { id, message: idKept };
  const kept = status < 400 ? ofResource : { status, message: statusKept, errors: [] };
  const reduced = Buffer.from(JSON.stringify(kept));
  if (body.length <= reduced.length) return response;
  return { status, type: 'application/json; charset=utf-8', body: reduced };
}

/** The id of the resource, or of the first object in the response, such as `row`. */
function idOf(body: Buffer): string | undefined {
  const resource = parse(body);
  return textId(resource) ?? textId(Object.values(resource).find(isObject) ?? {});
}

/** Empty if the body is no JSON object. */
function parse(body: Buffer): object {
  try {
    const parsed: unknown = JSON.parse(body.toString());
    return isObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textId = (resource: { readonly id?: unknown }): string | undefined =>
  typeof resource.id === 'string' ? resource.id : undefined;
