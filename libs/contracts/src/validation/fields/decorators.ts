import { buildMessage, Matches, ValidateBy, type ValidationOptions } from 'class-validator';
import { parsePhone } from '../../phone-number.js';
import { parseTimestamp } from '../../timestamp.js';
import { type Constraint, declareConstraint } from '../constraints.js';
import type { JsonSchema } from '../json-schema.js';
import { phoneFault } from './phone-fault.js';
import { ValidateWithSettings } from './settings-rules.js';

/** The text for a message: any other value may be too deep to print, or throw when printed. */
export const textOrEmpty = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Several decorators as one. The last runs first, as when they are stacked. */
export const combine =
  (...decorators: readonly PropertyDecorator[]): PropertyDecorator =>
  (target, property) => {
    for (const decorate of decorators.toReversed()) decorate(target, property);
  };

const isPresent = (value: unknown): boolean =>
  value !== undefined && value !== null && !(typeof value === 'string' && value.trim() === '');

/** What a rule means for callers, as in `Constraint`. */
interface RuleOptions extends Omit<Constraint, 'schema'> {
  readonly schema?: JsonSchema;
  /** The arguments of a shared constraint. */
  readonly args?: readonly unknown[];
}

/**
 * Makes a decorator for a rule that class-validator lacks.
 * @param name of a shared constraint, or of one that is declared with this rule
 * @param message follows the name of the field
 */
export function rule(
  name: string,
  validate: (value: unknown, dto: never) => boolean,
  message: string | ((value: unknown) => string),
  { schema = {}, args: constraints = [], ...constraint }: RuleOptions = {},
): () => PropertyDecorator {
  declareConstraint(name, { ...constraint, schema: () => schema });
  return () =>
    ValidateBy({
      name,
      constraints: [...constraints],
      validator: {
        validate: (value: unknown, args) => validate(value, (args?.object ?? {}) as never),
        defaultMessage: (args) => `$property ${typeof message === 'string' ? message : message(args?.value)}`,
      },
    });
}

/** Present, not null and not blank. */
export const Required = rule('required', isPresent, 'is required');

/** Only for the JSON Schema: what reads the values reports those that are not text. */
export const HasTextValues = rule('hasTextValues', () => true, '', {
  schema: { additionalProperties: { type: 'string' } },
});

/** For optional fields: not blank if present. */
export const NotBlank = rule(
  'notBlank',
  (value) => typeof value !== 'string' || /\S/.test(value),
  'must not be blank',
);

// oxlint-disable-next-line no-control-regex -- matches control characters on purpose
const withoutControls = /^[^\x00-\x1f\x7f-\x9f\u2028\u2029]*$/;

/** For names and references, which are shown in lists, tables and logs. */
export const OneLine = (): PropertyDecorator =>
  Matches(withoutControls, {
    message: '$property must not contain line breaks or other control characters',
  });

/** For optional names and references. */
export const IsName = (maxLength: number): PropertyDecorator =>
  combine(NotBlank(), OneLine(), MaxLength(maxLength));

/** Counts code points, as the database does. class-validator's own rule ignores the variation selectors of emoji. */
export const MaxLength = (max: number, options?: ValidationOptions): PropertyDecorator =>
  ValidateBy(
    {
      name: 'maxLength',
      constraints: [max],
      validator: {
        validate: (value) =>
          typeof value === 'string' && (value.length <= max || Array.from(value).length <= max),
        defaultMessage: buildMessage(
          (each) => `${each}$property must be shorter than or equal to $constraint1 characters`,
          options,
        ),
      },
    },
    options,
  );

/** One phone number in any common notation. The value is not changed; `parsePhone` reads it. */
export const IsPhone = (): PropertyDecorator =>
  ValidateWithSettings({
    name: 'isPhone',
    validate: (value, { defaultRegion }) =>
      typeof value === 'string' && parsePhone(value, defaultRegion)
        ? undefined
        : phoneFault(textOrEmpty(value)),
  });

/** A date or a time. The value is not changed; `parseTimestamp` reads it. */
export const IsTimestamp = rule(
  'isIso8601',
  (value) => typeof value === 'string' && parseTimestamp(value) !== undefined,
  'must be a day such as 2026-11-15, or a time such as 2026-11-15T09:30:00+01:00',
);

/** A time that means the same everywhere. The value is not changed; `parseTimestamp` reads it. */
export const IsInstant = rule(
  'isInstant',
  (value) =>
    typeof value === 'string' && /(Z|[+-]\d\d:\d\d)$/.test(value) && parseTimestamp(value) !== undefined,
  'must be a time with its offset from UTC, such as 2026-12-01T09:30:00+01:00',
);
