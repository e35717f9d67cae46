import { smsBody } from '../sms/sms-requests.js';

/** `smsbox` and `carrier` are where bearerbox waits for them. */
export type KannelPorts = Readonly<Record<'admin' | 'smsbox' | 'carrier' | 'sendsms', number>>;

/** Messages are kept in memory only, which is Kannel's default. */
export const kannelConfig = ({ admin, smsbox, carrier, sendsms }: KannelPorts): string => `group = core
admin-port = ${admin}
admin-password = bench
smsbox-port = ${smsbox}
box-allow-ip = 127.0.0.1

group = smsc
smsc = fake
smsc-id = bench
port = ${carrier}
connect-allow-ip = 127.0.0.1

group = smsbox
bearerbox-host = 127.0.0.1
sendsms-port = ${sendsms}
global-sender = Bench

group = sendsms-user
username = bench
password = bench
max-messages = 10
`;

/** The raw request of Kannel's HTTP interface for the same message that the system gets. */
export function sendsmsRequest(count: number): string {
  const { recipients, content } = smsBody(count);
  const query = new URLSearchParams({
    username: 'bench',
    password: 'bench',
    to: recipients.replaceAll(',', ' '),
    text: content,
  });
  return `GET /cgi-bin/sendsms?${query.toString()} HTTP/1.1\r\nhost: bench\r\n\r\n`;
}
