import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** What is wrong with a `TRUSTED_PROXIES`; the text follows the name of the variable. */
export const proxiesFault = (text: string): string | undefined =>
  text.split(',').every((part) => isAddressOrRange(part.trim()))
    ? undefined
    : 'must be IP addresses or ranges, separated by commas, such as 10.0.0.0/8,127.0.0.1';

function isAddressOrRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  // A range of all addresses would let every client choose its own.
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/** The address of the client, as far as the trusted proxies report it. The text of a proxy may be no address at all. */
export const clientAddress = (request: FastifyRequest): string =>
  isIP(request.ip) > 0 ? request.ip : (request.socket.remoteAddress ?? '');

/** What limits per client count by: the IPv4 address, or the /64 network of the IPv6 address, which one client usually has. */
export const clientNetwork = (request: FastifyRequest): string => networkOf(clientAddress(request));

/** How IPv4 addresses are written as IPv6 addresses: mapped, and translated by NAT64. */
const ipv4Prefixes = new Set(['0:0:0:0:0:ffff', '64:ff9b:0:0:0:0']);

export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const groups = groupsOf(address);
  if (ipv4Prefixes.has(groups.slice(0, 6).map(hex).join(':')))
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 255])
      .join('.');
  return `${groups.slice(0, 4).map(hex).join(':')}::/64`;
}

const hex = (group: number): string => group.toString(16);

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').flatMap(numbersOf));
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail];
}

/** A group in hexadecimal digits, none for an empty text, or two for an IPv4 address at the end. */
function numbersOf(text: string): number[] {
  if (text === '') return [];
  const [a = 0, b = 0, c = 0, d = 0] = text.split('.').map(Number);
  return text.includes('.') ? [a * 256 + b, c * 256 + d] : [Number.parseInt(text, 16)];
}
