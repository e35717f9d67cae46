import { IsString } from 'class-validator';
import { maxPhoneLength, parsePhone } from '../phone-number.js';
import { ApiField } from '../schema/api-field.js';
import type { ContractSettings } from '../settings.js';
import { trimSpaces } from '../text/trim-spaces.js';
import { combine, MaxLength, Required, rule } from '../validation/fields/decorators.js';
import { phoneFault, phoneForm } from '../validation/fields/phone-fault.js';
import { ItemErrors, type ItemError } from '../validation/fields/nested.js';

export const maxTextLength = 1_600;

/** Recipients are counted before duplicates are removed. */
export const maxRecipients = 1_000;
/** Every number is followed by a comma. */
const maxRecipientsLength = maxRecipients * (maxPhoneLength + 1);

/** Splits a comma-separated list of phone numbers; the notation of each number is kept. */
export const splitRecipients = (text: string): string[] => text.split(',').map(trimSpaces);

/** Counts recipients without splitting the list. */
export function countRecipients(text: string): number {
  let count = 1;
  for (let at = text.indexOf(','); at >= 0; at = text.indexOf(',', at + 1)) count += 1;
  return count;
}

/** Counts the phone numbers of a request before it is validated. One with more than the maximum is not read. */
export function countPhones({ recipients, personalisation, phones }: Siblings): number {
  const lists = [recipients, phones].map((text) => (typeof text === 'string' ? countRecipients(text) : 0));
  const items = Array.isArray(personalisation) ? personalisation.length : 0;
  return Math.min(Math.max(...lists, items), maxRecipients);
}

/** The error of an item in a list of phone numbers that is not one. */
export const invalidPhoneItem = (field: string, item: string, index: number): ItemError =>
  item === ''
    ? { at: String(index), message: `${field}.${index} is empty`, type: 'missing' }
    : {
        at: String(index),
        message: `${field}.${index} ${phoneFault(item)}`,
        type: 'phone',
      };

/** No response has more errors, and reading a number takes time. The worker reads all of a request without other errors. */
const maxCheckedPhones = 100;

/** Finds the errors of the first items of a list of phone numbers. */
const phoneListErrors =
  (field: string) =>
  (text: string, { defaultRegion }: ContractSettings): ItemError[] =>
    splitRecipients(text)
      .slice(0, maxCheckedPhones)
      .flatMap((item, index) =>
        parsePhone(item, defaultRegion) ? [] : [invalidPhoneItem(field, item, index)],
      );

const isPhoneList = IsString({
  message:
    '$property must be a string with the numbers separated by commas, such as "08031234567, +2348059876543"',
});

/** A required text of phone numbers, in the notation of the caller. */
export const PhoneListField =
  (text: string): PropertyDecorator =>
  (target, property) => {
    combine(
      Required(),
      isPhoneList,
      ApiField(text, '07000000001'),
      MaxLength(maxRecipientsLength),
      HasFewRecipients(),
      ItemErrors(phoneListErrors(String(property)), { onlyWithOtherErrors: true }),
    )(target, property);
  };

/** Matches a text that is more than spaces, control characters and characters without width. */
const visible = /[^\s\p{Cc}\p{Cf}]/u;
export const hasVisibleText = (text: string): boolean => visible.test(text);

/** The fields of the request that the rules below compare; they may have any value. */
type Siblings = Partial<
  Record<'recipients' | 'phones' | 'personalisation' | 'smartlist_id' | 'template_id', unknown>
>;

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

const isBlank = (value: unknown): boolean =>
  value === undefined || (typeof value === 'string' && value.trim() === '');

/** The content is visible text. Only requests without a template are checked. */
export const IsContent = rule(
  'required',
  (value) => value !== undefined && (typeof value !== 'string' || hasVisibleText(value)),
  (value) => (isBlank(value) ? 'is required, unless there is a template_id' : 'must contain visible text'),
  { args: [visible.source] },
);

const braces = /\{\{([^{}]*)\}\}/g;

/** The first placeholder of a text that is sent as it is. */
function unfilledPlaceholder(text: unknown, { template_id, smartlist_id }: Siblings): string | undefined {
  if (typeof text !== 'string' || !isEmpty(template_id) || !isEmpty(smartlist_id)) return undefined;
  return [...text.matchAll(braces)].map(([, name = '']) => name.trim()).find((name) => name !== '');
}

const maxShownName = 64;

/** Removes `$` from a message, because class-validator would replace `$value`. */
const withoutTokens = (text: string): string => text.replaceAll('$', '');

const shownName = (name = ''): string => withoutTokens(name.slice(0, maxShownName));

/** Refuses a text with a placeholder: recipients would read the braces. Only a template or a smartlist has values. */
export const HasNoPlaceholder = rule(
  'hasNoPlaceholder',
  (value, siblings: Siblings) => unfilledPlaceholder(value, siblings) === undefined,
  (value) =>
    `contains {{${shownName(unfilledPlaceholder(value, {}))}}}, which nothing fills in: send a template (template_id) with personalisation, or remove the braces`,
  { error: 'placeholder' },
);

const HasFewRecipients = rule(
  'hasFewItems',
  (value) => typeof value !== 'string' || countRecipients(value) <= maxRecipients,
  `must be at most ${maxRecipients} numbers`,
  { error: 'too_long', schema: { type: 'string', format: 'phones' } },
);

/** Refuses values without a template: nothing would be filled in, and recipients would see the placeholders. */
export const NeedsTemplate = rule(
  'needsTemplate',
  (value, { template_id }: Siblings) =>
    (Array.isArray(value) && value.length === 0) || template_id !== undefined,
  'requires template_id: add it, or remove this field',
);

export const ExcludesRecipients = rule(
  'excludesRecipients',
  (_, { recipients, personalisation }: Siblings) => isEmpty(recipients) && isEmpty(personalisation),
  'cannot be combined with recipients or personalisation',
);

export const ExcludesSmartlist = rule(
  'excludesSmartlist',
  (_, { smartlist_id }: Siblings) => isEmpty(smartlist_id),
  'cannot be combined with smartlist_id',
);

export const NeedsSmartlist = rule(
  'needsSmartlist',
  (_, { smartlist_id }: Siblings) => !isEmpty(smartlist_id),
  'requires smartlist_id: add it, or remove this field',
);

/** Only a cheap check: the worker checks whether the text is a valid number and one of the recipients. */
export const LooksLikePhone = rule(
  'looksLikePhone',
  (value) =>
    typeof value === 'string' && value.length <= maxPhoneLength && /\d/.test(value) && !/\p{L}/u.test(value),
  (value) => (typeof value === 'string' ? withoutTokens(phoneFault(value)) : phoneForm),
  { error: 'phone', schema: { type: 'string', format: 'recipient' } },
);

const isTooLong = (value: string): boolean =>
  value.length > 2 * maxTextLength ||
  (value.length > maxTextLength && Array.from(value).length > maxTextLength);

export const substitutionErrors = (substitutions: object): ItemError[] =>
  Object.entries(substitutions).flatMap(([key, value]: [string, unknown]): ItemError[] => {
    // Placeholders have shorter names: do not repeat a very long key.
    const name = key.slice(0, 64);
    // The worker knows the template and reports a missing value.
    if (value === null) return [];
    if (typeof value !== 'string')
      return [{ at: name, message: `${name} must be a string`, type: 'string_type' }];
    const message = `${name} must be shorter than or equal to ${maxTextLength} characters`;
    return isTooLong(value) ? [{ at: name, message, type: 'string_too_long' }] : [];
  });
