/**
 * The `type` in the error body for each constraint. If a field fails several, the first of this list is reported: an
 * absent number is missing, not also of the wrong type.
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

/** The constraints with their own `type` in the error body. */
export type ReportedConstraint = keyof typeof types;

const order = Object.entries(types);

/** class-validator appends this to the message about numbers. */
const meaninglessSuffix = ' conforming to the specified constraints';

/** The failure of a field that is reported to the caller. */
export function chooseFailure(constraints: Record<string, string>): { type: string; message: string } {
  for (const [constraint, type] of order) {
    const message = constraints[constraint];
    if (message !== undefined) return { type, message: message.replace(meaninglessSuffix, '') };
  }
  return { type: 'value_error', message: Object.values(constraints)[0] ?? 'is invalid' };
}
