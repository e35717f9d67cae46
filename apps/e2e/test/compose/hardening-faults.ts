import type { ComposeFile, Service } from './compose-file.js';

/** The capabilities that an image needs; the others get none. */
const capabilities: Readonly<Record<string, readonly string[]>> = {
  proxy: ['CHOWN', 'NET_BIND_SERVICE', 'SETGID', 'SETUID'],
};

/** What lets a compromised container do more than its work needs. */
export function hardeningFaults(name: string, service: Service): string[] {
  const extra = (service.cap_add ?? []).filter((capability) => !capabilities[name]?.includes(capability));
  return [
    ...(service.cap_drop?.includes('ALL') ? [] : ['keeps capabilities']),
    ...extra.map((capability) => `has the capability ${capability}`),
    ...(service.security_opt?.includes('no-new-privileges:true') ? [] : ['may get new privileges']),
    ...(service.read_only === true ? [] : ['can change its own files']),
    ...((service.pids_limit ?? 0) > 0 ? [] : ['may start any number of processes']),
    ...(service.privileged === undefined ? [] : ['is privileged']),
  ];
}

/** A plain port is for this machine; docker-compose.tls.yml publishes the gateway. */
export const portFaults = (name: string, { ports = [] }: Service): string[] =>
  ports.flatMap((port) => [
    ...(name === 'gateway' ? [] : ['publishes a port']),
    ...(port.startsWith('127.0.0.1:') ? [] : [`publishes ${port} beyond this machine`]),
  ]);

/** The internal port of an app is open in the network of Prometheus, which reaches nothing else, and for its health check. */
export function metricsFaults({ environment = {}, networks = {} }: Service, compose: ComposeFile): string[] {
  const { internal, ipam } = compose.networks['metrics'] ?? {};
  const expected = `127.0.0.1,${ipam?.config?.[0]?.subnet ?? 'no subnet'}`;
  const listening = String(environment['METRICS_HOST']);
  return [
    ...(internal === true ? [] : ['its metrics are on a network that is not internal']),
    ...('metrics' in networks ? [] : ['is not on the network metrics']),
    ...(listening === expected ? [] : [`its metrics are open on ${listening}, not on ${expected}`]),
  ];
}
