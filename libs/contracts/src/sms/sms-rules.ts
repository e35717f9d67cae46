import { ValidateBy } from 'class-validator';
import type { ItemError } from '../validation/item-faults.js';
import { countRecipients, maxRecipients } from './recipients.js';

/** Something that a reader would see: not only spaces, control characters and what else has no width. */
const visible = /[^\s\p{Cc}\p{Cf}]/u;
export const hasVisibleText = (text: string): boolean => visible.test(text);

const isBlank = (value: unknown): boolean =>
  value === undefined || (typeof value === 'string' && value.trim() === '');

/** Visible text, where there is no template to take it from. */
export const IsContent = (): PropertyDecorator =>
  ValidateBy({
    name: 'required',
    constraints: [visible.source],
    validator: {
      validate: (value: unknown) =>
        value !== undefined && (typeof value !== 'string' || hasVisibleText(value)),
      defaultMessage: (args) =>
        isBlank(args?.value)
          ? '$property is required, unless there is a template_id'
          : '$property must have something visible in it',
    },
  });

export const HasFewRecipients = (): PropertyDecorator =>
  ValidateBy({
    name: 'hasFewItems',
    validator: {
      validate: (value: unknown) => typeof value !== 'string' || countRecipients(value) <= maxRecipients,
      defaultMessage: () => `$property must be at most ${maxRecipients} numbers`,
    },
  });

/** Without a template there is nothing to fill in, and recipients would read raw placeholders. */
export const NeedsTemplate = (): PropertyDecorator =>
  ValidateBy({
    name: 'needsTemplate',
    validator: {
      validate: (value: unknown, args) =>
        (Array.isArray(value) && value.length === 0) ||
        (args?.object as { readonly template_id?: unknown } | undefined)?.template_id !== undefined,
      defaultMessage: () => '$property is for templates: give a template_id too, or leave it out',
    },
  });

interface Beside {
  readonly recipients?: unknown;
  readonly personalisation?: unknown;
  readonly smartlist_id?: unknown;
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

export const StandsForRecipients = (): PropertyDecorator =>
  ValidateBy({
    name: 'standsForRecipients',
    validator: {
      validate: (_, args) => {
        const { recipients, personalisation } = (args?.object ?? {}) as Beside;
        return isEmpty(recipients) && isEmpty(personalisation);
      },
      defaultMessage: () =>
        '$property is instead of recipients and personalisation: leave those out, or leave it out',
    },
  });

export const NeedsSmartlist = (): PropertyDecorator =>
  ValidateBy({
    name: 'needsSmartlist',
    validator: {
      validate: (_, args) => !isEmpty(((args?.object ?? {}) as Beside).smartlist_id),
      defaultMessage: () => '$property is for smartlists: give a smartlist_id too, or leave it out',
    },
  });

/** Cheap: whether it is a number, and one of the recipients', is found out by whoever reads those. */
export const LooksLikePhone = (): PropertyDecorator =>
  ValidateBy({
    name: 'looksLikePhone',
    validator: {
      validate: (value: unknown) =>
        typeof value === 'string' && value.length <= 64 && /\d/.test(value) && !/\p{L}/u.test(value),
      defaultMessage: () => '$property must be a phone number such as +2348031234567',
    },
  });

/** Only says so: a value that is none is told of by its own name. */
export const HasTextValues = (): PropertyDecorator =>
  ValidateBy({ name: 'hasTextValues', validator: { validate: () => true } });

/** As long as a whole text may be. */
const longestSubstitution = 1_600;

const isTooLong = (value: string): boolean =>
  value.length > 2 * longestSubstitution ||
  (value.length > longestSubstitution && Array.from(value).length > longestSubstitution);

export const substitutionErrors = (substitutions: object): ItemError[] =>
  Object.entries(substitutions).flatMap(([whole, value]: [string, unknown]) => {
    // No placeholder has so long a name: there is no need to repeat all of it.
    const name = whole.slice(0, 64);
    // Who knows the template tells whether it is missing.
    if (value === null) return [];
    if (typeof value !== 'string')
      return [{ at: name, message: `${name} must be a string`, type: 'string_type' }];
    const message = `${name} must be shorter than or equal to ${longestSubstitution} characters`;
    return isTooLong(value) ? [{ at: name, message, type: 'string_too_long' }] : [];
  });
