import type { ReportedConstraint } from '../validation/error-types.js';
import type { JsonSchema } from './json-schema.js';

/** Translates a constraint and its arguments to JSON Schema. */
type Translation = (...args: never[]) => JsonSchema;

const text = { type: 'string' } as const;
const isText = (value: unknown): boolean => typeof value === 'string';

/** Every constraint with a `type` in the error body must be here: the compiler checks it. */
const translations = {
  required: (pattern: string = '\\S') => ({ pattern }),
  isString: () => text,
  isNumber: () => ({ type: 'number' }),
  isInt: () => ({ type: 'integer' }),
  isBoolean: () => ({ type: 'boolean' }),
  isArray: () => ({ type: 'array' }),
  isObject: () => ({ type: 'object' }),
  isIn: (values: readonly unknown[]) => ({ ...(values.every(isText) && text), enum: values }),
  minLength: (minLength: number) => ({ minLength }),
  notBlank: () => ({ pattern: '\\S' }),
  maxLength: (maxLength: number) => ({ maxLength }),
  min: (minimum: number) => ({ minimum }),
  max: (maximum: number) => ({ maximum }),
  arrayMaxSize: (maxItems: number) => ({ maxItems }),
  hasFewItems: () => ({ ...text, format: 'phones' }),
  isPhone: (format: string = 'phone') => ({ ...text, format }),
  looksLikePhone: () => ({ ...text, format: 'recipient' }),
  isUrl: () => ({ ...text, format: 'uri' }),
  isEmail: () => ({ ...text, format: 'email' }),
  isIso8601: () => ({ ...text, format: 'date-time' }),
  isUuid: () => ({ ...text, format: 'uuid' }),
  isNaira: () => ({}),
  needsTemplate: () => ({}),
  needsSmartlist: () => ({}),
  excludesRecipients: () => ({}),
  excludesBefore: () => ({}),
  hasTextValues: () => ({ additionalProperties: text }),
  isTemplateBody: (pattern: string) => ({ ...text, pattern }),
  matches: (pattern: RegExp) => ({ ...text, pattern: pattern.source }),
} satisfies Record<ReportedConstraint, Translation> & Record<string, Translation>;

/** Returns `undefined` for a constraint that is not in the table. */
export function translateConstraint(name: string, args: readonly unknown[]): JsonSchema | undefined {
  const translate = (translations as Record<string, (...args: readonly unknown[]) => JsonSchema>)[name];
  return translate?.(...args);
}
