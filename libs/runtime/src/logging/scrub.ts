import { maskPhone, maskPhonesIn } from './mask-phone.js';
import { toSourcePositions } from './source-positions.js';

const removed = '[removed]';
const maxDepth = 6;

/** Names are compared in lower case without `_` and `-`: `API_KEY`, `apiKey` and `api-key` are one. */
const hidden = new Set([
  'content',
  'text',
  'body',
  'key',
  'recipients',
  'personalisation',
  'substitutions',
  'columns',
  'cells',
  'cookie',
]);
const hiddenEndings =
  /(?:authorization|token|password|passwd|secret|pepper|apikey|queuekeys?|masterkey|privatekey|signature)$/;
const phones = new Set(['phone', 'recipient', 'recipientgiven', 'e164', 'nationalnumber', 'msisdn', 'to']);
const credentialsInUrl = /\b([a-z][a-z\d+.-]*:\/\/)[^\s/?#@]*@/gi;
const ownSecrets = /\b(?:sk_(?:live|test)|whsec)_[\w+/=-]+/g;

/** A copy for the log: without secrets, message content and full phone numbers, at any depth. */
export function scrub(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return scrubText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (depth > maxDepth) return '[too deep]';
  if (value instanceof Error) return scrubError(value, depth);
  if (Array.isArray(value)) return value.map((item) => scrub(item, depth + 1));
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (hasJsonForm(value)) return scrub(value.toJSON(), depth + 1);
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, scrubField(name, field, depth + 1)]),
  );
}

/** Scrubs free text: messages of the framework, errors, stacks. */
export const scrubText = (text: string): string =>
  /\d/.test(text) ? maskPhonesIn(withoutSecrets(text)) : withoutSecrets(text);

/** Credentials in a URL follow a colon, and our own secrets contain an underscore; most texts of a log have neither. */
const withoutSecrets = (text: string): string =>
  /[:_]/.test(text) ? text.replace(credentialsInUrl, `$1${removed}@`).replace(ownSecrets, removed) : text;

/** Such as dates, URLs and configurations. */
const hasJsonForm = (value: object): value is { toJSON(): unknown } =>
  'toJSON' in value && typeof value.toJSON === 'function';

function scrubField(name: string, value: unknown, depth: number): unknown {
  const kind = kindOf(name);
  if (kind === 'hidden') return removed;
  if (kind === 'phone') return maskPhones(value, depth);
  // An id may be chosen by the caller and look like a phone number; masked, it could not be searched for.
  if (kind === 'id' && typeof value === 'string') return withoutSecrets(value);
  return scrub(value, depth);
}

type Kind = 'hidden' | 'phone' | 'id' | 'other';

/** Kinds by name, cached because a process logs the same few names again and again. */
const kinds = new Map<string, Kind>();
const maxKinds = 1_000;

function kindOf(name: string): Kind {
  let kind = kinds.get(name);
  if (kind === undefined) {
    kind = readKind(name.toLowerCase().replace(/[_-]/g, ''));
    if (kinds.size < maxKinds) kinds.set(name, kind);
  }
  return kind;
}

function readKind(plain: string): Kind {
  if (hidden.has(plain) || hiddenEndings.test(plain)) return 'hidden';
  if (phones.has(plain)) return 'phone';
  // A lease holder is a random number, which may have as many digits as a phone number.
  return plain.endsWith('id') || plain === 'holder' ? 'id' : 'other';
}

function maskPhones(value: unknown, depth: number): unknown {
  if (Array.isArray(value)) return value.map((item) => maskPhones(item, depth + 1));
  return ['string', 'number', 'bigint'].includes(typeof value)
    ? maskPhone(String(value))
    : scrub(value, depth);
}

/** Copies only properties known to be harmless: drivers attach rows and statements to their errors. */
function scrubError(error: Error, depth: number): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  const code: unknown = 'code' in error ? error.code : undefined;
  return {
    type: name,
    message: scrub(message, depth),
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(stack !== undefined && { stack: scrub(toSourcePositions(stack), depth) }),
    ...(cause !== undefined && { cause: scrub(cause, depth + 1) }),
    ...(error instanceof AggregateError && { errors: scrub(error.errors, depth + 1) }),
  };
}
