import { availableBroker, listOf, option, type OptionsOf, positive, whole } from '@gangan/testing';

export const otpOptions = {
  seconds: option(positive, '3', 'how long OTPs are requested; all of them are then verified'),
  rounds: option(whole, '3', 'how often both ways are measured; medians are shown'),
  connections: option(listOf(whole), '1,64', 'number of concurrent callers'),
  on: option(availableBroker, 'postgres', 'the broker of the queue: redis or postgres'),
};

export type OtpOptions = OptionsOf<typeof otpOptions>;
