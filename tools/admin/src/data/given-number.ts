import { type ParsedPhone, parsePhone } from '@gangan/contracts';
import { unreadRequests } from '@gangan/management';
import { CommandError } from '../session/errors.js';
import type { AdminSession } from '../session/session.js';

/** @throws CommandError if it is not a phone number */
export function numberOf({ settings }: AdminSession, given: string): ParsedPhone {
  const phone = parsePhone(given, settings.defaultRegion);
  if (phone) return phone;
  throw new CommandError('--phone is not a phone number: use one such as +2348031234567.');
}

/** Says that requests of providers which no worker has read yet are not searched. */
export async function remarkUnread(session: AdminSession): Promise<void> {
  const count = await unreadRequests(await session.database());
  if (count > 0)
    session.remark(
      `${count === 1 ? '1 request of a provider is' : `${count} requests of providers are`} not processed yet, and not searched: run the command again later.`,
    );
}
