import type { Dto, FieldError } from '@gangan/protocol';
import { closest } from './closest.js';
import { fieldsOf } from './rules.js';

/** So many unknown names are looked at: who sends more has not mistyped one. */
const mostNames = 50;

/** Unknown fields are ignored, but one that is nearly a missing one is most likely that one, mistyped. */
export function withHint(error: FieldError, dto: Dto<object>, property: string, plain: object): FieldError {
  if (error.type !== 'missing' || Object.hasOwn(plain, property)) return error;
  const declared = fieldsOf(dto);
  const unknown = Object.keys(plain)
    .filter((name) => !declared.includes(name))
    .slice(0, mostNames);
  const given = closest(property, unknown);
  if (given === undefined) return error;
  return { ...error, message: `${error.message} (${given} is not a field of this request)` };
}
