import { invalidPhoneItem, maxRecipients, parsePhone, phoneFault, splitRecipients } from '@gangan/contracts';
import { type ErrorType, fieldError, type FieldError, mapInSlices } from '@gangan/protocol';
import type { Personalisation, Recipient } from '../text/message-text.js';
import { placeholdersOf, type Substitutions } from '../text/rendering.js';

/** A recipient, its position in the request, and its country (ISO 3166), if its number has one. */
export interface IndexedRecipient extends Recipient {
  readonly index: number;
  readonly country: string | undefined;
}

export interface Recipients {
  /** The recipients without duplicates: of several spellings of one number, the first. */
  readonly all: readonly IndexedRecipient[];
  readonly faults: readonly FieldError[];
}

/** The gateway checks this too, but a job can come from elsewhere. */
const tooMany = fieldError('recipients', `recipients must be at most ${maxRecipients} numbers`, 'too_long');

export async function readRecipients(text: string, region: string): Promise<Recipients> {
  const items = splitRecipients(text);
  if (items.length > maxRecipients) return { all: [], faults: [tooMany] };
  const numbers = new Map<string, IndexedRecipient>();
  const faults: FieldError[] = [];
  await mapInSlices(items, (item, index) => {
    const phone = parsePhone(item, region);
    if (!phone) {
      const { at, message, type } = invalidPhoneItem('recipients', item, index);
      faults.push(fieldError(`recipients.${at}`, message, type));
    } else if (!numbers.has(phone.e164)) {
      const { e164: recipient, country } = phone;
      numbers.set(recipient, { recipient, recipientGiven: item, index, country });
    }
  });
  return { all: [...numbers.values()], faults };
}

/** The substitutions of one recipient, and the field of the request that has them. */
export interface RecipientValues {
  readonly substitutions: Substitutions;
  readonly field?: string;
}

export interface Personalisations {
  /** As they are stored: with their numbers, which no later step has to read again. */
  readonly items: readonly Personalisation[];
  readonly byRecipient: ReadonlyMap<string, RecipientValues>;
  /** Items that match no recipient, or one that has an item already. */
  readonly unmatched: readonly RecipientValues[];
  readonly faults: readonly FieldError[];
}

export const noValues: RecipientValues = { substitutions: {} };

/** A null counts as missing. */
export const withoutNulls = (
  items: readonly { to: string; substitutions: Readonly<Record<string, string | null>> }[],
): Personalisation[] =>
  items.map(({ to, substitutions }) => ({
    to,
    substitutions: Object.fromEntries(
      Object.entries(substitutions).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
    ),
  }));

export async function readPersonalisation(
  items: readonly Personalisation[],
  { all, faults: invalidRecipients }: Recipients,
  region: string,
): Promise<Personalisations> {
  const byGivenNumber = new Map(all.map(({ recipient, recipientGiven }) => [recipientGiven, recipient]));
  const known = new Set(all.map(({ recipient }) => recipient));
  const byRecipient = new Map<string, RecipientValues>();
  const unmatched: RecipientValues[] = [];
  const faults: FieldError[] = [];
  const numbered = await mapInSlices(items, ({ to, substitutions }, index): Personalisation => {
    const number = byGivenNumber.get(to) ?? parsePhone(to, region)?.e164;
    const item = { to, substitutions, ...(number !== undefined && { recipient: number }) };
    const field = `personalisation.${index}`;
    const refuse = (message: string, type?: ErrorType): void => {
      faults.push(fieldError(`${field}.to`, `${field}.to ${message}`, type));
    };
    if (number !== undefined && known.has(number) && !byRecipient.has(number)) {
      byRecipient.set(number, { substitutions, field });
      return item;
    }
    unmatched.push({ substitutions, field });
    if (number === undefined) refuse(phoneFault(to), 'phone');
    else if (known.has(number)) refuse('is personalised twice: list each recipient once');
    // With an invalid recipient it is unknown whether the item is meant for it.
    else if (invalidRecipients.length === 0) refuse('is not one of the recipients');
    return item;
  });
  return { items: numbered, byRecipient, unmatched, faults };
}

export function findUnfilled(
  body: string,
  recipients: readonly IndexedRecipient[],
  personalisations: Personalisations,
): FieldError[] {
  const names = placeholdersOf(body);
  const faults = [...personalisations.byRecipient.values(), ...personalisations.unmatched].flatMap(
    ({ substitutions, field = '' }) =>
      names
        .filter((name) => !Object.hasOwn(substitutions, name))
        .map((name) => missing(`${field}.substitutions.${name}`)),
  );
  // An unmatched item has its own error, and may be the one that a recipient lacks.
  if (names.length === 0 || personalisations.unmatched.length > 0) return faults;
  const left = recipients.find(({ recipient }) => !personalisations.byRecipient.has(recipient));
  return left ? [...faults, missingFor(left, names)] : faults;
}

const missing = (field: string): FieldError =>
  fieldError(field, `${field} is required by the template`, 'missing');

const missingFor = ({ index }: IndexedRecipient, names: readonly string[]): FieldError =>
  fieldError(
    'personalisation',
    `The template requires ${names.join(', ')}, and recipients.${index} has no personalisation`,
    'missing',
  );
