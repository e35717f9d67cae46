import { contractVariables, otpTextError } from '@gangan/contracts';
import { checkedText, defineConfig, sealingKeys, str, wholeNumber } from '@gangan/runtime';

const limit = wholeNumber({ min: 0, max: 1_000_000 });

/** The variables that only this app reads. */
export class OtpConfig extends defineConfig({
  DEFAULT_REGION: contractVariables.DEFAULT_REGION,
  OTP_PEPPER: sealingKeys({
    desc: 'Without it nobody can tell tokens from what is stored of them. To change it, restart the otp workers three times: old,new then new,old then, an hour later, new',
    example: 'the output of: openssl rand -base64 32',
  }),
  OTP_TEXT: checkedText(otpTextError)({
    default: 'Your code is {{code}}. It is valid for {{minutes}} min. Do not share it with anyone.',
    desc: 'What an OTP says, unless its organisation has a text of its own',
  }),
  OTP_TEMPLATE_NAME: str({
    default: 'verification_code',
    desc: 'The authentication template that OTPs use on WhatsApp, as the carrier knows it',
  }),
  OTP_TEMPLATE_LANGUAGE: str({ default: 'en', desc: 'The language of that template' }),
  OTP_SENDS_PER_RECIPIENT: limit({
    default: 5,
    desc: 'OTPs that an organisation may send to one number in 10 minutes; 0 for any number',
  }),
  OTP_SENDS_PER_PREFIX: limit({
    default: 50,
    desc: 'OTPs that an organisation may send to numbers that differ in their last four digits only, in 10 minutes, unless at least a fifth of them are verified; 0 for any number',
  }),
  OTP_TRIES_PER_RECIPIENT: limit({
    default: 15,
    desc: 'Wrong tokens that an organisation may try for one number in an hour, over all OTPs; 0 for any number',
  }),
  OTP_DAILY_SPEND: wholeNumber({ min: 0, max: 1_000_000_000 })({
    default: 0,
    desc: 'Naira that an organisation may spend on OTPs in a day (UTC); 0 for any amount',
  }),
  OTP_KEPT_DAYS: wholeNumber({ min: 1, max: 3_650 })({
    default: 30,
    desc: 'For how many days OTPs are kept',
  }),
}) {}
