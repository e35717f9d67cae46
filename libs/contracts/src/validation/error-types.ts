/**
 * Which failed constraint becomes which `type` of the error body. When a field fails several, the first of
 * this list is reported: a number that is absent is missing, not also the wrong type and too short.
 */
const types = {
  required: 'missing',
  isString: 'string_type',
  isNumber: 'number_type',
  isInt: 'integer_type',
  isBoolean: 'boolean_type',
  isArray: 'list_type',
  isObject: 'object_type',
  isIn: 'enum',
  minLength: 'string_too_short',
  notBlank: 'string_too_short',
  maxLength: 'string_too_long',
  min: 'greater_than_equal',
  max: 'less_than_equal',
  arrayMaxSize: 'too_long',
  hasFewItems: 'too_long',
  isPhone: 'phone',
  looksLikePhone: 'phone',
  isUrl: 'url',
  isEmail: 'email',
  isIso8601: 'date',
} as const;

/** The constraints that have a name of their own in the error body. */
export type ReportedConstraint = keyof typeof types;

const order = Object.entries(types);

/** What class-validator adds to the message about a number: constraints that it does not name, and that there are none of. */
const saysNothing = ' conforming to the specified constraints';

/** The one failure of a field that its caller is told. */
export function chooseFailure(constraints: Record<string, string>): { type: string; message: string } {
  for (const [constraint, type] of order) {
    const message = constraints[constraint];
    if (message !== undefined) return { type, message: message.replace(saysNothing, '') };
  }
  return { type: 'value_error', message: Object.values(constraints)[0] ?? 'is invalid' };
}
