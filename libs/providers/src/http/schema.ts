import type { ErrorObject } from 'ajv';

/** Parts of the JSON Schema of settings. */
export const object = (required: readonly string[], properties: object): object => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
});
export const text = { type: 'string', minLength: 1, maxLength: 4_096 };
export const texts = { type: 'object', additionalProperties: { type: 'string', maxLength: 4_096 } };
export const pointer = { type: 'string', pattern: '^/', maxLength: 256 };
/** `""` is the whole document. */
export const listPointer = { ...pointer, pattern: '^(/|$)' };

/** Names every fault. Values are never quoted: they may be secrets. */
export const shapeFaults = (errors: readonly ErrorObject[] | null | undefined): string[] =>
  (errors ?? []).map(({ instancePath, message = '', params }) => {
    const named = params as { additionalProperty?: string; allowedValues?: readonly string[] };
    const detail = named.additionalProperty ?? named.allowedValues?.join(', ');
    return `settings${instancePath.replaceAll('/', '.')} ${message}${detail === undefined ? '' : `: ${detail}`}`;
  });
