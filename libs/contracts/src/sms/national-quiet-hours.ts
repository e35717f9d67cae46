import { areEndless, type QuietHours } from './quiet-hours.js';

/** Quiet hours that the rules of a country set for promotional SMS to its numbers, by its calling code. */
const national: Readonly<Record<string, QuietHours>> = {
  // The Nigerian Communications Commission (NCC) allows promotional SMS from 08:00 to 20:00.
  '+234': { from: 20 * 60, to: 8 * 60, zone: 'Africa/Lagos' },
};

/** The national hours which, together with these, leave no time for a promotional SMS; undefined if there are none. */
export const findEndlessWith = (own: QuietHours): QuietHours | undefined =>
  Object.values(national).find((hours) => areEndless([own, hours]));

/** @param recipient in E.164 */
export const nationalQuietHours = (recipient: string): QuietHours | undefined =>
  Object.entries(national).find(([callingCode]) => recipient.startsWith(callingCode))?.[1];
