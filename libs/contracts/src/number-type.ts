import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

export const numberTypes = [
  ...['mobile', 'fixed_line', 'fixed_line_or_mobile', 'voip', 'personal_number', 'pager'],
  ...['premium_rate', 'shared_cost', 'toll_free', 'uan', 'voicemail', 'unknown'],
] as const;

export type NumberType = (typeof numberTypes)[number];

/** What a number is used for, as its country's numbering plan says. */
export const getNumberType = (e164: string): NumberType =>
  (parsePhoneNumberFromString(e164)?.getType()?.toLowerCase() ?? 'unknown') as NumberType;

/** Where a plan does not tell the two apart (North America), either word allows a number. */
export const isAllowedNumberType = (allowed: readonly NumberType[], type: NumberType): boolean =>
  allowed.includes(type) ||
  (type === 'fixed_line_or_mobile' && (allowed.includes('mobile') || allowed.includes('fixed_line')));
