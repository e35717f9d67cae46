import { paymentIdOf } from '@gangan/billing';
import { newId } from '@gangan/protocol';
import { Money } from '../session/money.js';
import { CommandError } from '../session/command-error.js';

export const reference = [
  '--reference <reference>',
  'of the payment: the same one again moves nothing',
] as const;

/** The same reference is the same payment; without one every payment is a new one. */
export const subjectOf = (organisationId: string, given: string | undefined): string =>
  given === undefined ? newId() : paymentIdOf(organisationId, given);

/** @throws CommandError when the reference was used for another amount: one of the two is a mistake */
export function refuseOther(asked: bigint, booked: bigint): void {
  if (asked === booked) return;
  throw new CommandError(
    `This reference was booked before, with ${new Money(booked).text} instead of ${new Money(asked).text}, and nothing moved now: check the amount, or use another reference.`,
  );
}
