import { paymentIdOf } from '@gangan/billing';
import { newId } from '@gangan/protocol';

export const reference = [
  '--reference <reference>',
  'of the payment: the same one again moves nothing',
] as const;

/** The same reference is the same payment; without one every payment is a new one. */
export const subjectOf = (organisationId: string, given: string | undefined): string =>
  given === undefined ? newId() : paymentIdOf(organisationId, given);
