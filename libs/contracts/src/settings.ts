import { type CleanedEnv, EnvError, makeExactValidator } from 'envalid';
import { type AirtimeBounds, isAirtimeBounds, parseAirtimeBounds } from './airtime/airtime-bounds.js';
import { fallbackRegion, isKnownRegion } from './phone-number.js';

const text = (isValid: (text: string) => boolean, expected: string) =>
  makeExactValidator<string>((input) => {
    if (!isValid(input)) throw new EnvError(expected);
    return input;
  });

const defaultBounds = '1-100000';

/** The environment variables that change what a valid request is. A config declares those that its app needs. */
export const contractVariables = {
  DEFAULT_REGION: text(
    isKnownRegion,
    'must be the two capital letters of a country (ISO 3166), such as NG',
  )({
    default: fallbackRegion,
    desc: 'The country (ISO 3166) of phone numbers without a country code',
  }),
  AIRTIME_BOUNDS: text(
    isAirtimeBounds,
    'must be a range of whole naira, then those of single networks, such as 1-100000,MTN=50-50000',
  )({
    default: defaultBounds,
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

export type ContractVariables = Pick<CleanedEnv<typeof contractVariables>, keyof typeof contractVariables>;

/** The rules of organisations whose callbacks are restricted. These callbacks never go to ports that browsers block. */
export interface CallbackRules {
  readonly requiresHttps: boolean;
}

/** The settings that `validate` and the OpenAPI schemas depend on. The gateway creates them when it starts. */
export class ContractSettings {
  readonly defaultRegion: string;
  readonly airtimeBounds: AirtimeBounds;
  readonly allowPrivateCallbacks: boolean;
  readonly callbackRules?: CallbackRules;

  constructor(variables: Partial<ContractVariables> = {}) {
    this.defaultRegion = variables.DEFAULT_REGION ?? fallbackRegion;
    this.airtimeBounds = parseAirtimeBounds(variables.AIRTIME_BOUNDS ?? defaultBounds);
    this.allowPrivateCallbacks = variables.CALLBACK_ALLOW_PRIVATE ?? false;
  }

  /** The settings for requests of organisations whose callbacks are restricted. */
  withCallbackRules(callbackRules: CallbackRules): ContractSettings {
    return Object.assign(new ContractSettings(), this, { callbackRules });
  }
}

export const defaultSettings = new ContractSettings();
