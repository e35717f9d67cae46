import { isIP, connect as connectTcp, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { buildConnector } from 'undici';
import { ConnectionFailure } from './outcome.js';
import type { ResolveName } from './resolve-name.js';

export interface DialOptions {
  readonly resolve: ResolveName;
  readonly isAllowed: (address: string) => boolean;
  readonly timeoutMs: number;
  /** Instead of the public certificate authorities. */
  readonly authorities?: string | undefined;
}

/** Far hosts answer slowly; Node's own quarter of a second would give up on their first address too soon. */
const nextAddressAfterMs = 2_500;

/**
 * Opens connections for undici, to allowed addresses only. The addresses that were looked at are the ones that are
 * connected to: a name is never resolved twice. A literal is looked at here, because Node never looks one up.
 */
export function guardedDial({
  resolve,
  isAllowed,
  timeoutMs,
  authorities,
}: DialOptions): buildConnector.connector {
  const lookup = guardedLookup(resolve, isAllowed);
  // Said aloud, so that no variable of the environment can switch it off.
  const tls = { rejectUnauthorized: true, ca: authorities, ALPNProtocols: ['http/1.1'] };
  return ({ hostname, protocol, port }, callback) => {
    if (isIP(hostname) !== 0 && !isAllowed(hostname)) {
      callback(new ConnectionFailure('refused_address'), null);
      return;
    }
    const secure = protocol === 'https:';
    const target = {
      host: hostname,
      port: Number(port || (secure ? 443 : 80)),
      lookup,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: nextAddressAfterMs,
    };
    const socket = secure ? connectTls({ ...target, ...tls, ...serverName(hostname) }) : connectTcp(target);
    awaitReady(socket, secure, timeoutMs, callback);
  };
}

function guardedLookup(resolve: ResolveName, isAllowed: (address: string) => boolean): LookupFunction {
  return (name, _options, callback) => {
    resolve(name).then(
      (addresses) => {
        const refusal =
          addresses.length === 0 ? 'dns' : addresses.every(isAllowed) ? undefined : 'refused_address';
        if (refusal) callback(new ConnectionFailure(refusal), []);
        else
          callback(
            null,
            addresses.map((address) => ({ address, family: isIP(address) })),
          );
      },
      () => {
        callback(new ConnectionFailure('dns'), []);
      },
    );
  };
}

/** The certificate must be that of the name; a literal has no name to ask for. */
const serverName = (hostname: string): { servername?: string } =>
  isIP(hostname) === 0 ? { servername: hostname.replace(/\.$/, '') } : {};

function awaitReady(
  socket: Socket,
  secure: boolean,
  timeoutMs: number,
  callback: buildConnector.Callback,
): void {
  let reached = false;
  const timer = setTimeout(() => socket.destroy(new ConnectionFailure('timeout')), timeoutMs);
  const fail = (error: Error): void => {
    clearTimeout(timer);
    callback(
      error instanceof ConnectionFailure ? error : new ConnectionFailure(reached ? 'tls' : 'connect'),
      null,
    );
  };
  socket.setNoDelay(true);
  socket.once('connect', () => {
    reached = true;
  });
  socket.once('error', fail);
  socket.once(secure ? 'secureConnect' : 'connect', () => {
    clearTimeout(timer);
    socket.off('error', fail);
    callback(null, socket);
  });
}
