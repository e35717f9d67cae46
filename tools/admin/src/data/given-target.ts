import { parsePhone } from '@gangan/contracts';
import { type DataTarget, dataTarget, unreadRequests } from '@gangan/management';
import { CommandError } from '../session/errors.js';
import type { AdminSession } from '../session/session.js';

export interface GivenTarget {
  readonly phone?: string;
  readonly organisation?: string;
}

export async function targetOf(
  session: AdminSession,
  { phone: number, organisation: label }: GivenTarget,
): Promise<DataTarget> {
  const organisation = label === undefined ? undefined : await session.organisation(label);
  if (number === undefined && !organisation) throw new CommandError('Give --phone, --organisation or both.');
  const { defaultRegion } = session.settings;
  const phone = number === undefined ? undefined : parsePhone(number, defaultRegion);
  if (number !== undefined && !phone)
    throw new CommandError('--phone is not a phone number: use one such as +2348031234567.');
  return dataTarget(await session.database(), { phone, organisation }, defaultRegion);
}

/** Says that requests of providers which no worker has read yet are not searched. */
export async function remarkUnread(session: AdminSession): Promise<void> {
  const count = await unreadRequests(await session.database());
  if (count > 0)
    session.remark(
      `${count === 1 ? '1 request of a provider is' : `${count} requests of providers are`} not processed yet, and not searched: run the command again later.`,
    );
}
