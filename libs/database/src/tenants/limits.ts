import type { Organisation } from '../generated/client.js';
import type { Models } from './accounts.js';

/** The limits of an organisation. `null` means the configured default, 0 switches a limit off. */
export type Limits = Readonly<Pick<Organisation, keyof typeof select>>;

const select = {
  requestsPerSecond: true,
  requestBurst: true,
  otpSendsPerRecipient: true,
  otpSendsPerPrefix: true,
  otpTriesPerRecipient: true,
  otpDailyTriesPerRecipient: true,
  dailySpendKobo: true,
  messageDailySpendKobo: true,
  otpDailySpendKobo: true,
  airtimeDailySpendKobo: true,
  airtimeDailySpendPerRecipientKobo: true,
  airtimeKeyCoolingHours: true,
  lookupDailySpendKobo: true,
  contactRows: true,
  storedBytes: true,
  unfinishedImports: true,
  waitingCallbacks: true,
  responseBytes: true,
  simulatedMessages: true,
} as const;

export const limitsOf = (models: Models, organisationId: string): Promise<Limits> =>
  models.organisation.findUniqueOrThrow({ where: { id: organisationId }, select });

/** Changes the given limits, leaves the others, and returns all. */
export const setLimits = (models: Models, id: string, limits: Partial<Limits>): Promise<Limits> =>
  models.organisation.update({ where: { id }, data: { ...limits, updatedAt: new Date() }, select });
