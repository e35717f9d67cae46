import { userInfo } from 'node:os';
import { plainText } from './arguments.js';
import { CommandError } from './errors.js';

const actorName = plainText(100);

/** Who makes a change, as the operator claims; a note beside the login of the database: GANGAN_ACTOR, else the user of the operating system. */
export function actorOf(configured: string | undefined): string {
  const actor = configured ?? userOfSystem();
  if (actor !== undefined) return actorName(actor);
  throw new CommandError('The audit log needs your name: set GANGAN_ACTOR.');
}

/** A container may run as a user without a name. */
function userOfSystem(): string | undefined {
  try {
    return userInfo().username || undefined;
  } catch {
    return undefined;
  }
}
