import {
  type Channel,
  type DeliveryText,
  getNumberType,
  isAllowedCountry,
  isAllowedNumberType,
  measureText,
  type OtpSettings,
  type ParsedPhone,
  renderOtpText,
} from '@gangan/contracts';
import type { AppError } from '@gangan/protocol';
import type { OtpConfig } from '../otp.config.js';
import { countryNotAllowed, numberTypeNotAllowed } from '../otp.errors.js';

/** Returns the error if the settings of the organisation exclude the country or the type of the number. */
export function checkDestination(
  { country, e164 }: Pick<ParsedPhone, 'country' | 'e164'>,
  { countries, number_types: types }: OtpSettings,
): AppError | undefined {
  if (!isAllowedCountry(countries, country)) return countryNotAllowed(country);
  if (!types) return undefined;
  const type = getNumberType(e164);
  return isAllowedNumberType(types, type) ? undefined : numberTypeNotAllowed(type);
}

/** Rounds to at most one decimal. */
const formatMinutes = (minutes: number): string => String(Math.round(minutes * 10) / 10);

/** Returns the body, and the number of pages to charge. */
export function createMessage(
  { channel, token, minutes }: { channel: Channel; token: string; minutes: number },
  settings: OtpSettings,
  defaults: Pick<OtpConfig, 'OTP_TEXT' | 'OTP_TEMPLATE_NAME' | 'OTP_TEMPLATE_LANGUAGE'>,
): { body: DeliveryText; pages: number } {
  const values = { code: token, minutes: formatMinutes(minutes) };
  const text = renderOtpText(settings.text ?? defaults.OTP_TEXT, values);
  if (channel === 'sms') return { body: { text }, pages: measureText(text).pages };
  const template = {
    name: settings.template_name ?? defaults.OTP_TEMPLATE_NAME,
    language: settings.template_language ?? defaults.OTP_TEMPLATE_LANGUAGE,
    values: [token],
    code: token,
  };
  return { body: { text, template }, pages: 1 };
}
