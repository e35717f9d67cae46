import { badBody, encodedBody, refusalOf } from './refusals.js';

export interface BodyHeaders {
  readonly 'content-type'?: string | undefined;
  readonly 'content-encoding'?: string | undefined;
}

/** One JSON object in UTF-8, or nothing at all. @throws AppError 400 or 415 */
export function parseBody(headers: BodyHeaders, body: Buffer): object | undefined {
  if (body.length === 0) return undefined;
  if (!isJson(headers['content-type'] ?? '')) throw refusalOf(415);
  if (isEncoded(headers)) throw encodedBody();
  const value = parsed(decoded(body));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badBody('object_type', 'The body must be a JSON object');
  }
  return value;
}

export const isEncoded = ({ 'content-encoding': encoding = 'identity' }: BodyHeaders): boolean =>
  encoding !== 'identity';

function isJson(contentType: string): boolean {
  const [mediaType = '', ...parameters] = contentType.toLowerCase().split(';');
  const charset = parameters
    .map((parameter) => parameter.trim())
    .find((parameter) => parameter.startsWith('charset'));
  return (
    mediaType.trim() === 'application/json' && /^charset\s*=\s*"?utf-?8"?$/.test(charset ?? 'charset=utf-8')
  );
}

function decoded(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw badBody('json_invalid', 'The body is not UTF-8');
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badBody('json_invalid', 'The body is not valid JSON');
  }
}
