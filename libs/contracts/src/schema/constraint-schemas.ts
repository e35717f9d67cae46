import type { ReportedConstraint } from '../validation/error-types.js';
import { templatePattern } from '../template/template-body.js';
import type { JsonSchema } from './json-schema.js';

/** What a constraint, with its arguments, says in JSON Schema. */
type Translation = (...args: never[]) => JsonSchema;

const text = { type: 'string' } as const;
const isText = (value: unknown): boolean => typeof value === 'string';

/** Every constraint that has a `type` in the error body has its words here too: the compiler asks for them. */
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
  standsForRecipients: () => ({}),
  standsForBefore: () => ({}),
  hasTextValues: () => ({ additionalProperties: text }),
  isTemplateBody: () => ({ ...text, pattern: templatePattern.source }),
  matches: (pattern: RegExp) => ({ ...text, pattern: pattern.source }),
} satisfies Record<ReportedConstraint, Translation> & Record<string, Translation>;

/** `undefined` for a constraint that the table does not know. */
export function schemaOfConstraint(name: string, args: readonly unknown[]): JsonSchema | undefined {
  const translate = (translations as Record<string, (...args: readonly unknown[]) => JsonSchema>)[name];
  return translate?.(...args);
}
