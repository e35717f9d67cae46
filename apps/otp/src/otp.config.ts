import { contractVariables, otpTextError } from '@gangan/contracts';
import {
  checkedText,
  dailySpend,
  dataKeyVariables,
  defineConfig,
  sealingKeys,
  secret,
  storedLimit,
  str,
  wholeNumber,
} from '@gangan/runtime';

const limit = wholeNumber({ min: 0, max: 1_000_000 });

export class OtpConfig extends defineConfig({
  DEFAULT_REGION: contractVariables.DEFAULT_REGION,
  ...dataKeyVariables,
  OTP_PEPPER: secret(
    sealingKeys(2)({
      desc: 'Key of the stored token digests; two keys, separated by a comma, while it is replaced',
      example: 'the output of: openssl rand -base64 32',
    }),
  ),
  OTP_TEXT: checkedText(otpTextError)({
    default: 'Your code is {{code}}. It is valid for {{minutes}} min. Do not share it with anyone.',
    desc: 'Text of an OTP; an organisation may have its own',
  }),
  OTP_TEMPLATE_NAME: str({
    default: 'verification_code',
    desc: 'Name of the WhatsApp authentication template at the carrier',
  }),
  OTP_TEMPLATE_LANGUAGE: str({ default: 'en', desc: 'Language of that template' }),
  OTP_SENDS_PER_RECIPIENT: limit({
    default: 5,
    desc: 'Messages with OTPs that an organisation may send to one number in 10 minutes',
  }),
  OTP_SENDS_PER_PREFIX: limit({
    default: 50,
    desc: 'Messages with OTPs in 10 minutes to numbers that differ only in their last four digits, unless one OTP is verified for every five messages',
  }),
  OTP_TRIES_PER_RECIPIENT: limit({
    default: 15,
    desc: 'Wrong tokens for one number in an hour, over all OTPs of an organisation',
  }),
  OTP_DAILY_TRIES_PER_RECIPIENT: limit({
    default: 30,
    desc: 'Wrong tokens for one number in 24 hours, over all OTPs of an organisation',
  }),
  DAILY_SPEND: dailySpend,
  OTP_DAILY_SPEND: storedLimit('OTPs'),
  OTP_KEPT_DAYS: wholeNumber({ min: 1, max: 3_650 })({
    default: 30,
    desc: 'Days for which OTPs are kept',
  }),
}) {}
