import { generateKeyPairSync, type KeyObject, sign, X509Certificate } from 'node:crypto';
import { uniqueBytes } from '../unique.js';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

interface Wanted {
  readonly name: string;
  readonly until?: Date;
  /** The signing certificate; without it the certificate is self-signed. */
  readonly by?: Certificate;
}

const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  const length = content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
};
const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const subject = (name: string): Buffer =>
  sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(name)))));
const time = (date: Date): Buffer =>
  der(0x18, Buffer.from(`${date.toISOString().replace(/\D/g, '').slice(0, 14)}Z`));
const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));
const isAuthority = sequence(oid('551d13'), der(0x04, sequence(der(0x01, Buffer.from([0xff])))));
const alternativeName = (name: string): Buffer =>
  sequence(oid('551d11'), der(0x04, sequence(der(0x82, Buffer.from(name)))));

/** Makes a certificate for one name, valid from long ago. */
export function makeCertificate({ name, until = new Date('2100-01-01'), by }: Wanted): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = by ? new X509Certificate(by.cert).subject.replace('CN=', '') : name;
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1]), uniqueBytes(8)),
    ecdsaWithSha256,
    subject(issuer),
    sequence(time(new Date('2000-01-01')), time(until)),
    subject(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...(by ? [] : [isAuthority]), alternativeName(name))),
  );
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  return { cert: pem(content, by ? by.key : privateKey), key };
}

function pem(content: Buffer, key: string | KeyObject): string {
  const signature = der(0x03, Buffer.from([0]), sign('sha256', content, key));
  const base64 = sequence(content, ecdsaWithSha256, signature).toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`;
}
