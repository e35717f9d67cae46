import { parsePhone } from '@gangan/contracts';
import type { FieldError } from '@gangan/protocol';
import type { Personalisation, Recipient } from '../text/message-text.js';
import { placeholdersOf, type Substitutions } from '../text/rendering.js';
import { inSlices } from '../text/in-slices.js';
import type { PlacedRecipient, Recipients } from './recipients.js';

/** As it is asked for. */
interface GivenPersonalisation {
  readonly to: string;
  readonly substitutions: Readonly<Record<string, string | null>>;
}

/** What is filled in for one recipient, and which field of the request says so. */
export interface Filling {
  readonly substitutions: Substitutions;
  readonly field?: string;
}

export interface Fillings {
  readonly byRecipient: ReadonlyMap<string, Filling>;
  /** Of items that are nobody's, or somebody's who has one already. */
  readonly strays: readonly Filling[];
  readonly faults: readonly FieldError[];
}

const nothing: Filling = { substitutions: {} };

/** Null is nothing: where there is a place for it, it is missing. */
export const withoutNulls = (items: readonly GivenPersonalisation[]): Personalisation[] =>
  items.map(({ to, substitutions }) => ({
    to,
    substitutions: Object.fromEntries(
      Object.entries(substitutions).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
    ),
  }));

/** Finds out whom each item is for. Of a stranger nothing is said while a recipient could not be read: it may be that one. */
export async function readPersonalisation(
  items: readonly Personalisation[],
  { all, faults: unread }: Recipients,
): Promise<Fillings> {
  const bySpelling = new Map(all.map(({ recipient, recipientGiven }) => [recipientGiven, recipient]));
  const known = new Set(all.map(({ recipient }) => recipient));
  const byRecipient = new Map<string, Filling>();
  const strays: Filling[] = [];
  const faults: FieldError[] = [];
  await inSlices(items, ({ to, substitutions }, place) => {
    const number = bySpelling.get(to) ?? parsePhone(to)?.e164;
    const field = `personalisation.${place}`;
    const refuse = (message: string, type = 'value_error'): void => {
      faults.push({ field: `${field}.to`, message: `${field}.to ${message}`, type });
    };
    if (number !== undefined && known.has(number) && !byRecipient.has(number)) {
      byRecipient.set(number, { substitutions, field });
      return;
    }
    strays.push({ substitutions, field });
    if (number === undefined) refuse('must be a phone number such as +2348031234567', 'phone');
    else if (known.has(number)) refuse('was personalised before: name each recipient once');
    else if (unread.length === 0) refuse('is not among the recipients');
  });
  return { byRecipient, strays, faults };
}

export const fillingOf = (fillings: Fillings, { recipient }: Recipient): Filling =>
  fillings.byRecipient.get(recipient) ?? nothing;

/** The placeholders that somebody would read raw. */
export function unfilled(
  body: string,
  recipients: readonly PlacedRecipient[],
  fillings: Fillings,
): FieldError[] {
  const names = placeholdersOf(body);
  const faults = [...fillings.byRecipient.values(), ...fillings.strays].flatMap(
    ({ substitutions, field = '' }) =>
      names
        .filter((name) => !Object.hasOwn(substitutions, name))
        .map((name) => absent(`${field}.substitutions.${name}`)),
  );
  // Whoever is not named rightly has nothing filled in, and need not hear it twice.
  if (names.length === 0 || fillings.strays.length > 0) return faults;
  const left = recipients.find(({ recipient }) => !fillings.byRecipient.has(recipient));
  return left ? [...faults, absentFor(left, names)] : faults;
}

const absent = (field: string): FieldError => ({
  field,
  message: `${field} is required: the template has a place for it`,
  type: 'missing',
});

const absentFor = ({ place }: PlacedRecipient, names: readonly string[]): FieldError => ({
  field: 'personalisation',
  message: `The template has places for ${names.join(', ')}, and nothing is given for recipients.${place}`,
  type: 'missing',
});
