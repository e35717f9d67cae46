import { isIP, type LookupFunction, Socket } from 'node:net';
import { isPublicAddress } from '@gangan/contracts';

interface Target {
  host?: string;
  lookup?: LookupFunction;
}

/** Records every address that this process connects to. Public ones are redirected to this machine. */
export class FakeInternet {
  readonly dialled: string[] = [];
  // oxlint-disable-next-line typescript/unbound-method
  private readonly connect = Socket.prototype.connect;

  open(): void {
    // oxlint-disable-next-line typescript/no-this-alias
    const internet = this;
    const { connect } = this;
    Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
      // Node passes the options as the first element of an array.
      internet.reroute([args[0]].flat()[0] as Target);
      return Reflect.apply(connect, this, args) as Socket;
    };
  }

  close(): void {
    Socket.prototype.connect = this.connect;
  }

  private reroute(target: Target): void {
    if (target.host !== undefined && isIP(target.host) !== 0) {
      target.host = this.lead(target.host);
    } else if (target.lookup) {
      const { lookup } = target;
      target.lookup = (name, options, callback) => {
        lookup(name, options, (error, found) => {
          if (!Array.isArray(found)) throw new Error('all addresses are expected at once');
          callback(
            error,
            error ? [] : found.map(({ address }) => ({ address: this.lead(address), family: 4 })),
          );
        });
      };
    } else {
      throw new Error(`${String(target.host)} would be resolved without the guard`);
    }
  }

  private lead(address: string): string {
    this.dialled.push(address);
    return isPublicAddress(address) ? '127.0.0.1' : address;
  }
}
