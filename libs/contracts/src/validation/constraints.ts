import type { ErrorType, FieldError } from '@gangan/protocol';
import type { JsonSchema } from './json-schema.js';

export interface Constraint {
  /** The `type` in the error body; `value_error` by default. */
  readonly error?: ErrorType;
  /** Set if the failure is reported beside another failure of the field. */
  readonly independent?: boolean;
  /** Translates the arguments of the constraint to JSON Schema. */
  readonly schema: (...args: never[]) => JsonSchema;
}

const text = { type: 'string' } as const;
const isText = (value: unknown): boolean => typeof value === 'string';

/** What is shared by several domains. The rules of a domain declare what they mean where they are defined. */
const shared: Readonly<Record<string, Constraint>> = {
  required: {
    error: 'missing',
    schema: (pattern: string | null = '\\S') => (pattern === null ? {} : { pattern }),
  },
  isString: { error: 'string_type', schema: () => text },
  isNumber: { error: 'number_type', schema: () => ({ type: 'number' }) },
  isInt: { error: 'integer_type', schema: () => ({ type: 'integer' }) },
  isBoolean: { error: 'boolean_type', schema: () => ({ type: 'boolean' }) },
  isArray: { error: 'list_type', schema: () => ({ type: 'array' }) },
  isObject: { error: 'object_type', schema: () => ({ type: 'object' }) },
  isIn: {
    error: 'enum',
    schema: (values: readonly unknown[]) => ({ ...(values.every(isText) && text), enum: values }),
  },
  minLength: { error: 'string_too_short', schema: (minLength: number) => ({ minLength }) },
  notBlank: { error: 'string_too_short', schema: () => ({ pattern: '\\S' }) },
  maxLength: { error: 'string_too_long', schema: (maxLength: number) => ({ maxLength }) },
  min: { error: 'greater_than_equal', schema: (minimum: number) => ({ minimum }) },
  max: { error: 'less_than_equal', schema: (maximum: number) => ({ maximum }) },
  arrayMinSize: { error: 'too_short', schema: (minItems: number) => ({ minItems }) },
  arrayMaxSize: { error: 'too_long', schema: (maxItems: number) => ({ maxItems }) },
  isPhone: { error: 'phone', schema: (format: string = 'phone') => ({ ...text, format }) },
  isUrl: { error: 'url', schema: () => ({ ...text, format: 'uri' }) },
  isEmail: { error: 'email', schema: () => ({ ...text, format: 'email' }) },
  isInstant: { error: 'date', schema: () => ({ ...text, format: 'date-time' }) },
  isIso8601: { error: 'date', schema: () => ({ ...text, format: 'date-time' }) },
  isUuid: { schema: () => ({ ...text, format: 'uuid' }) },
  matches: { schema: (pattern: RegExp) => ({ ...text, pattern: pattern.source }) },
};

/** Of several constraints that a field fails, the first one with an `error` is reported: an absent number is only missing. */
const constraints = new Map(Object.entries(shared));

/** Declares a constraint, unless it is a shared one. */
export function declareConstraint(name: string, constraint: Constraint): void {
  if (!Object.hasOwn(shared, name)) constraints.set(name, constraint);
}

/** Returns `undefined` for a constraint that is not declared. */
export function translateConstraint(name: string, args: readonly unknown[]): JsonSchema | undefined {
  const translate = constraints.get(name)?.schema as
    | ((...args: readonly unknown[]) => JsonSchema)
    | undefined;
  return translate?.(...args);
}

/** class-validator appends this to the message about numbers. */
const meaninglessSuffix = ' conforming to the specified constraints';

/** If one of these fails, the others say nothing more. */
const explaining = ['required', 'isString', 'isArray'];

type Failure = Pick<FieldError, 'type' | 'message'>;

/** The failures of a field that are reported to the caller: one, and those that are independent of it. */
export function chooseFailures(messages: Record<string, string>): Failure[] {
  const first = chooseFailure(messages);
  const isUsable = !explaining.some((name) => name in messages);
  const others = Object.entries(messages).filter(
    ([name, message]) => isUsable && constraints.get(name)?.independent && message !== first.message,
  );
  return [first, ...others.map(([, message]): Failure => ({ type: 'value_error', message }))];
}

/** The failure that explains the others. */
export function chooseFailure(messages: Record<string, string>): Failure {
  for (const [name, { error }] of constraints) {
    const message = messages[name];
    if (error !== undefined && message !== undefined)
      return { type: error, message: message.replace(meaninglessSuffix, '') };
  }
  return { type: 'value_error', message: Object.values(messages)[0] ?? 'is invalid' };
}
