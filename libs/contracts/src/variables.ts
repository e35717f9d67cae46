import { EnvError, makeExactValidator } from 'envalid';
import { isAirtimeBounds, setAirtimeBounds } from './airtime/airtime-bounds.js';
import { setAllowPrivateCallbacks } from './callback/callback-url.js';
import { isKnownRegion, setDefaultRegion } from './phone-number.js';

const text = (isValid: (text: string) => boolean, expected: string) =>
  makeExactValidator<string>((input) => {
    if (!isValid(input)) throw new EnvError(expected);
    return input;
  });

/**
 * The environment variables that change what a valid request is. An app that reads phone numbers or validates requests
 * declares them with its own:
 * ```ts
 * export class OtpConfig extends defineConfig({ ...contractVariables, OTP_PEPPER: … }) {}
 * ```
 */
export const contractVariables = {
  DEFAULT_REGION: text(
    isKnownRegion,
    'must be the two capital letters of a country (ISO 3166), such as NG',
  )({
    default: 'NG',
    desc: 'The country (ISO 3166) of phone numbers without a country code',
  }),
  AIRTIME_BOUNDS: text(
    isAirtimeBounds,
    'must be a range of whole naira, then those of single networks, such as 1-100000,MTN=50-50000',
  )({
    default: '1-100000',
    desc: 'Minimum and maximum naira of one airtime purchase, then the ranges of networks that differ: 1-100000,MTN=50-50000',
  }),
  CALLBACK_ALLOW_PRIVATE: makeExactValidator<boolean>((input) => {
    if (!['true', 'false'].includes(input)) throw new EnvError('must be true or false');
    return input === 'true';
  })({
    default: false,
    desc: 'Whether callbacks may go to private and local addresses; for local development only',
  }),
};

export interface ContractVariables {
  readonly DEFAULT_REGION: string;
  readonly AIRTIME_BOUNDS: string;
  readonly CALLBACK_ALLOW_PRIVATE: boolean;
}

/** Applies the variables to this process, once, when it starts. */
export function applyContractVariables(variables: ContractVariables): void {
  setDefaultRegion(variables.DEFAULT_REGION);
  setAirtimeBounds(variables.AIRTIME_BOUNDS);
  setAllowPrivateCallbacks(variables.CALLBACK_ALLOW_PRIVATE);
}
