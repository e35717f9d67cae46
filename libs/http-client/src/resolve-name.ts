import { lookup, Resolver } from 'node:dns/promises';

/** Returns all addresses of a name, IPv4 and IPv6. */
export type ResolveName = (name: string) => Promise<readonly string[]>;

/**
 * Queries the name servers directly. The lookup of the system would read local tables, and would block one of a few
 * threads while it waits, so that some silent name servers could delay all callbacks.
 */
export function resolveByNameServers(servers?: readonly string[]): ResolveName {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  if (servers) resolver.setServers(servers);
  return async (name) => {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  };
}

/** For local development: knows `localhost`. */
export const resolveBySystem: ResolveName = async (name) =>
  (await lookup(name, { all: true })).map(({ address }) => address);
