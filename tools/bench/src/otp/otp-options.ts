import { option, type OptionsOf } from '../options/options.js';
import { availableBroker, listOf, positive, whole } from '../options/readers.js';

export const otpOptions = {
  seconds: option(positive, '3', 'how long OTPs are requested; as many are then verified'),
  rounds: option(whole, '3', 'how often both ways are measured, in turn; medians are shown'),
  connections: option(listOf(whole), '1,64', 'how many callers ask at a time'),
  on: option(availableBroker, 'postgres', 'where the queue lives: redis or postgres'),
};

export type OtpOptions = OptionsOf<typeof otpOptions>;
