import type { Organisation } from '../system/organisations.js';
import type { CarefulClient } from '../traffic/careful-client.js';
import type { OrganisationFact } from './facts.js';

/** The balances as clients read them. */
export const readBalances = (
  organisations: readonly Organisation[],
  client: CarefulClient,
): Promise<OrganisationFact[]> =>
  Promise.all(
    organisations.map(async ({ id, apiKey, startKobo, runsOut }) => {
      const balance = (await client.read('/balance', apiKey)) as {
        available_balance: number;
        reserved: number;
      };
      const kobo = (naira: number): bigint => BigInt(Math.round(naira * 100));
      return {
        id,
        startKobo,
        runsOut,
        availableKobo: kobo(balance.available_balance),
        reservedKobo: kobo(balance.reserved),
      };
    }),
  );
