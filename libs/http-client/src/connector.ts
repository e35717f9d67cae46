import { isIP, connect as connectTcp, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { buildConnector } from 'undici';
import { ConnectionError, type FailureReason } from './exchange.js';
import type { ResolveName } from './resolve-name.js';

export interface ConnectorOptions {
  readonly resolve: ResolveName;
  readonly isAllowed: (address: string) => boolean;
  /** The time limit of the whole request. */
  readonly timeoutMs: number;
  /** If it is shorter, a connection that takes longer has failed in its phase: `connect` or `tls`. */
  readonly connectTimeoutMs: number;
  /** Replaces the public certificate authorities. */
  readonly authorities?: string | undefined;
}

/** Node's default of 250 ms is too short for distant hosts. */
const nextAddressAfterMs = 2_500;

/**
 * Opens connections for undici, to allowed addresses only. It connects to the addresses that were checked: a name is
 * never resolved twice. Address literals are checked here because Node does not look them up.
 */
export function guardedConnector(options: ConnectorOptions): buildConnector.connector {
  const { isAllowed, authorities } = options;
  const lookup = guardedLookup(options);
  // Explicit, so that no environment variable can switch it off.
  const tls = { rejectUnauthorized: true, ca: authorities, ALPNProtocols: ['http/1.1'] };
  return ({ hostname, protocol, port }, callback) => {
    if (isIP(hostname) !== 0 && !isAllowed(hostname)) {
      callback(new ConnectionError('refused_address'), null);
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
    awaitReady(socket, secure, options, callback);
  };
}

const guardedLookup =
  ({ resolve, isAllowed }: ConnectorOptions): LookupFunction =>
  (name, _options, callback) => {
    const fail = (reason: FailureReason): void => {
      callback(new ConnectionError(reason), []);
    };
    void resolve(name)
      .catch(() => [])
      .then((addresses) => {
        if (addresses.length === 0) fail('dns');
        else if (!addresses.every(isAllowed)) fail('refused_address');
        else
          callback(
            null,
            addresses.map((address) => ({ address, family: isIP(address) })),
          );
      });
  };

/** The name that the certificate must have; an address literal has none. */
const serverName = (hostname: string): { servername?: string } =>
  isIP(hostname) === 0 ? { servername: hostname.replace(/\.$/, '') } : {};

function awaitReady(
  socket: Socket,
  secure: boolean,
  { timeoutMs, connectTimeoutMs }: ConnectorOptions,
  callback: buildConnector.Callback,
): void {
  let phase: FailureReason = 'connect';
  const timer = setTimeout(
    () => socket.destroy(new ConnectionError(connectTimeoutMs < timeoutMs ? phase : 'timeout')),
    Math.min(timeoutMs, connectTimeoutMs),
  );
  const fail = (error: Error): void => {
    clearTimeout(timer);
    callback(error instanceof ConnectionError ? error : new ConnectionError(phase), null);
  };
  socket.setNoDelay(true);
  socket.once('connect', () => (phase = 'tls'));
  socket.once('error', fail);
  socket.once(secure ? 'secureConnect' : 'connect', () => {
    clearTimeout(timer);
    socket.off('error', fail);
    callback(null, socket);
  });
}
