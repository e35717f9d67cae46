import {
  type Channel,
  type DeliveryText,
  type OtpSettings,
  measureText,
  renderOtpText,
} from '@gangan/contracts';
import type { OtpConfig } from '../otp.config.js';

/** What one recipient is sent, and how many pages of it are charged. */
export interface OtpMessage {
  readonly body: DeliveryText;
  readonly pages: number;
}

export interface OtpMessageWish {
  readonly channel: Channel;
  readonly token: string;
  readonly minutes: number;
}

/** At most one decimal: nobody wants to read of 1.0166666 minutes. */
const shown = (minutes: number): string => String(Math.round(minutes * 10) / 10);

type Defaults = Pick<OtpConfig, 'OTP_TEXT' | 'OTP_TEMPLATE_NAME' | 'OTP_TEMPLATE_LANGUAGE'>;

export function otpMessage(
  { channel, token, minutes }: OtpMessageWish,
  settings: OtpSettings,
  defaults: Defaults,
): OtpMessage {
  const text = renderOtpText(settings.text ?? defaults.OTP_TEXT, { code: token, minutes: shown(minutes) });
  if (channel === 'sms') return { body: { text }, pages: measureText(text).pages };
  const template = {
    name: settings.template_name ?? defaults.OTP_TEMPLATE_NAME,
    language: settings.template_language ?? defaults.OTP_TEMPLATE_LANGUAGE,
    values: [token],
  };
  return { body: { text, template }, pages: 1 };
}
