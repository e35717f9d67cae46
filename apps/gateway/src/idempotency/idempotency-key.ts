import { type FieldError, invalidRequest } from '@gangan/protocol';

const header = 'idempotency-key';
/** What a name may be made of. Of a header given twice Node makes one value with a space in it. */
const usable = /^[\x21-\x7e]{1,255}$/;

const unusable: FieldError = {
  field: 'Idempotency-Key',
  message: 'Idempotency-Key must be 1 to 255 visible ASCII characters, without spaces, and given once',
  type: 'value_error',
};

/** @throws AppError 400 when there is one that cannot be used */
export function idempotencyKeyOf(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): string | undefined {
  const given = headers[header];
  if (given === undefined) return undefined;
  if (typeof given !== 'string' || !usable.test(given)) throw invalidRequest([unusable]);
  return given;
}
